package shape

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
)

// expressions are bodies with known volumes in the unit square and cube.
var expressions = []struct {
	name, text string
	dim        int
	volume     float64
	tolerance  float64
}{
	{"ball", "(x-0.5)^2 + (y-0.48)^2 + (z-0.51)^2 - 0.09", 3, 4 * math.Pi / 3 * .027, 3e-10},
	{"a ball as a distance", "sqrt((x-0.5)^2 + (y-0.48)^2 + (z-0.51)^2) - 0.3", 3, 4 * math.Pi / 3 * .027, 3e-10},
	{"a ball in a cell", "(x-0.513)^2+(y-0.507)^2+(z-0.49)^2-1e-4", 3, 4 * math.Pi / 3 * 1e-6, 1e-13},
	{"a far smaller one", "hypot(hypot(x-0.513, y-0.507), z-0.49) - 1e-3", 3, 4 * math.Pi / 3 * 1e-9, 1e-14},
	{"ellipsoid, expanded", "x*x/0.16 - 6.25*x + y*y/0.09 - y/0.09 + 4*z*(z-1) + 4.34027777777777778", 3,
		4 * math.Pi / 3 * .4 * .3 * .5, 1e-2},
	{"a film", "abs(z-0.5071) - 1e-3", 3, 2e-3, 1e-14},
	{"a wavy film", "abs(z-0.5071-0.01*sin(6*x)*cos(5*y)) - 1e-4", 3, 2e-4, 1e-9},
	{"a gap", "min(z - 0.5001, 0.5002 - z)*1", 3, .5002, 1},
	{"box", "max(abs(x-0.5)-0.21, abs(y-0.5)-0.32, abs(z-0.5)-0.13)", 3, 8 * .21 * .32 * .13, 1e-12},
	{"octahedron", "abs(x-0.5) + abs(y-0.5) + abs(z-0.5) - 0.4", 3, 4. / 3 * .064, 1e-8},
	{"shell", "abs(sqrt((x-0.5)^2 + (y-0.5)^2 + (z-0.5)^2) - 0.3) - 0.001", 3,
		4 * math.Pi / 3 * (.301*.301*.301 - .299*.299*.299), 1e-9},
	{"rod", "max((x-0.503)^2 + (y-0.497)^2 - 4e-6, abs(z-0.5) - 0.25)", 3, math.Pi * 4e-6 * .5, 2e-9},
	{"disk", "(x-0.5)^2 + (y-0.48)^2 - 0.09", 2, math.Pi * .09, 1e-12},
	{"film", "abs(y-0.5071-0.01*sin(6*x)) - 1e-3", 2, 2e-3, 1e-14},
	{"a spot", "(x-0.513)^2 + (y-0.507)^2 - 1e-8", 2, math.Pi * 1e-8, 1e-14},
	{"spots", "1 - 2*exp(-((x-0.31)^2+(y-0.31)^2)*1e6) - 2*exp(-((x-0.77)^2+(y-0.53)^2)*1e6)", 2,
		2 * math.Pi * math.Ln2 * 1e-6, 1e-9},
	{"square", "abs(x-0.5) + abs(y-0.5) - 0.4", 2, .32, 1e-9},
	{"a step", "x < 0.512 ? -1 : 1", 2, .512, 1e-4},
	{"a wedge", "x > 0.5 ? y - 0.3 : y - 0.4", 2, .35, 1e-4},
	{"a difference", "difference(circle(0.5, 0.5, 0.3), x - y)", 2, math.Pi * .045, 1e-9},
	{"a shape's shell", "difference(sphere(0.5, 0.5, 0.5, 0.3), (x-0.5)^2+(y-0.5)^2+(z-0.5)^2-0.0841)", 3,
		4 * math.Pi / 3 * (.027 - .29*.29*.29), 1e-9},
	{"a box and a plane", "union(box(0.2, 0.2, 0.2, 0.4, 0.4, 0.4), max(z - 0.1, -z))", 3, .108, 1e-9},
	{"not a torus", "intersection(complement(torus(0.5, 0.5, 0.5, 0.3, 0.1)), abs(z - 0.5) - 0.2)", 3,
		.4 - 2*math.Pi*math.Pi*.3*.01, 1e-7},
	{"a slot", "union(slotted-disk(0.5, 0.5, 0.3, 0.1, 0.5), x - 1e-4)", 2, 1e-4 + math.Pi*.09 -
		(.05*math.Sqrt(.09-.0025) + .09*math.Asin(1./6)), 1e-9},
	{"a cylinder cut", "intersection(cylinder(0.5, 0.5, 0.5, 0.3, 1), z - 0.5)", 3, math.Pi * .045, 1e-9},
	{"an ellipse", "union(ellipse(0.5, 0.5, 0.4, 0.2), x - 0)", 2, math.Pi * .08, 1e-10},
}

// TestExpressions proves that fractions of expressions add up to their volumes on several grids, also for parts and
// gaps that are much thinner than a cell, or that cells are reported in which such parts may have been overlooked.
func TestExpressions(t *testing.T) {
	for _, c := range expressions {
		for _, n := range []int{2, 5} {
			v, overlooked := totalFraction(t, c.text, c.dim, n)
			if math.Abs(v-c.volume) > c.tolerance && !(c.name == "rod" && overlooked > 0) {
				t.Errorf("%s, %d cells an axis: got %.15g, want %.15g, off by %.2g, in %d cells parts may be overlooked", c.name,
					n, v, c.volume, v-c.volume, overlooked)
			}
		}
	}
}

// TestWorkOfACellIsBounded proves that a cell with many waves of an expression takes a bounded number of lines and
// boxes, and has the fraction of a million samples up to 1%.
func TestWorkOfACellIsBounded(t *testing.T) {
	for _, c := range []struct {
		text string
		size float64
	}{
		{"sin(25*x)*cos(25*y) + sin(25*y)*cos(25*z) + sin(25*z)*cos(25*x)", 1},
		{"sin(25*x)*cos(25*y) + sin(25*y)*cos(25*z) + sin(25*z)*cos(25*x)", 10},
		{"sin(22.84794657156213*x)*sin(251.32741228718345*y + 1)*sin(27.925268031909273*z + 1) - 0.1", .1},
		{"(x/10 - 1/2)*sin(30*x) + sin(70*y) + sin(50*z)*cos(20*x)", .7},
	} {
		body, _, err := Parse(c.text, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		cell := Cell{Dim: 3, Lo: [3]float64{.3, .2, .1}, H: [3]float64{c.size, c.size, c.size}}
		q := quadrature{tree: body.levels}
		f := q.fraction(&cell)
		if most := maxLines + maxNine + 9; q.lines+q.nine > most || len(q.boxes) > maxBoxes+8 {
			t.Errorf("%s took %d lines and %d boxes", c.text, q.lines, len(q.boxes))
		}
		const n = 100
		inside := 0
		for k := range n * n * n {
			at := cell.Lo
			for d, i := range [3]int{k % n, k / n % n, k / n / n} {
				at[d] += (float64(i) + .5) / n * c.size
			}
			if body.Phi(at[0], at[1], at[2]) < 0 {
				inside++
			}
		}
		if want := float64(inside) / (n * n * n); math.Abs(f-want) > .01 {
			t.Errorf("%s: fraction %g, by samples %g", c.text, f, want)
		}
	}
}

// TestFailuresEndTheWork proves that after a position where an expression could not be evaluated, no cell is divided,
// also of a combination, and that the error names the lowest of such positions.
func TestFailuresEndTheWork(t *testing.T) {
	for _, text := range []string{"sqrt(x - 0.5)", "difference(sqrt(x - 0.5), circle(0.3, 0.4, 0.1))"} {
		body, failed, err := Parse(text, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		boxes := func(x, y float64) int {
			q := quadrature{tree: body.levels}
			q.fraction(&Cell{Dim: 2, Lo: [3]float64{x, y}, H: [3]float64{.25, .25}})
			return len(q.boxes)
		}
		if n := boxes(.75, .25); n != 1 || failed() != nil {
			t.Errorf("%s: a cell where it is real is divided into %d, error %v", text, n, failed())
		}
		boxes(.25, .25)
		if err := failed(); err == nil || !strings.Contains(err.Error(), "x = 0.25, y = 0.25") {
			t.Errorf("%s: error %v", text, err)
		}
		if n := boxes(0, .5); n != 1 {
			t.Errorf("%s: a cell after the position of a failure is divided into %d", text, n)
		}
		boxes(0, 0)
		if err := failed(); err == nil || !strings.Contains(err.Error(), "x = 0, y = 0") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestFillOfBlocks proves that Fill gives the fractions of single cells, and the same bits however the grid is divided
// into blocks.
func TestFillOfBlocks(t *testing.T) {
	const n = 4
	for _, c := range expressions {
		g := &grid.Grid{Dim: c.dim, N: [3]int{n, n, 1}, Hi: [3]float64{1, 1, 0}}
		if c.dim == 3 {
			g.N[2], g.Hi[2] = n, 1
		}
		body, _, err := Parse(c.text, c.dim, nil)
		if err != nil {
			t.Fatal(err)
		}
		fill := func(first, cells int) []float64 {
			size := g.N
			size[0] = cells
			b, err := g.Block([3]int{first}, size, 1)
			if err != nil {
				t.Fatal(err)
			}
			values, err := Fill(t.Context(), b, body, -1, true)
			if err != nil {
				t.Fatal(err)
			}
			return values
		}
		whole := fill(0, n)
		for _, cut := range []int{1, 2} {
			left, right := fill(0, cut), fill(cut, n-cut)
			for i, v := range whole {
				part := left[max(0, min(i/n*cut+i%n, len(left)-1))]
				if i%n >= cut {
					part = right[i/n*(n-cut)+i%n-cut]
				}
				if math.Float64bits(part) != math.Float64bits(v) {
					t.Fatalf("%s: cell %d has %.17g, cut at %d %.17g", c.name, i, v, cut, part)
				}
			}
		}
		for i, v := range whole {
			cell := Cell{Dim: c.dim, Lo: [3]float64{g.Face(0, i%n), g.Face(1, i/n%n), g.Face(2, i/n/n)},
				H: [3]float64{1. / n, 1. / n, 1. / n}}
			if f := body.Fraction(cell); math.Abs(f-v) > 1e-12 {
				t.Fatalf("%s: cell %d has %.17g, alone %.17g", c.name, i, v, f)
			}
		}
	}
}

// BenchmarkExpression compares a ball by an expression with the named shape, and a small one.
func BenchmarkExpression(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"named", "sphere(0.5, 0.48, 0.51, 0.3)"},
		{"expression", "(x-0.5)^2 + (y-0.48)^2 + (z-0.51)^2 - 0.09"},
		{"named, small", "sphere(0.513, 0.507, 0.49, 0.01)"},
		{"expression, small", "(x-0.513)^2+(y-0.507)^2+(z-0.49)^2-1e-4"},
	} {
		b.Run(c.name, func(b *testing.B) {
			body, _, err := Parse(c.text, 3, nil)
			if err != nil {
				b.Fatal(err)
			}
			g := &grid.Grid{Dim: 3, N: [3]int{24, 24, 24}, Hi: [3]float64{1, 1, 1}}
			whole, err := g.Whole(0)
			for b.Loop() && err == nil {
				_, err = Fill(b.Context(), whole, body, -1, true)
			}
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
