package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// energy is ½Σ u'Mu over the edges at vertex 0 of a fan, with that vertex at (x, y) and M the mean of the ends'
// metrics.
func (f *fan) energy(x, y float64) float64 {
	at := f.field.At(x, y)
	sum := 0.0
	for _, v := range f.v[1:] {
		m := Tensor[float64]{M11: (at.M11 + v.M11) / 2, M12: (at.M12 + v.M12) / 2, M22: (at.M22 + v.M22) / 2}
		sum += m.product(v.X-x, v.Y-y, v.X-x, v.Y-y) / 2
	}
	return sum
}

// TestPrintedStep compares the step with an independent computation: (D+A)dp = ωg by Cramer's rule, with means
// instead of sums.
func TestPrintedStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	offDiagonals := 0
	for range 500 {
		f := newFan(0, 0, randomRing(rng, 3+rng.IntN(9), .3), varying(rng, 20))
		p := params()
		p.Relax = .5
		var a11, a12, a22, gx, gy float64
		for _, v := range f.v[1:] {
			m11, m12, m22 := (v.M11+f.v[0].M11)/2, (v.M12+f.v[0].M12)/2, (v.M22+f.v[0].M22)/2
			a11, a12, a22 = a11+m11, a12+m12, a22+m22
			gx, gy = gx+m11*v.X+m12*v.Y, gy+m12*v.X+m22*v.Y
		}
		if 1.01*math.Abs(a12) > min(a11, a22) {
			offDiagonals++
		}
		d11, d22 := a11+max(a11, 1.01*math.Abs(a12)), a22+max(a22, 1.01*math.Abs(a12))
		det := d11*d22 - a12*a12
		f.visit(Pain[float64], p)
		checkClose(t, "x", f.v[0].X, .5*(gx*d22-gy*a12)/det, 1, 1e-10)
		checkClose(t, "y", f.v[0].Y, .5*(gy*d11-gx*a12)/det, 1, 1e-10)
	}
	if offDiagonals < 50 {
		t.Errorf("the off-diagonal element determines D in only %d of 500 cases", offDiagonals)
	}
}

// TestExactIsStationary proves that where pain-exact converges the derivative of the energy, by differences,
// vanishes, along the rail if there is one. Where the metric varies, that of the printed step does not.
func TestExactIsStationary(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	moving := 0
	for n := range 200 {
		ring := randomRing(rng, 4+rng.IntN(5), .5)
		var slope [2]float64
		for k, move := range []kernel{PainExact[float64], Pain[float64]} {
			field := graded(rand.New(rand.NewPCG(14, uint64(n))))
			field.X -= 5 // away from the jump between its pieces
			f := newFan(.05, 0, ring, field)
			angle := float64(n)
			if n%2 == 0 {
				f.slide(angle)
			}
			p := params()
			p.Relax = .8
			for range 200 {
				f.visit(move, p)
			}
			gx, gy := central(f.energy, f.v[0].X, f.v[0].Y, 1e-5)
			if n%2 == 0 {
				gx, gy = gx*math.Cos(angle)+gy*math.Sin(angle), 0
			}
			slope[k] = math.Hypot(gx, gy) / f.energy(f.v[0].X, f.v[0].Y)
		}
		if slope[0] > 1e-7 {
			t.Errorf("cavity %d: pain-exact converges where the derivative is %g", n, slope[0])
		}
		if slope[1] > 1e-4 {
			moving++
		}
	}
	if moving < 150 {
		t.Errorf("pain converges to the minimum in all but %d cases", moving)
	}
}
