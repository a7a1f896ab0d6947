package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// localEnergyAt moves vertex 0 of a fan to (x, y) and evaluates its cavity. energyAt returns a function of the
// energy at a trial position.
func (f *fan) localEnergyAt(x, y float64, c *Control[float64]) localEnergy[float64] {
	metric := f.field.At(x, y)
	p := &f.v[0]
	p.X, p.Y, p.M11, p.M12, p.M22 = x, y, metric.M11, metric.M12, metric.M22
	var s step[float64]
	s.begin(0, &f.set, &f.m, f.v)
	return localEnergyOf(0, &s, c, &f.m, &f.field, f.v)
}

func (f *fan) energyAt(c *Control[float64]) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		metric := f.field.At(x, y)
		energy, _, _ := trialEnergy(0, f.set.FirstSliding > 0, x, y, &metric, 1e-9, params(), c, &f.m, f.v)
		return energy
	}
}

// TestBarrierGradient compares the gradient of the energy, including the metric's dependence on the vertex, with
// central differences, in closed and in open cavities and for all powers, and the energy with that of a trial.
func TestBarrierGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for n := range 600 {
		field := varying(rng, 5)
		if n%2 == 0 {
			field = graded(rng)
		}
		ring := randomRing(rng, 4+rng.IntN(8), .3)
		f := newFan(0, 0, ring, field)
		if n%3 == 0 {
			f.slide(math.Atan2(ring[0][1], ring[0][0]))
		}
		c := &Control[float64]{Floor: .3, Doublings: int32(n % 4)}
		x, y := .1*rng.Float64()+.02, .1*rng.Float64()+.02
		b, energy := f.localEnergyAt(x, y, c), f.energyAt(c)
		if !(b.least > 1e-3) {
			continue
		}
		gx, gy := central(energy, x, y, 1e-6)
		scale := math.Abs(gx) + math.Abs(gy) + b.energy
		checkClose(t, "∂E/∂x", b.gx, gx, scale, 1e-6)
		checkClose(t, "∂E/∂y", b.gy, gy, scale, 1e-6)
		checkClose(t, "E", b.energy, energy(x, y), b.energy, 1e-12)
		if b.h11 < 0 || b.h11*b.h22-b.h12*b.h12 < -1e-9*b.h11*b.h22 {
			t.Errorf("the Hessian %g, %g, %g is not positive semidefinite", b.h11, b.h12, b.h22)
		}
	}
}

// TestBarrierHessian proves that the Hessian in a constant metric, if no term is omitted, equals that by differences.
func TestBarrierHessian(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	checked := 0
	for n := range 1000 {
		field := constant(tensor(rng, 3))
		var ring [][2]float64
		for k := range 6 { // approximately a regular hexagon in the metric
			s, c := math.Sincos(math.Pi / 3 * (float64(k) + .2*rng.Float64()))
			r := 1.05 + .1*rng.Float64()
			x, y := mapped(field, r*c, r*s)
			ring = append(ring, [2]float64{x, y})
		}
		f := newFan(0, 0, ring, field)
		c := &Control[float64]{Floor: .3, Doublings: int32(n % 4)}
		allTermsCount := true
		for k := 1; k < len(f.v); k++ {
			metric := field.At(0, 0)
			tri := Measure(0, 0, &metric, &f.v[k], &f.v[1+k%(len(f.v)-1)])
			allTermsCount = allTermsCount && tri.perimeter/3 > 1.01 && tri.perimeter/3 < 1.2
		}
		if !allTermsCount {
			continue
		}
		checked++
		b := f.localEnergyAt(0, 0, c)
		metric := f.field.At(0, 0)
		h := 1e-5 / math.Sqrt(metric.M11+metric.M22)
		xx, xy := central(func(x, y float64) float64 { return f.localEnergyAt(x, y, c).gx }, 0, 0, h)
		_, yy := central(func(x, y float64) float64 { return f.localEnergyAt(x, y, c).gy }, 0, 0, h)
		scale := math.Abs(xx) + math.Abs(yy)
		checkClose(t, "∂²E/∂x²", b.h11, xx, scale, 1e-5)
		checkClose(t, "∂²E/∂x∂y", b.h12, xy, scale, 1e-5)
		checkClose(t, "∂²E/∂y²", b.h22, yy, scale, 1e-5)
	}
	if checked < 300 {
		t.Errorf("only %d cavities were compared", checked)
	}
}

// worstShape returns the worst shape of the triangles around vertex 0.
func (f *fan) worstShape() float64 {
	m := mesh.Mesh{X: []float64{f.v[0].X}, Y: []float64{f.v[0].Y}}
	for k, v := range f.v[1:] {
		m.X, m.Y = append(m.X, v.X), append(m.Y, v.Y)
		if k > 0 {
			m.Cells = append(m.Cells, [3]int32{0, int32(k), int32(k) + 1})
		}
	}
	if f.set.FirstSliding > 0 { // the ring is closed
		m.Cells = append(m.Cells, [3]int32{0, int32(len(f.v) - 1), 1})
	}
	least := 1.0
	for c := range m.Cells {
		least = min(least, m.Quality(c))
	}
	return least
}

// TestBarrierKeepsTheFloor proves that no visit makes a triangle worse than the floor, that the worst one below it
// only improves, and with Rising also the sum of the qualities, in any metric, and also on rails; and that no visit
// lowers the worst shape if that is to be kept.
func TestBarrierKeepsTheFloor(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	moved := 0
	for n := range 3000 {
		field := varying(rng, 30)
		if n%2 == 0 {
			field = graded(rng)
		}
		ring := randomRing(rng, 4+rng.IntN(20), .3)
		f := newFan(0, 0, ring, field)
		if n%3 == 0 {
			f.slide(math.Atan2(ring[0][1], ring[0][0]))
		}
		before := f.worst()
		c := &Control[float64]{Floor: before * (.5 + rng.Float64()), Doublings: int32(n % 4), Rising: n%5 == 0}
		start, p := f.localEnergyAt(0, 0, c), params()
		p.Relax = 1.8
		if n%4 == 1 {
			p.Shape = f.worstShape() * (1 - 1e-15)
		}
		var count Counters
		moveSquare := Barrier(0, &f.set, p, &f.m, &f.field, c, f.v, nil, nil, &count)
		after, end := f.worst(), f.localEnergyAt(f.v[0].X, f.v[0].Y, c)
		switch {
		case moveSquare == 0:
			if after != before || count.Refused != 1 {
				t.Errorf("a vertex that stays changes its worst quality from %g to %g, refused %d", before, after, count.Refused)
			}
			continue
		case f.worstShape() < p.Shape:
			t.Errorf("the worst shape falls from %g to %g", p.Shape, f.worstShape())
		case after < min(before, c.Floor)-1e-14, !(end.energy < start.energy), c.Rising && end.sum < start.sum-1e-14:
			t.Errorf("worst %g to %g with a floor of %g, energy %g to %g, sum %g to %g", before, after, c.Floor, start.energy,
				end.energy, start.sum, end.sum)
		}
		moved++
	}
	if moved < 1500 {
		t.Errorf("only %d moves", moved)
	}
}
