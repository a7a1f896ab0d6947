package expr

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	general "github.com/expr-lang/expr"
	"pgregory.net/rapid"
)

func TestValues(t *testing.T) {
	const x, y, z, time = 2.5, -1.25, 0.75, 3
	for src, want := range map[string]float64{
		"1/2":                          0.5,
		"7 % 4 + 2^3^2":                515,
		"-x^2":                         -6.25,
		"(-x)**2":                      6.25,
		"2^-1":                         0.5,
		"x + y*z - t/2":                x + y*z - time/2.0,
		"pi":                           math.Pi,
		"0x10 + 1e2 + .5":              116.5,
		"x > 0 ? 4.0 : 0.5":            4,
		"x > 0 ?.5:.25":                0.5,
		"x < 0 || y > 0 ? 1 : 2":       2,
		"not (x < 0) and y != 0":       math.NaN(), // a condition: refused below
		"1 < x < 3 ? 1 : 0":            1,
		"1 < x and x < 2 ? 1 : 0":      0,
		"!(x == 2.5) ? 1 : -1":         -1,
		"true ? 1 : 0":                 1,
		"x >= 2.5 ? y <= 0 ? 1:2:3":    1,
		"abs(y) + sign(y) + sign(0)":   0.25,
		"step(x) + step(y) + step(0)":  2,
		"min(x, y, z) + max(x, y)":     1.25,
		"floor(x) + ceil(x)":           5,
		"sqrt(x*x + y*y)":              math.Sqrt(x*x + y*y),
		"hypot(3, 4)":                  5,
		"pow(x, 2) + pow(4, 0.5)":      8.25,
		"exp(0) + log(1) + log10(100)": 3,
		"sin(x) + cos(x) + tan(x)":     math.Sin(x) + math.Cos(x) + math.Tan(x),
		"asin(z) + acos(z) + atan(z)":  math.Asin(z) + math.Acos(z) + math.Atan(z),
		"atan2(y, x)":                  math.Atan2(y, x),
		"sinh(0) + cosh(0) + tanh(0)":  1,
		"sum + all(1)":                 math.NaN(), // the parser's built-in functions are refused
		"depth - 2*h1":                 6 - 2*0.5,
	} {
		p, err := Compile(src, "depth", "h1")
		if math.IsNaN(want) {
			if err == nil {
				t.Errorf("%q compiled", src)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		got, err := p.Eval(x, y, z, time, 6, 0.5)
		if err != nil || got != want {
			t.Errorf("%q = %v, %v; want %v", src, got, err, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for src, want := range map[string]string{
		"":                           "empty",
		" \n":                        "empty",
		"1 +":                        "unexpected token",
		"2 * q":                      `column 5: name "q" is not known; use one of x, y, z, t, pi, h1`,
		"1 +\n w":                    "line 2, column 2",
		"foo(1)":                     `function "foo" is not known; use one of abs, acos,`,
		"sum([1, 2])":                `function "sum" is not known`,
		"sin":                        "sin is a function",
		"sin(1, 2)":                  "sin takes one argument, not 2",
		"atan2(1)":                   "atan2 takes two arguments, not 1",
		"min(1)":                     "min takes two arguments or more, not 1",
		"x > 0":                      "this is a condition",
		"true":                       "this is a condition",
		"not x > 0 ? 1 : 0":          "put parentheses",
		"x ? 1 : 0":                  "a condition is needed here",
		"1 + (x > 0)":                "this is a condition",
		"(x > 0) == (y > 0) ? 1 : 0": "this is a condition",
		`"abc"`:                      "only numbers",
		"[1, 2]":                     "only numbers",
		"x.y":                        "only numbers",
		"let a = 1; a":               "only numbers",
		"1; 2":                       "only numbers",
		"1 .. 3":                     "operator .. does not apply to numbers",
		"x ?? y":                     "operator ?? does not apply to numbers",
		"if x > 0 { 1 } else { 2 }":  "unexpected token",
		"1e999":                      "float",
		"nil":                        "only numbers",
		"99999999999999999999":       "integer",
		"(1":                         "unexpected token",
		strings.Repeat("(0<", 200) + "x" + strings.Repeat("<1 ? 1 : 0)", 200): "chain of comparisons",
		strings.Repeat("1+", 2100): "longer than 4096",
	} {
		_, err := Compile(src, "h1")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %v does not say %q", src, err, want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error of several lines: %v", src, err)
		}
	}
	for _, vars := range [][]string{{"x"}, {"sin"}, {"pi"}, {"a", "a"}} {
		if _, err := Compile("1", vars...); err == nil {
			t.Errorf("variables %q were accepted", vars)
		}
	}
}

func TestNotFinite(t *testing.T) {
	for src, want := range map[string]string{
		"1/(x-1)":       `"1/(x-1)" is infinite at x = 1, y = 2, z = 3, t = 4, h = 5`,
		"sqrt(-x)":      "not a number",
		"log(0)":        "infinite",
		"(-x)^0.5":      "not a number",
		"1e308*10":      "infinite",
		"sign(log(-h))": "not a number",
	} {
		p, err := Compile(src, "h")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Eval(1, 2, 3, 4, 5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v does not say %q", src, err, want)
		}
	}
	p, err := Compile("x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Eval(1, 2, 3, 4, 5); err == nil {
		t.Error("Eval accepted a value without a variable")
	}
}

func TestBranchNotTakenIsNotEvaluated(t *testing.T) {
	p, err := Compile("x > 0 ? 1/x : 0")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := p.Eval(0, 0, 0, 0); v != 0 || err != nil {
		t.Errorf("%v, %v", v, err)
	}
}

func TestUses(t *testing.T) {
	p, err := Compile("h2 + depth*h2 + x", "h1", "h2", "depth")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(p.Uses()); got != "[depth h2]" {
		t.Error(got)
	}
	if !p.Mentions("x") || p.Mentions("t") || p.Mentions("depth") {
		t.Error("got other mentions than x alone")
	}
}

func TestConcurrentUseGivesSameBits(t *testing.T) {
	p, err := Compile("exp(-(x*x + y*y)) * cos(3*x)^1.5 > 0.1 ? tanh(x) : h", "h")
	if err != nil {
		t.Fatal(err)
	}
	var results [8][100]float64
	var wg sync.WaitGroup
	for g := range results {
		wg.Go(func() {
			for i := range results[g] {
				results[g][i], _ = p.Eval(float64(i)/100, 0.3, 0, 0, float64(i))
			}
		})
	}
	wg.Wait()
	for g := range results {
		if results[g] != results[0] {
			t.Errorf("goroutine %d differs", g)
		}
	}
}

// TestAgreesWithGeneralMachine compares arithmetic and conditions with the virtual machine of expr-lang/expr.
func TestAgreesWithGeneralMachine(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		src := drawNumber(r, 5)
		env := map[string]float64{}
		var at [4]float64
		for i, name := range []string{"x", "y", "z", "t"} {
			at[i] = rapid.Float64Range(-3, 3).Draw(r, name)
			env[name] = at[i]
		}
		p, err := Compile(src)
		if err != nil {
			r.Fatal(err)
		}
		got := p.value(point{at[0], at[1], at[2], at[3], nil})
		reference, err := general.Eval(src, env)
		if err != nil {
			r.Fatal(err)
		}
		want := reference.(float64)
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			r.Fatalf("%s = %v, want %v", src, got, want)
		}
	})
}

func drawNumber(r *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 9).Draw(r, "kind")
	switch {
	case kind < 2 || depth == 0:
		return rapid.SampledFrom([]string{"x", "y", "z", "t"}).Draw(r, "name")
	case kind < 4:
		return fmt.Sprintf("%.3f", rapid.Float64Range(0, 9).Draw(r, "literal"))
	case kind == 4:
		return "-" + drawNumber(r, depth-1) + "^2"
	case kind == 5:
		return "(" + drawCondition(r, depth-1) + " ? " + drawNumber(r, depth-1) + " : " + drawNumber(r, depth-1) + ")"
	}
	operator := rapid.SampledFrom([]string{" + ", " - ", " * ", " / "}).Draw(r, "operator")
	return "(" + drawNumber(r, depth-1) + operator + drawNumber(r, depth-1) + ")"
}

func drawCondition(r *rapid.T, depth int) string {
	if depth > 0 && rapid.Bool().Draw(r, "connected") {
		operator := rapid.SampledFrom([]string{" and ", " or "}).Draw(r, "connective")
		return "(" + drawCondition(r, depth-1) + operator + "not " + drawCondition(r, depth-1) + ")"
	}
	operator := rapid.SampledFrom([]string{" < ", " <= ", " > ", " >= ", " == ", " != "}).Draw(r, "comparison")
	return "(" + drawNumber(r, depth) + operator + drawNumber(r, depth) + ")"
}
