package solid

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// localEnergyAt moves vertex 0 of a ball to p and evaluates its cavity. energyAt returns the energy at a trial
// position.
func (b *ball) localEnergyAt(p Vector[float64], c *Control[float64]) localEnergy[float64] {
	metric, v := b.field.At(p), &b.v[0]
	v.X, v.Y, v.Z = p.X, p.Y, p.Z
	v.M11, v.M12, v.M13, v.M22, v.M23, v.M33 = metric.M11, metric.M12, metric.M13, metric.M22, metric.M23, metric.M33
	var s step[float64]
	s.begin(0, &b.set, &b.m, b.v)
	return localEnergyOf(0, &s, c, &b.m, &b.field, b.v)
}

func (b *ball) energyAt(p Vector[float64], c *Control[float64]) float64 {
	metric := b.field.At(p)
	energy, _, _ := trialEnergy(0, p, &metric, 1e-9, c, &b.m, b.v)
	return energy
}

// TestBarrierGradient compares the gradient of the energy, including the metric's dependence on the vertex, with
// central differences, for all powers and in fields of both kinds, and the energy with that of a trial. The Hessian
// is positive semidefinite, also for p = -1.
func TestBarrierGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	const h = 1e-6
	checked := 0
	for n := range 600 {
		field := varying(rng, 4)
		if n%2 == 0 {
			field = graded(rng)
		}
		b := newBall(rng, 1+n%3, .3, field)
		c := &Control[float64]{Floor: .3, Doublings: int32(n%4) - 1}
		p := Vector[float64]{X: .02 + .1*rng.Float64(), Y: .02 + .1*rng.Float64(), Z: .02 + .1*rng.Float64()}
		w := b.localEnergyAt(p, c)
		if !(w.least > 1e-3) {
			continue
		}
		checked++
		scale := math.Sqrt(dot(w.g, w.g)) + math.Abs(w.energy)
		for k, got := range [3]float64{w.g.X, w.g.Y, w.g.Z} {
			d := [3]Vector[float64]{{X: 1}, {Y: 1}, {Z: 1}}[k]
			want := (b.energyAt(shifted(p, d, h), c) - b.energyAt(shifted(p, d, -h), c)) / (2 * h)
			if math.Abs(got-want) > 1e-6*scale {
				t.Fatalf("case %d, axis %d: %g, by differences %g", n, k, got, want)
			}
		}
		if e := b.energyAt(p, c); math.Abs(e-w.energy) > 1e-11*math.Abs(e) {
			t.Fatalf("case %d: the energy is %g, of a trial %g", n, w.energy, e)
		}
		for range 20 {
			u := Vector[float64]{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
			if curvature := w.h.product(u, u); curvature < -1e-9*dot(u, u)*(w.h.M11+w.h.M22+w.h.M33) {
				t.Fatalf("case %d: the Hessian is %g along %v", n, curvature, u)
			}
		}
	}
	if checked < 300 {
		t.Errorf("%d cavities were looked at", checked)
	}
}

// TestBarrierHessian proves that the Hessian in a constant metric, if no term is omitted or made positive, as the
// first is for p = -1, equals that by differences.
func TestBarrierHessian(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	const h = 1e-5
	checked := 0
	for n := range 400 {
		b := newBall(rng, 3, .05, constant(Tensor[float64]{M11: .28, M12: .01, M22: .28, M33: .29, M23: -.005}))
		c := &Control[float64]{Floor: .3, Doublings: int32(n % 3)}
		metric, allTermsCount := b.field.At(Vector[float64]{}), true
		for _, s := range b.m.CavityFaces {
			tet := Measure(Vector[float64]{}, &metric, &b.v[s.A], &b.v[s.B], &b.v[s.C])
			allTermsCount = allTermsCount && tet.perimeter/6 > 1.01 && tet.perimeter/6 < 1.7
			allTermsCount = allTermsCount && -fitCurvature(tet.perimeter/6)/36-3/(tet.perimeter*tet.perimeter) > 0
		}
		if !allTermsCount {
			continue
		}
		checked++
		w := b.localEnergyAt(Vector[float64]{}, c)
		scale := w.h.M11 + w.h.M22 + w.h.M33
		for k := range 3 {
			d := [3]Vector[float64]{{X: 1}, {Y: 1}, {Z: 1}}[k]
			more, less := b.localEnergyAt(shifted(Vector[float64]{}, d, h), c), b.localEnergyAt(shifted(Vector[float64]{}, d,
				-h), c)
			got := w.h.times(d)
			want := scaledVector(minus(more.g, less.g), 1/(2*h))
			if off := minus(got, want); dot(off, off) > 1e-10*scale*scale {
				t.Fatalf("case %d, axis %d: %v, by differences %v", n, k, got, want)
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d cavities were looked at", checked)
	}
}

// fitCurvature returns G' by differences.
func fitCurvature(x float64) float64 {
	log := func(x float64) float64 { m := min(x, 1/x); return 3 * math.Log(m*(2-m)) }
	const h = 1e-4
	return (log(x+h) - 2*log(x) + log(x-h)) / (h * h)
}

// worstShape returns the worst shape of the tetrahedra around vertex 0.
func (b *ball) worstShape() float64 {
	var m mesh.Solid
	for _, v := range b.v {
		m.X, m.Y, m.Z = append(m.X, v.X), append(m.Y, v.Y), append(m.Z, v.Z)
	}
	for _, f := range b.m.CavityFaces {
		m.Cells = append(m.Cells, [4]int32{0, f.A, f.B, f.C})
	}
	least := 1.0
	for c := range m.Cells {
		least = min(least, m.Quality(c))
	}
	return least
}

// TestBarrierKeepsTheFloor proves that no visit makes a tetrahedron worse than the floor, that the worst one below
// it only improves, and with Rising also the sum of the qualities, inside, on planes and on lines; and that no visit
// lowers the worst shape if that is to be kept.
func TestBarrierKeepsTheFloor(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	moved := 0
	for n := range 1500 {
		field := varying(rng, 10)
		if n%2 == 0 {
			field = graded(rng)
		}
		b := newBall(rng, 1+n%3, .4, field)
		before := worst(0, b.position(), lowest, &b.m, &b.field, b.v)
		if !(before > 0) {
			continue
		}
		c := &Control[float64]{Floor: before * (.5 + rng.Float64()), Doublings: int32(n%4) - 1, Rising: n%5 == 0}
		start, p := b.localEnergyAt(b.position(), c), params()
		p.Relax = 1.8
		if n%4 == 1 {
			p.Shape = b.worstShape() * (1 - 1e-15)
		}
		var count Counters
		moveSquare := Barrier(0, &b.set, p, &b.m, &b.field, c, b.v, nil, nil, &count)
		after, end := worst(0, b.position(), lowest, &b.m, &b.field, b.v), b.localEnergyAt(b.position(), c)
		switch {
		case moveSquare == 0:
			if after != before || count.Refused != 1 {
				t.Errorf("a vertex that stays changes its worst quality from %g to %g, refused %d", before, after, count.Refused)
			}
			continue
		case b.worstShape() < p.Shape:
			t.Errorf("the worst shape falls from %g to %g", p.Shape, b.worstShape())
		case after < min(before, c.Floor)-1e-14, !(end.energy < start.energy), c.Rising && end.sum < start.sum-1e-13:
			t.Errorf("worst %g to %g with a floor of %g, energy %g to %g, sum %g to %g", before, after, c.Floor, start.energy,
				end.energy, start.sum, end.sum)
		}
		moved++
	}
	if moved < 700 {
		t.Errorf("only %d moves", moved)
	}
}
