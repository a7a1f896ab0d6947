package geom

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// volumeFormula is the single formula for the volume without case distinctions: V = [α³ - Σ(α-m_i)₊³ + Σ(α-1+m_i)₊³] /
// (6 m1 m2 m3), Σm = 1, all m > 0.
func volumeFormula(m1, m2, m3, a float64) float64 {
	c := func(x float64) float64 { x = math.Max(0, x); return x * x * x }
	v := c(a)
	for _, m := range []float64{m1, m2, m3} {
		v += c(a-1+m) - c(a-m)
	}
	return v / (6 * m1 * m2 * m3)
}

var fractions = []float64{0, 1e-300, 1e-16, 1e-12, 1e-3, .25, .5, math.Nextafter(.5, 1), .75, 1 - 1e-12, 1 - 0x1p-53, 1}

// component draws components of normals, including values that are critical for the formulae: zero, denormal, tiny,
// equal.
func component(t *rapid.T, name string) float64 {
	return rapid.OneOf(rapid.Float64Range(-1, 1),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 1. / 3, .5, 5e-324, -1e-310, 1e-200, 1e-30, -1e-17, 1e-9,
			1e-4, 7})).Draw(t, name)
}

func fraction(t *rapid.T) float64 {
	return rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom(fractions)).Draw(t, "f")
}

func TestVolumeOfConstantIsTheFraction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mx, my, mz, f := component(t, "mx"), component(t, "my"), component(t, "mz"), fraction(t)
		if got := Volume(mx, my, mz, PlaneConstant(mx, my, mz, f)); !(math.Abs(got-f) <= 1e-14) {
			t.Fatalf("volume(constant(%v)) = %v, off by %g", f, got, got-f)
		}
		if got := Area(mx, my, LineConstant(mx, my, f)); !(math.Abs(got-f) <= 1e-14) {
			t.Fatalf("area(constant(%v)) = %v, off by %g", f, got, got-f)
		}
		a, b, c := float32(mx), float32(my), float32(mz)
		if got := Volume(a, b, c, PlaneConstant(a, b, c, float32(f))); !(math.Abs(float64(got)-f) <= 5e-6) {
			t.Fatalf("volume(constant(%v)) = %v in float32, off by %g", f, got, float64(got)-f)
		}
	})
}

// TestVolumeOfConstantBetweenCases covers the limits between the cases of the formulae, and the adjacent
// floating-point numbers.
func TestVolumeOfConstantBetweenCases(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50000 {
		a, b, c := rng.Float64(), rng.Float64(), rng.Float64()
		switch rng.IntN(4) {
		case 0:
			b = a
		case 1:
			a, b = a*math.Pow(10, -20*rng.Float64()), c
		case 2:
			a *= math.Pow(10, -20*rng.Float64())
		}
		m1, m2, m3, sum := sorted3(a, b, c)
		for _, edge := range []float64{m1, m2, m3, m1 + m2, .5} {
			for _, at := range []float64{math.Nextafter(edge, 0), edge, math.Nextafter(edge, 1)} {
				f := Volume(a, b, c, at*sum)
				if got := Volume(a, b, c, PlaneConstant(a, b, c, f)); !(math.Abs(got-f) <= 1e-14) {
					t.Fatalf("(%v, %v, %v): volume(constant(%v)) is off by %g", a, b, c, f, got-f)
				}
			}
		}
	}
}

func TestVolumeMatchesTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.Float64Range(.05, 1)
		m1, m2, m3, _ := sorted3(part.Draw(t, "a"), part.Draw(t, "b"), part.Draw(t, "c"))
		a := rapid.Float64Range(-.1, 1.1).Draw(t, "alpha")
		if got, want := Volume(m1, m2, m3, a), volumeFormula(m1, m2, m3, a); math.Abs(got-want) > 1e-11 && a < 1 {
			t.Fatalf("volume(%v, %v, %v; %v) = %v, want %v", m1, m2, m3, a, got, want)
		}
	})
}

// TestSymmetriesOfTheVolume proves that a plane without a third component is a line, and that the volumes on both
// sides of a plane add up to 1.
func TestSymmetriesOfTheVolume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.Float64Range(-1, 1)
		mx, my, mz, a := part.Draw(t, "mx"), part.Draw(t, "my"), part.Draw(t, "mz"),
			rapid.Float64Range(-2, 2).Draw(t, "alpha")
		if math.Abs(mx)+math.Abs(my) < 1e-20 {
			t.Skip("a line without a direction")
		}
		for _, c := range []struct{ got, want float64 }{
			{Volume(mx, my, 0, a), Area(mx, my, a)},
			{Volume(-mx, -my, -mz, -a), 1 - Volume(mx, my, mz, a)},
			{Volume(my, mz, mx, a), Volume(mx, my, mz, a)},
			{Volume(-mx, my, mz, a-mx), Volume(mx, my, mz, a)},
			{Area(-mx, -my, -a), 1 - Area(mx, my, a)},
		} {
			if math.Abs(c.got-c.want) > 1e-14 {
				t.Fatalf("%v, want %v", c.got, c.want)
			}
		}
	})
}

// TestKnownConstants has exact values from the tests of InterfaceAdvection.jl.
func TestKnownConstants(t *testing.T) {
	for _, c := range []struct{ mx, my, mz, f, want float64 }{
		{2. / 3, 4. / 3, 0, 5. / 12, 8. / 9}, {2. / 3, -4. / 3, 0, 5. / 12, -4. / 9}, {3, -4, 0, 5. / 6, 1},
		{.5, 1. / 3, 1, 7. / 12, 1}, {1, 1, -1, 47. / 48, 1.5}, {0, 0, 0, .3, .3},
	} {
		if got := PlaneConstant(c.mx, c.my, c.mz, c.f); math.Abs(got-c.want) > 1e-15*4 {
			t.Errorf("constant of (%v, %v, %v) and %v is %v, want %v", c.mx, c.my, c.mz, c.f, got, c.want)
		}
		if c.mz == 0 {
			if got := LineConstant(c.mx, c.my, c.f); math.Abs(got-c.want) > 1e-15*4 {
				t.Errorf("constant of (%v, %v) and %v is %v, want %v", c.mx, c.my, c.f, got, c.want)
			}
		}
	}
}

func TestCubeRoot(t *testing.T) {
	for y := 1.0; y > 1e-320; y *= .73 {
		if got := cubeRoot(y); math.Abs(got/math.Cbrt(y)-1) > 1e-15 {
			t.Fatalf("the cube root of %g is off by %g", y, got/math.Cbrt(y)-1)
		}
	}
}

// bisection is the reference for the analytic constant: 50 steps.
func bisection(mx, my, mz, f float64) float64 {
	lo := math.Min(mx, 0) + math.Min(my, 0) + math.Min(mz, 0)
	hi := math.Max(mx, 0) + math.Max(my, 0) + math.Max(mz, 0)
	for range 50 {
		if mid := (lo + hi) / 2; Volume(mx, my, mz, mid) < f {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

func BenchmarkPlaneConstant(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var in [4096][4]float64
	for i := range in {
		in[i] = [4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.Float64()}
	}
	for _, c := range []struct {
		name     string
		constant func(mx, my, mz, f float64) float64
	}{{"analytic", PlaneConstant[float64]}, {"bisection", bisection}} {
		b.Run(c.name, func(b *testing.B) {
			sum := 0.0
			for i := range b.N {
				p := &in[i%len(in)]
				sum += c.constant(p[0], p[1], p[2], p[3])
			}
			if sum != sum {
				b.Fatal("not a number")
			}
		})
	}
}

// TestSectionsAreSlopesOfTheVolume proves that Length and Section are the derivative of the volume by the distance,
// in cells that are not cubes.
func TestSectionsAreSlopesOfTheVolume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side, part := rapid.Float64Range(.2, 3), rapid.OneOf(rapid.Float64Range(.05, 1), rapid.Float64Range(-1, -.05))
		hx, hy, hz := side.Draw(t, "hx"), side.Draw(t, "hy"), side.Draw(t, "hz")
		mx, my, mz := part.Draw(t, "mx"), part.Draw(t, "my"), part.Draw(t, "mz")
		f := rapid.Float64Range(.01, .99).Draw(t, "f")
		const d = 1e-6
		a := PlaneConstant(mx, my, mz, f)
		want := (Volume(mx, my, mz, a+d) - Volume(mx, my, mz, a-d)) / (2 * d) *
			math.Hypot(math.Hypot(mx/hx, my/hy), mz/hz) * hx * hy * hz
		if got := Section(&Plane[float64]{mx, my, mz, a}, hx, hy, hz); math.Abs(got-want) > 1e-6*(1+want) {
			t.Fatalf("section %v, want %v", got, want)
		}
		a = LineConstant(mx, my, f)
		want = (Area(mx, my, a+d) - Area(mx, my, a-d)) / (2 * d) * math.Hypot(mx/hx, my/hy) * hx * hy
		if got := Length(&Line[float64]{X: mx, Y: my, Alpha: a}, hx, hy); math.Abs(got-want) > 1e-6*(1+want) {
			t.Fatalf("length %v, want %v", got, want)
		}
	})
}
