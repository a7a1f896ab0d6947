package expr

import (
	"math"
	"strings"
	"testing"
)

// FuzzCompile proves that a compiled expression yields a finite number or an error, within its bounds, and that its
// text compiles to the same.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{"1/2", "sqrt(x*x + y*y) > 1.5 ? 4.0 : 0.5", "6 - h1", "min(1, 2, t)^-x", "sum([1], #)",
		"let a = 1; a", "x | sin()", "((((1))))", "1 < x < 2 ? 1 : 0", "-+-x", "0x7fffffffffffffff", "x?.y",
		"not not true ? 1 : 0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		p, err := Compile(src, "h1")
		if err != nil {
			if err.Error() == "" {
				t.Error("empty message")
			}
			return
		}
		v, err := p.Eval(0.5, -2, 3, 0, 7)
		if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Errorf("%q gave %v", src, v)
		}
		if err == nil {
			at := &[3]Interval{{0.5, 0.5}, {-2, -2}, {3, 3}}
			if b := p.Bounds(at); !strings.Contains(src, "h1") && !strings.Contains(src, "t") &&
				(v < b.Value.Lo-1e-9*(1+b.Value.Size()) || v > b.Value.Hi+1e-9*(1+b.Value.Size())) {
				t.Errorf("%q is %v, outside of its bounds %v", src, v, b.Value)
			}
			p.Bounds(&[3]Interval{{-1, 1}, {-3, 0}, {2, 1e6}})
			p.Tree()
		}
		again, err := Compile(p.String(), "h1")
		if err != nil {
			t.Fatal(err)
		}
		if w, _ := again.Eval(0.5, -2, 3, 0, 7); math.Float64bits(v) != math.Float64bits(w) {
			t.Errorf("%q gave %v, then %v", src, v, w)
		}
	})
}
