package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// central returns the central differences of f by x and y.
func central(f func(x, y float64) float64, x, y, h float64) (float64, float64) {
	return (f(x+h, y) - f(x-h, y)) / (2 * h), (f(x, y+h) - f(x, y-h)) / (2 * h)
}

// checkClose requires that two numbers differ by at most a share of a scale.
func checkClose(t *testing.T, what string, got, want, scale, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*scale) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestSlope compares the derivatives of fields with central differences, away from their discontinuities.
func TestSlope(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, newField := range []func() Field[float64]{
		func() Field[float64] { return varying(rng, 5) }, func() Field[float64] { return graded(rng) },
	} {
		for range 500 {
			f := newField()
			x, y := -10+20*rng.Float64(), -10+20*rng.Float64()
			_, s := lookup.Locate(x, f.X, f.PerX, f.Nx)
			if _, u := lookup.Locate(y, f.Y, f.PerY, f.Ny); min(s, 1-s, u, 1-u) < 1e-3 {
				continue
			}
			mx, my := f.Gradient(x, y)
			for name, c := range map[string]struct {
				component func(m Tensor[float64]) float64
				gx, gy    float64
			}{
				"M11": {func(m Tensor[float64]) float64 { return m.M11 }, mx.M11, my.M11},
				"M12": {func(m Tensor[float64]) float64 { return m.M12 }, mx.M12, my.M12},
				"M22": {func(m Tensor[float64]) float64 { return m.M22 }, mx.M22, my.M22},
			} {
				gx, gy := central(func(x, y float64) float64 { return c.component(f.At(x, y)) }, x, y, 1e-4)
				metric := f.At(x, y)
				checkClose(t, name+" by x", c.gx, gx, metric.M11+metric.M22, 1e-7)
				checkClose(t, name+" by y", c.gy, gy, metric.M11+metric.M22, 1e-7)
			}
		}
	}
}

// TestFieldEnds proves that a field has its samples at the corners, and the nearest ones beyond, up to round-off. A
// constant field is exactly constant.
func TestFieldEnds(t *testing.T) {
	f := varying(rand.New(rand.NewPCG(2, 2)), 5)
	f.Scale = 1
	for _, c := range []struct {
		x, y float64
		k    int
	}{{-10, -10, 0}, {10, -10, 3}, {-10, 10, 8}, {10, 10, 11}, {99, 99, 11}, {-99, 10, 8},
		{math.Inf(1), math.NaN(), 3}} {
		got, want := f.At(c.x, c.y), Tensor[float64](f.Samples[c.k])
		checkClose(t, "M11", got.M11, want.M11, want.M11, 1e-15)
		checkClose(t, "M12", got.M12, want.M12, want.M11, 1e-15)
		checkClose(t, "M22", got.M22, want.M22, want.M22, 1e-15)
	}
	f = constant(.1, .2, .7)
	for x := -10.0; x < 10; x += .37 {
		if got := f.At(x, -x/3); got != Tensor[float64](f.Samples[0]) {
			t.Errorf("at %g: %v", x, got)
		}
	}
}

// TestQualityGradient compares the gradient of the quality, including the metric's dependence on the moving corner,
// with central differences: triangles of any size and stretch, in constant and varying metrics.
func TestQualityGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for n := range 3000 {
		f := varying(rng, 10)
		switch n % 3 {
		case 1:
			f = graded(rng)
		case 2:
			f = constant(tensor(rng, 10))
		}
		size := math.Pow(10, -1+2*rng.Float64()) / 2
		var p [3]Vertex[float64]
		for k := range p {
			x, y := -5+size*rng.Float64(), 3+size*rng.Float64()
			at := f.At(x, y)
			p[k] = Vertex[float64]{X: x, Y: y, M11: at.M11, M12: at.M12, M22: at.M22}
		}
		quality := func(x, y float64) float64 {
			at := f.At(x, y)
			q := Measure(x, y, &at, &p[1], &p[2])
			return q.Quality()
		}
		x, y := p[0].X, p[0].Y
		at := f.At(x, y)
		mx, my := f.Gradient(x, y)
		tri := Measure(x, y, &at, &p[1], &p[2])
		if tri.perimeter/6 < math.Abs(tri.la-tri.lb) || math.Abs(tri.Quality()) < .01 || math.Abs(tri.perimeter/3-1) < .01 {
			continue // differences are inaccurate for almost flat triangles, and near the jump of the third derivative
		}
		gx, gy := tri.Gradient(x, y, &p[1], &p[2], &mx, &my)
		wx, wy := central(quality, x, y, 2e-5*size)
		scale := math.Hypot(wx, wy) + math.Abs(tri.Quality())/size
		checkClose(t, "by x", gx, wx, scale, 1e-6)
		checkClose(t, "by y", gy, wy, scale, 1e-6)
	}
}

// TestQuality proves that the equilateral triangle of sides 1 has quality 1 in the plane, as does its image in a
// metric in which it is one; inverted it has -1; sides of 2 and of 1/2 have the same quality.
func TestQuality(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		m11, m12, m22 := tensor(rng, 100)
		field := constant(m11, m12, m22)
		s := step[float64]{}
		f := newFrame(&Vertex[float64]{M11: m11, M12: m12, M22: m22}, &s)
		at := func(size, angle float64) Vertex[float64] {
			x, y := size*math.Cos(angle), size*math.Sin(angle)
			return Vertex[float64]{X: f.l.M11*x + f.l.M12*y, Y: f.l.M12*x + f.l.M22*y, M11: m11, M12: m12, M22: m22}
		}
		quality := func(size, angle float64) float64 {
			a, b, m := at(size, 1), at(size, 1+angle), Tensor[float64](field.Samples[0])
			q := Measure(0, 0, &m, &a, &b)
			return q.Quality()
		}
		checkClose(t, "unit", quality(1, math.Pi/3), 1, 1, 1e-10)
		checkClose(t, "inverted", quality(1, -math.Pi/3), -1, 1, 1e-10)
		checkClose(t, "twice", quality(2, math.Pi/3), quality(.5, math.Pi/3), 1, 1e-10)
		if quality(2, math.Pi/3) > .5 {
			t.Errorf("a triangle of twice the size has quality %g", quality(2, math.Pi/3))
		}
	}
}
