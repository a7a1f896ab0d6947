package expr

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// function has one argument, two, or, if fold is set, two or more.
type function struct {
	one  func(float64) float64
	two  func(a, b float64) float64
	fold bool
}

var functions = map[string]function{
	"abs": {one: math.Abs}, "sign": {one: sign}, "step": {one: step}, "floor": {one: math.Floor}, "ceil": {one: math.Ceil},
	"sqrt": {one: math.Sqrt}, "exp": {one: portable.Exp}, "log": {one: portable.Log}, "log10": {one: math.Log10},
	"sin": {one: math.Sin}, "cos": {one: math.Cos}, "tan": {one: math.Tan},
	"asin": {one: math.Asin}, "acos": {one: math.Acos}, "atan": {one: math.Atan},
	"sinh": {one: portable.Sinh}, "cosh": {one: portable.Cosh}, "tanh": {one: portable.Tanh},
	"atan2": {two: math.Atan2}, "pow": {two: portable.Pow}, "hypot": {two: math.Hypot},
	"min": {two: math.Min, fold: true}, "max": {two: math.Max, fold: true},
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
	for i, a := range n.Arguments {
		t, err := c.number(a)
		if err != nil {
			return term{}, err
		}
		args[i], constant = t.eval, constant && t.constant
	}
	switch {
	case f.one != nil && len(args) == 1:
		g, a := f.one, args[0]
		return term{func(p point) float64 { return g(a(p)) }, constant}, nil
	case f.two != nil && len(args) == 2:
		g, a, b := f.two, args[0], args[1]
		return term{func(p point) float64 { return g(a(p), b(p)) }, constant}, nil
	case f.fold && len(args) > 2:
		g, first, others := f.two, args[0], args[1:]
		return term{func(p point) float64 {
			v := first(p)
			for _, a := range others {
				v = g(v, a(p))
			}
			return v
		}, constant}, nil
	}
	want := "one argument"
	if f.two != nil {
		want = "two arguments"
	}
	if f.fold {
		want += " or more"
	}
	return term{}, failure(n, "%s takes %s, not %d", name.Value, want, len(args))
}
