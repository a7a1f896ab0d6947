package expr

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// function has one argument (unary), two (binary) or, if isVariadic is set, two or more, which binary combines from
// left to right.
type function struct {
	unary      func(float64) float64
	binary     func(a, b float64) float64
	isVariadic bool
}

var functions = map[string]function{
	"abs": {unary: math.Abs}, "sign": {unary: sign}, "step": {unary: step}, "floor": {unary: math.Floor},
	"ceil": {unary: math.Ceil},
	"sqrt": {unary: math.Sqrt}, "exp": {unary: portable.Exp}, "log": {unary: portable.Log}, "log10": {unary: math.Log10},
	"sin": {unary: math.Sin}, "cos": {unary: math.Cos}, "tan": {unary: math.Tan},
	"asin": {unary: math.Asin}, "acos": {unary: math.Acos}, "atan": {unary: math.Atan},
	"sinh": {unary: portable.Sinh}, "cosh": {unary: portable.Cosh}, "tanh": {unary: portable.Tanh},
	"atan2": {binary: math.Atan2}, "pow": {binary: portable.Pow}, "hypot": {binary: math.Hypot},
	"min": {binary: math.Min, isVariadic: true}, "max": {binary: math.Max, isVariadic: true},
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x // keeps NaN
}

func step(x float64) float64 {
	switch {
	case x >= 0:
		return 1
	case x < 0:
		return 0
	}
	return x
}

func (c *compiler) call(n *ast.CallNode) (term, error) {
	name, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return term{}, failure(n, "only functions can be called")
	}
	f, ok := functions[name.Value]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(functions)), ", ")
		return term{}, failure(n, "function %q is not known; use one of %s", name.Value, known)
	}
	args, constant := make([]number, len(n.Arguments)), true
	terms := make([]term, len(n.Arguments))
	for i, a := range n.Arguments {
		t, err := c.number(a)
		if err != nil {
			return term{}, err
		}
		terms[i], args[i], constant = t, t.eval, constant && t.constant
	}
	if len(terms) > 0 {
		c.breaksOf(name.Value, terms)
	}
	switch {
	case f.unary != nil && len(args) == 1:
		g, a := f.unary, args[0]
		return term{eval: func(p point) float64 { return g(a(p)) }, constant: constant}, nil
	case f.binary != nil && len(args) == 2:
		g, a, b := f.binary, args[0], args[1]
		return term{eval: func(p point) float64 { return g(a(p), b(p)) }, constant: constant}, nil
	case f.isVariadic && len(args) > 2:
		g, first, others := f.binary, args[0], args[1:]
		return term{constant: constant, eval: func(p point) float64 {
			v := first(p)
			for _, a := range others {
				v = g(v, a(p))
			}
			return v
		}}, nil
	}
	want := "one argument"
	if f.binary != nil {
		want = "two arguments"
	}
	if f.isVariadic {
		want += " or more"
	}
	return term{}, failure(n, "%s takes %s, not %d", name.Value, want, len(args))
}
