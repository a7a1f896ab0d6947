package kernels

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/solvers/common/geom"
)

// field is a block of volume fractions that is large enough for every stencil around its centre.
type field struct {
	f      []float64
	sy, sz int
	middle int
}

func lineField(mx, my, alpha float64) field {
	q := field{f: make([]float64, 81), sy: 9, middle: 40}
	for k := range q.f {
		q.f[k] = geom.Area(mx, my, alpha-mx*float64(k%9-4)-my*float64(k/9-4))
	}
	return q
}

func planeField(mx, my, mz, alpha float64) field {
	q := field{f: make([]float64, 729), sy: 9, sz: 81, middle: 364}
	for k := range q.f {
		q.f[k] = geom.Volume(mx, my, mz, alpha-mx*float64(k%9-4)-my*float64(k/9%9-4)-mz*float64(k/81-4))
	}
	return q
}

const difference = 0x1p-26

// directionDistance returns the distance between two directions: the largest difference of components of unit vectors.
func directionDistance(a, b [3]float64) float64 {
	la, lb := math.Sqrt(a[0]*a[0]+a[1]*a[1]+a[2]*a[2]), math.Sqrt(b[0]*b[0]+b[1]*b[1]+b[2]*b[2])
	d := 0.0
	for k := range a {
		d = math.Max(d, math.Abs(a[k]/la-b[k]/lb))
	}
	return d
}

// drawMixed draws a normal and a constant for which the centre cell is mixed, with neither phase a sliver.
func drawMixed(t *rapid.T, space bool) (mx, my, mz, alpha float64) {
	part := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{0, 1, -1, .5}))
	mx, my = part.Draw(t, "mx"), part.Draw(t, "my")
	if space {
		mz = part.Draw(t, "mz")
	}
	if math.Abs(mx)+math.Abs(my)+math.Abs(mz) < .01 {
		t.Skip("no direction")
	}
	return mx, my, mz, geom.PlaneConstant(mx, my, mz, rapid.Float64Range(.02, .98).Draw(t, "f"))
}

func TestLinesAreReproduced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mx, my, _, alpha := drawMixed(t, false)
		q := lineField(mx, my, alpha)
		for name, method := range map[string]int32{"ELVIRA": ELVIRA, "LVIRA": LVIRA} {
			x, y := normal2(q.f, q.middle, q.sy, method, difference)
			if d := directionDistance([3]float64{x, y}, [3]float64{mx, my}); d > 1e-12 {
				t.Fatalf("%s: (%v, %v), off by %g", name, x, y, d)
			}
		}
	})
}

func TestPlanesAreReproduced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mx, my, mz, alpha := drawMixed(t, true)
		q := planeField(mx, my, mz, alpha)
		x, y, z := normal3(q.f, q.middle, q.sy, q.sz, LVIRA, difference)
		if d := directionDistance([3]float64{x, y, z}, [3]float64{mx, my, mz}); d > 1e-6 {
			t.Fatalf("LVIRA: (%v, %v, %v), off by %g", x, y, z, d)
		}
		// ELVIRA needs columns along one axis that end within three cells.
		steepest := max(math.Abs(mx), math.Abs(my), math.Abs(mz))
		x, y, z = normal3(q.f, q.middle, q.sy, q.sz, ELVIRA, difference)
		if d := directionDistance([3]float64{x, y, z}, [3]float64{mx, my,
			mz}); math.Abs(mx)+math.Abs(my)+math.Abs(mz) < 4./3*steepest && d > 1e-12 {
			t.Fatalf("ELVIRA: (%v, %v, %v), off by %g", x, y, z, d)
		}
	})
}

// TestNormalsTurnWithTheField proves that a rotated or mirrored field has the rotated or mirrored gradient. (For
// methods that select among candidates, round-off decides between equally good ones.)
func TestNormalsTurnWithTheField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := field{f: make([]float64, 729), sy: 9, sz: 81, middle: 364}
		rotated, mirrored := field{f: make([]float64, 729)}, field{f: make([]float64, 729)}
		c := rapid.SliceOfN(rapid.Float64Range(-1, 1), 4, 4).Draw(t, "shape")
		for k := range q.f {
			x, y, z := float64(k%9-4), float64(k/9%9-4), float64(k/81-4)
			q.f[k] = math.Max(0, math.Min(1, .5-c[0]*x-c[1]*y-c[2]*z-c[3]*(x*x+y*y*.7+z*z*.4)/8))
		}
		for k := range q.f {
			x, y, z := k%9, k/9%9, k/81
			rotated.f[y+9*z+81*x] = q.f[k] // turned: (x, y, z) becomes (y, z, x)
			mirrored.f[8-x+9*y+81*z] = q.f[k]
		}
		mx, my, mz := normal3(q.f, q.middle, 9, 81, Youngs, difference)
		x, y, z := normal3(rotated.f, q.middle, 9, 81, Youngs, difference)
		u, v, w := normal3(mirrored.f, q.middle, 9, 81, Youngs, difference)
		if math.Abs(mx)+math.Abs(my)+math.Abs(mz) < 1e-2 {
			t.Skip("no direction")
		}
		if d := math.Max(directionDistance([3]float64{my, mz, mx}, [3]float64{x, y, z}),
			directionDistance([3]float64{-mx, my, mz}, [3]float64{u, v, w})); d > 1e-9 {
			t.Fatalf("(%v, %v, %v), turned (%v, %v, %v), mirrored (%v, %v, %v)", mx, my, mz, x, y, z, u, v, w)
		}
	})
}

// TestDropletOfOneCell proves that Youngs' normal of a droplet of one cell, which has no gradient, is zero, and the
// cell a uniform mixture.
func TestDropletOfOneCell(t *testing.T) {
	q := field{f: make([]float64, 729), sy: 9, sz: 81, middle: 364}
	q.f[q.middle] = .3
	for method := Youngs; method <= Heights; method++ {
		mx, my, mz := normal3(q.f, q.middle, 9, 81, method, difference)
		if v := geom.Volume(mx, my, mz, geom.PlaneConstant(mx, my, mz, .3)); math.Abs(v-.3) > 1e-14 {
			t.Errorf("way %d: normal (%v, %v, %v), volume %v", method, mx, my, mz, v)
		}
		x, y := normal2(q.f[324:405], 40, 9, method, difference)
		if v := geom.Area(x, y, geom.LineConstant(x, y, .3)); math.Abs(v-.3) > 1e-14 {
			t.Errorf("way %d in the plane: normal (%v, %v), area %v", method, x, y, v)
		}
	}
	if mx, my, mz := normal3(q.f, q.middle, 9, 81, Youngs, difference); mx != 0 || my != 0 || mz != 0 {
		t.Errorf("Youngs: (%v, %v, %v)", mx, my, mz)
	}
}

// TestMatchingIsTheAnalyticLine proves that the polygons of the look-up table have the areas of the formula, and that
// the matched line has the volume fraction.
func TestMatchingIsTheAnalyticLine(t *testing.T) {
	cases := Cases()
	// {1, 2, 0, 2, 2, 3, -1, -1} and {2, 3, 2, 0, 2, 1, 3, -1} from right to left
	if len(cases) != 16 || cases[8] != 0xff322021 || cases[12] != 0xf3120232 {
		t.Error("rows 8 and 12 are not those of Figure 2")
	}
	rapid.Check(t, func(t *rapid.T) {
		hx, hy := rapid.Float64Range(.1, 3).Draw(t, "hx"), rapid.Float64Range(.1, 3).Draw(t, "hy")
		gx, gy := rapid.Float64Range(-1, 1).Draw(t, "gx"), rapid.Float64Range(-1, 1).Draw(t, "gy")
		edges := rapid.SampledFrom([]float64{0, 1e-300, 1e-17, 1 - 0x1p-53, 1})
		f := rapid.OneOf(rapid.Float64Range(0, 1), edges).Draw(t, "f")
		if math.Hypot(gx, gy) < 1e-6 {
			t.Skip("no gradient")
		}
		one := func(v float64) []float64 { return []float64{v} }
		m := &Matching[float64]{H: [3]float64{hx, hy}, Tolerance: 1e-14, Cases: cases, F: one(f), DX: one(gx), DY: one(gy),
			Rho: one(0), Iterations: make([]int32, 1), All: true}
		Match2(0, 0, m)
		// With ξ = x/h + 1/2 the fluid n·x + ρ ≥ 0 is m·ξ ≤ α, m = -n h, α = ρ - n·h/2.
		l := math.Hypot(gx, gy)
		mx, my := -gx/l*hx, -gy/l*hy
		alpha := m.Rho[0] + (mx+my)/2
		if got := geom.Area(mx, my, alpha); math.Abs(got-f) > 1e-13 || m.Iterations[0] < 1 || m.Iterations[0] > 8 {
			t.Fatalf("ρ = %v after %d polygons, area %v, want %v", m.Rho[0], m.Iterations[0], got, f)
		}
	})
}

// TestCurvatureOfCircles proves that the heights of a circle give its curvature with second order.
func TestCurvatureOfCircles(t *testing.T) {
	for _, r := range []float64{8, 16, 32} {
		b := &Ball[float64]{Lattice: Lattice{Origin: 0, SY: 128}, H: [3]float64{1, 1, 1}, Centre: [3]float64{64.2, 63.7, 0},
			Radius: r, Levels: 9, Planes: true}
		f := make([]float64, 128*128)
		for c := range f {
			FillDisk2(c%128, c/128, b, f)
		}
		worst, count := 0.0, 0
		for c := range f {
			if f[c] > 0 && f[c] < 1 {
				if _, _, k, ok := heights2(f, c, 128, 1, 1); ok {
					worst, count = math.Max(worst, math.Abs(k*r-1)), count+1
				}
			}
		}
		if bound := 2.5 / r / r * 2; worst > bound || count < int(4*r) {
			t.Errorf("radius %g: %d curvatures, worst is off by %.2g, more than %.2g", r, count, worst, bound)
		}
	}
}
