package shape

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// total adds up volumes over n cells along each axis of the box from lo to hi.
func total(dim, n int, lo, hi float64, fraction func(c Cell) float64) float64 {
	h := (hi - lo) / float64(n)
	c := Cell{Dim: dim, H: [3]float64{h, h, h}}
	sum, volume, depth := 0.0, math.Pow(h, float64(dim)), 1
	if dim == 3 {
		depth = n
	}
	for k := range depth {
		for j := range n {
			for i := range n {
				c.Lo = [3]float64{lo + float64(i)*h, lo + float64(j)*h, 0}
				if dim == 3 {
					c.Lo[2] = lo + float64(k)*h
				}
				sum += fraction(c) * volume
			}
		}
	}
	return sum
}

func TestVolumesByQuadrature(t *testing.T) {
	must := func(b Body, err error) Body {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	expression, _, err := Parse("(x-0.5)^2 + (y-0.48)^2 + (z-0.51)^2 - 0.09", 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		dim, n int
		body   Body
		want   float64
	}{
		{"tangent circle", 2, 16, Ball(.5, .5, 0, .25), math.Pi / 16},
		{"circle", 2, 13, Ball(.47, .53, 0, .31), math.Pi * .31 * .31},
		{"ellipse", 2, 16, must(Ellipsoid(.45, .52, 0, .3, .2, 1)), math.Pi * .06},
		{"box", 2, 16, must(Box([3]float64{.1, .2, -1}, [3]float64{.71, .55, 1})), .61 * .35},
		{"outside of a circle", 2, 16, Complement(Ball(.5, .5, 0, .3)), 1 - math.Pi*.09},
		{"two circles", 2, 16, Union(Ball(.25, .25, 0, .2), Ball(.75, .75, 0, .15)), math.Pi * (.04 + .0225)},
		{"lens", 2, 16, Intersection(Ball(.4, .5, 0, .3), Ball(.6, .5, 0, .3)), .18*math.Acos(1./3) - .2*math.Sqrt(.08)},
		{"ball", 3, 12, Ball(.47, .53, .51, .3), 4 * math.Pi / 3 * .027},
		{"tangent ball", 3, 8, Ball(.5, .5, .5, .25), 4 * math.Pi / 3 / 64},
		{"ellipsoid", 3, 10, must(Ellipsoid(.5, .48, .53, .3, .2, .35)), 4 * math.Pi / 3 * .021},
		{"cylinder along z", 3, 8, must(Cylinder(.5, .47, .5, .3, 2)), math.Pi * .09},
		{"cylinder along x", 3, 8, must(Cylinder(.5, .47, .52, .3, 0)), math.Pi * .09},
		{"box in space", 3, 10, must(Box([3]float64{.1, .2, .3}, [3]float64{.71, .55, .83})), .61 * .35 * .53},
		{"plane", 3, 8, must(HalfSpace(.5, .5, .5, 1, 2, -.7)), .5},
		{"shell", 3, 8, Difference(Ball(.5, .5, .5, .4), Ball(.5, .5, .5, .2)), 4 * math.Pi / 3 * .056},
		{"lens in space", 3, 8, Intersection(Ball(.4, .5, .5, .3), Ball(.6, .5, .5, .3)), 2 * math.Pi / 3 * .04 * .7},
		{"expression", 3, 10, expression, 4 * math.Pi / 3 * .027},
	} {
		tolerance := 1e-12
		if c.name == "expression" {
			tolerance = 1e-11
		}
		if got := total(c.dim, c.n, 0, 1, c.body.Fraction); math.Abs(got/c.want-1) > tolerance {
			t.Errorf("%s: %v, want %v, off by %.1e", c.name, got, c.want, got/c.want-1)
		}
	}
}

// TestVolumesByDividing proves that recursive division converges for bodies with edges and for a torus.
func TestVolumesByDividing(t *testing.T) {
	for _, c := range []struct {
		name   string
		dim, n int
		body   Body
		want   float64
		tol    float64
	}{
		{"circle", 2, 32, Ball(.5, .5, 0, .25), math.Pi / 16, 4e-6},
		{"ring", 2, 32, Difference(Ball(.5, .5, 0, .4), Ball(.5, .5, 0, .2)), math.Pi * .12, 4e-6},
		{"torus", 3, 12, Torus(.5, .5, .5, .3, .12), 2 * math.Pi * math.Pi * .3 * .0144, 2e-3},
	} {
		got := total(c.dim, c.n, 0, 1, func(q Cell) float64 { return c.body.Divided(q, 9-c.dim*2, true) })
		if math.Abs(got/c.want-1) > c.tol {
			t.Errorf("%s: %v, want %v, off by %.1e", c.name, got, c.want, got/c.want-1)
		}
	}
	// The slotted disk of Rudman: the area of the slot within the disk is subtracted.
	r, w, top := .5, .12, 2.85
	slot := w*(top-2.75) + w/2*math.Sqrt(r*r-w*w/4) + r*r*math.Asin(w/2/r)
	got := total(2, 100, 1, 4, func(q Cell) float64 { return SlottedDisk(2, 2.75, r, w, top).Divided(q, 6, true) })
	if want := math.Pi*r*r - slot; math.Abs(got/want-1) > 1e-5 {
		t.Errorf("slotted disk: %v, want %v", got, want)
	}
}

// TestKernelsFillAsDivided proves that the kernels that initialize cells compute the fractions of Divided.
func TestKernelsFillAsDivided(t *testing.T) {
	const n = 24
	for _, planes := range []bool{false, true} {
		b := &kernels.Ball[float64]{Lattice: kernels.Lattice{SY: n, SZ: n * n}, Lo: [3]float64{0, 0, 0},
			H: [3]float64{1. / n, 1. / n, 1. / n}, Centre: [3]float64{.5, .46, 0}, Radius: .25, Levels: 4, Planes: planes}
		body := Ball(.5, .46, 0, .25)
		f := make([]float64, n*n)
		for c := range f {
			kernels.FillDisk2(c%n, c/n, b, f)
			want := body.Divided(Cell{2, [3]float64{float64(c%n) / n, float64(c/n) / n}, b.H}, 4, planes)
			if math.Abs(f[c]-want) > 1e-13 {
				t.Fatalf("cell %d: the kernel has %v, want %v", c, f[c], want)
			}
		}
		b.Centre[2], b.Levels = .5, 2
		body = Ball(.5, .46, .5, .25)
		f = make([]float64, n*n*n)
		for c := range f {
			i, j, k := c%n, c/n%n, c/n/n
			kernels.FillBall3(i, j, k, b, f)
			want := body.Divided(Cell{3, [3]float64{float64(i) / n, float64(j) / n, float64(k) / n}, b.H}, 2, planes)
			if math.Abs(f[c]-want) > 1e-13 {
				t.Fatalf("cell (%d, %d, %d): the kernel has %v, want %v", i, j, k, f[c], want)
			}
		}
	}
}

func TestBadBodies(t *testing.T) {
	_, ellipse := Ellipsoid(0, 0, 0, 1, 0, 1)
	_, box := Box([3]float64{0, 1, 0}, [3]float64{1, 1, 1})
	_, plane := HalfSpace(0, 0, 0, 0, 0, 0)
	_, cylinder := Cylinder(0, 0, 0, 1, 3)
	for name, err := range map[string]error{"ellipse": ellipse, "box": box, "plane": plane, "cylinder": cylinder} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
