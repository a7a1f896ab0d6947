package expr

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestBounds proves that values in a box are within the bounds, and that differences between points along an axis are
// within those of the derivative.
func TestBounds(t *testing.T) {
	for _, src := range []string{
		"x", "3*x - 2*y + z/4", "-x^2 + y^3 - z^-2", "x*y - y*x + x*y*z", "(x - 1)/(y + 3)", "sqrt(x^2 + y^2 + z^2) - 0.3",
		"hypot(x - 0.2, y) - 1", "abs(x) - 0.1", "abs(x*y - z) + abs(y)", "min(x, y, z)", "max(x^2, 1 - y, 0.2)",
		"sin(3*x) + cos(y*5)*tan(z/2)", "exp(x*y) - log(2 + z)", "log10(y + 4) + atan(x*z)", "asin(x/4) + acos(y/4)",
		"sinh(x) - cosh(y)*tanh(z)", "atan2(y, x)", "atan2(x, y - 3)", "floor(x) + ceil(y*2) + sign(z) + step(x)",
		"x % 0.3", "(x + 5) % 20", "(2 + x)^y", "abs(x)^1.5", "(x*x)^0.25", "x > 0.1 ? y : z",
		"not (x > 0.1 and y < 0.2) ? x : 1",
		"0 < x < 1 or z > y ? x*y : 2", "true ? x : y", "pow(x, 3)", "2^x", "x^0", "x^1", "(x - 0.5)^4", "pi*x + t",
	} {
		p, err := Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		checkBounds(t, p, rand.New(rand.NewPCG(1, 2)), 300)
	}
}

// TestBoundsOfAnyExpression is TestBounds for random expressions.
func TestBoundsOfAnyExpression(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p, err := Compile(drawNumber(r, 4))
		if err != nil {
			r.Fatal(err)
		}
		checkBounds(r, p, rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1)), 10)
	})
}

func checkBounds(t interface{ Fatalf(string, ...any) }, p *Program, rng *rand.Rand, boxes int) {
	for range boxes {
		var box [3]Interval
		for d := range box {
			lo := 4*rng.Float64() - 2
			box[d] = Interval{lo, lo + math.Pow(10, -4*rng.Float64())}
		}
		b := p.Bounds(&box)
		at := func() (x [3]float64) {
			for d := range x {
				x[d] = box[d].Lo + rng.Float64()*(box[d].Hi-box[d].Lo)
			}
			return x
		}
		for range 10 {
			x := at()
			v, err := p.Eval(x[0], x[1], x[2], 0)
			if err != nil {
				continue
			}
			if tolerance := 1e-12 * (1 + b.Value.Size()); v < b.Value.Lo-tolerance || v > b.Value.Hi+tolerance {
				t.Fatalf("%s = %v at %v, outside of %v in %v", p, v, x, b.Value, box)
			}
			axis := rng.IntN(3)
			y := x
			y[axis] = at()[axis]
			w, err := p.Eval(y[0], y[1], y[2], 0)
			if dx := y[axis] - x[axis]; err == nil && math.Abs(dx) > 1e-7 {
				slope := (w - v) / dx
				if tolerance := 1e-5 * (1 + b.Slope[axis].Size()); slope < b.Slope[axis].Lo-tolerance ||
					slope > b.Slope[axis].Hi+tolerance {
					t.Fatalf("%s has slope %v along axis %d at %v, outside of %v in %v", p, slope, axis, x, b.Slope[axis], box)
				}
			}
		}
	}
}

// value evaluates a tree.
func (t *Tree) value(x, y, z float64) float64 {
	if t.Leaf != nil {
		return t.Leaf.value(point{x: x, y: y, z: z})
	}
	v := t.Parts[0].value(x, y, z)
	for _, p := range t.Parts[1:] {
		if w := p.value(x, y, z); (w > v) == t.Max {
			v = w
		}
	}
	return v
}

// TestTree proves that a tree has the values of its expression, and how many leaves it has.
func TestTree(t *testing.T) {
	for src, want := range map[string]int{
		"x*y - 1":                            1,
		"abs(y - 0.5 - 0.01*sin(6*x)) - 0.1": 2,
		"max(abs(x) - 0.2, abs(y) - 0.1)":    4,
		"abs(x) + abs(y) + abs(z) - 1":       8,
		"-min(x, y)*2":                       2,
		"min(x, y)/-3 + z":                   2,
		"min(x, y) + max(y, z)":              1,
		"1 - abs(x)":                         2,
		"0.5*(1 - abs(x))":                   2,
		"sqrt(abs(x)) - 1":                   1,
		"abs(x)*y":                           1,
		"abs(abs(x) - 0.5) - 0.2":            4,
		"+max(x, -(+y))":                     2,
	} {
		p, err := Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		tree := p.Tree()
		if got := countLeaves(tree); got != want {
			t.Errorf("%s: got %d leaves, want %d", src, got, want)
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for range 200 {
			x, y, z := 4*rng.Float64()-2, 4*rng.Float64()-2, 4*rng.Float64()-2
			if got, want := tree.value(x, y, z), p.value(point{x: x, y: y, z: z}); math.Abs(got-want) > 1e-14 {
				t.Fatalf("%s: got %v at (%v, %v, %v), want %v", src, got, x, y, z, want)
			}
		}
	}
}

func countLeaves(t *Tree) int {
	if t.Leaf != nil {
		return 1
	}
	n := 0
	for _, p := range t.Parts {
		n += countLeaves(p)
	}
	return n
}
