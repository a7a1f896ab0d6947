package shape

import (
	"math"
	"testing"
)

// totalFraction adds up the fractions of a body in the unit cube, or the unit square, with n cells along each axis. It
// also returns the number of cells in which parts may be overlooked.
func totalFraction(t testing.TB, text string, dim, n int) (sum float64, overlooked int64) {
	t.Helper()
	b, _, err := Parse(text, dim, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := 1 / float64(n)
	c := Cell{Dim: dim, H: [3]float64{h, h, h}}
	layers := 1
	if dim == 3 {
		layers = n
	}
	for k := range layers {
		for j := range n {
			for i := range n {
				c.Lo = [3]float64{float64(i) * h, float64(j) * h, float64(k) * h}
				sum += b.Fraction(c)
			}
		}
	}
	for range dim {
		sum *= h
	}
	return sum, b.Overlooked()
}

// TestCombinedVolumes proves that fractions of analytic bodies and of combinations add up to the known volumes, on
// coarse grids too, for bodies smaller than a cell, for coinciding surfaces, for surfaces in cell faces, and where
// three surfaces meet.
func TestCombinedVolumes(t *testing.T) {
	ball := 4. / 3 * math.Pi * .027
	for _, c := range []struct {
		dim   int
		text  string
		exact float64
	}{
		{3, "sphere(0.5, 0.5, 0.5, 0.3)", ball},
		{3, "sphere(0.51, 0.52, 0.53, 0.01)", 4. / 3 * math.Pi * 1e-6},
		{3, "box(0.2, 0.3, 0.25, 0.71, 0.82, 0.77)", .51 * .52 * .52},
		{3, "ellipsoid(0.5, 0.5, 0.5, 0.4, 0.3, 0.2)", 4. / 3 * math.Pi * .024},
		{3, "torus(0.5, 0.5, 0.5, 0.3, 0.1)", 2 * math.Pi * math.Pi * .3 * .01},
		{3, "intersection(sphere(0.5, 0.5, 0.5, 0.3), plane(0.5, 0.5, 0.5, 1, 2, 3))", ball / 2},
		{3, "intersection(ellipsoid(0.5, 0.5, 0.5, 0.4, 0.3, 0.2), plane(0.5, 0.5, 0.5, -3, 1, 2))", 2. / 3 * math.Pi * .024},
		{3, "intersection(torus(0.5, 0.5, 0.5, 0.3, 0.1), plane(0.5, 0.5, 0.5, 1, 2, 3))", math.Pi * math.Pi * .3 * .01},
		// A ball with a cylindrical hole of radius b: 4π/3·(r²-b²)^(3/2).
		{3, "difference(sphere(0.5, 0.5, 0.5, 0.3), cylinder(0.5, 0.5, 0.5, 0.18, 1))", 4. / 3 * math.Pi * math.Pow(.24, 3)},
		// Steinmetz solids of two and three cylinders.
		{3, "intersection(cylinder(0.5, 0.5, 0.5, 0.3, 0), cylinder(0.5, 0.5, 0.5, 0.3, 1))", 16. / 3 * .027},
		{3, "intersection(cylinder(0.5, 0.5, 0.5, 0.3, 0), cylinder(0.5, 0.5, 0.5, 0.3, 1), cylinder(0.5, 0.5, 0.5, 0.3, 2))",
			8 * (2 - math.Sqrt2) * .027},
		// A corner of the cube cut off by three oblique planes: abc/6.
		{3, "intersection(box(0, 0, 0, 1, 1, 1), plane(0.5, 0, 0, 6, 5, 10))", .5 * .6 * .3 / 6},
		// The same body twice, and one that ends where another begins.
		{3, "union(sphere(0.5, 0.5, 0.5, 0.3), sphere(0.5, 0.5, 0.5, 0.3))", ball},
		{3, "difference(sphere(0.5, 0.5, 0.5, 0.3), sphere(0.5, 0.5, 0.5, 0.3))", 0},
		{3, "union(box(0.1, 0.1, 0.1, 0.5, 0.9, 0.9), box(0.5, 0.1, 0.1, 0.7, 0.9, 0.9))", .6 * .8 * .8},
		{3, "complement(sphere(0.5, 0.5, 0.5, 0.3))", 1 - ball},
		{2, "circle(0.5, 0.5, 0.3)", math.Pi * .09},
		{2, "intersection(circle(0.5, 0.5, 0.3), plane(0.5, 0.5, 1, 2))", math.Pi * .045},
		{2, "slotted-disk(0.5, 0.75, 0.15, 0.05, 0.85)", math.Pi*.0225 - .05*.1 - .025*math.Sqrt(.0225-.000625) -
			.0225*math.Asin(1./6)},
		// A lens of two equal circles, each through the centre of the other.
		{2, "intersection(circle(0.4, 0.5, 0.2), circle(0.6, 0.5, 0.2))", .04 * (2*math.Pi/3 - math.Sqrt(3)/2)},
		// Two crossed ellipses: the area is 4ab·atan(b/a).
		{2, "intersection(ellipse(0.5, 0.5, 0.4, 0.2), ellipse(0.5, 0.5, 0.2, 0.4))", 4 * .08 * math.Atan(.5)},
	} {
		for _, n := range []int{1, 2, 7, 20} {
			if v, _ := totalFraction(t, c.text, c.dim, n); math.Abs(v-c.exact) > 1e-12 {
				t.Errorf("%s, %d cells an axis: %.15g, off by %.2g", c.text, n, v, v/c.exact-1)
			}
		}
	}
}

const eight = "difference(union(sphere(0.5, 0.5, 0.5, 0.3), torus(0.5, 0.5, 0.5, 0.3, 0.1), " +
	"cylinder(0.6, 0.5, 0.5, 0.1, 1), box(0.1, 0.2, 0.3, 0.3, 0.9, 0.7)), union(plane(0.3, 0.2, 0.2, 1, 2, 1), " +
	"ellipsoid(0.6, 0.6, 0.7, 0.1, 0.2, 0.3), sphere(0.7, 0.3, 0.5, 0.2), box(0.4, 0.4, 0, 0.6, 0.6, 1)))"

// TestCombinedOnAllGrids proves that a combination of eight bodies has the same volume on all grids, and that it
// agrees with the recursive division of Divided.
func TestCombinedOnAllGrids(t *testing.T) {
	want, _ := totalFraction(t, eight, 3, 32)
	for _, n := range []int{3, 10} {
		if v, _ := totalFraction(t, eight, 3, n); math.Abs(v/want-1) > 1e-10 {
			t.Errorf("%d cells an axis: %.15g, with 32 it is %.15g", n, v, want)
		}
	}
	b, _, err := Parse(eight, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := b.Divided(Cell{Dim: 3, H: [3]float64{1, 1, 1}}, 6, true); math.Abs(v/want-1) > 5e-3 {
		t.Errorf("Divided returns %g, want %g", v, want)
	}
}

// BenchmarkCombined uses a fine grid: most cells are far from all surfaces, and few have several.
func BenchmarkCombined(b *testing.B) {
	for name, text := range map[string]string{"ball": "sphere(0.5, 0.5, 0.5, 0.3)", "eight": eight,
		"oblique": "intersection(sphere(0.5, 0.5, 0.5, 0.3), plane(0.5, 0.5, 0.5, 1, 2, 3))"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				totalFraction(b, text, 3, 100)
			}
		})
	}
}
