package expr

import (
	"math"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// Bounds are the values of an expression in a box, and those of its derivatives along x, y and z. They hold all values
// up to round-off, and may hold more. A derivative is unbounded where the expression jumps or is not defined.
type Bounds struct {
	Value Interval
	Slope [3]Interval
}

// Bounds bounds the expression in a box, at t = 0, by interval arithmetic with derivatives (Moore, Interval Analysis,
// 1966). Extra variables have unknown values.
func (p *Program) Bounds(box *[3]Interval) Bounds {
	p.compileBounds.Do(func() { p.bounds = boundsOf(p.node) })
	return p.bounds(box)
}

type bounds func(*[3]Interval) Bounds

func constantBounds(v Interval) Bounds { return Bounds{Value: v} }

// unknown bounds an expression of which only the values are known.
func unknown(v Interval) Bounds {
	return Bounds{v.orEverything(), [3]Interval{everything, everything, everything}}
}

// boundsOf compiles the bounds of a node that compiler.number accepts.
func boundsOf(n ast.Node) bounds {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return fixed(float64(n.Value))
	case *ast.FloatNode:
		return fixed(n.Value)
	case *ast.IdentifierNode:
		return variableBounds(n.Value)
	case *ast.UnaryNode:
		a := boundsOf(n.Node)
		if n.Operator == "+" {
			return a
		}
		return func(b *[3]Interval) Bounds { return a(b).scaled(exactly(-1), Interval.negative) }
	case *ast.BinaryNode:
		return arithmeticBounds(n.Operator, boundsOf(n.Left), boundsOf(n.Right))
	case *ast.ConditionalNode:
		test, yes, no := truthOf(n.Cond), boundsOf(n.Exp1), boundsOf(n.Exp2)
		return func(b *[3]Interval) Bounds {
			switch test(b) {
			case always:
				return yes(b)
			case never:
				return no(b)
			}
			return unknown(yes(b).Value.hull(no(b).Value))
		}
	case *ast.CallNode:
		args := make([]bounds, len(n.Arguments))
		for i, a := range n.Arguments {
			args[i] = boundsOf(a)
		}
		return callBounds(n.Callee.(*ast.IdentifierNode).Value, args)
	}
	return func(*[3]Interval) Bounds { return unknown(everything) }
}

func fixed(v float64) bounds {
	return func(*[3]Interval) Bounds { return constantBounds(exactly(v)) }
}

func variableBounds(name string) bounds {
	switch axis := slices.Index([]string{"x", "y", "z"}, name); {
	case axis >= 0:
		return func(b *[3]Interval) Bounds {
			v := Bounds{Value: b[axis]}
			v.Slope[axis] = exactly(1)
			return v
		}
	case name == "pi":
		return fixed(math.Pi)
	case name == "t":
		return fixed(0)
	}
	return func(*[3]Interval) Bounds { return constantBounds(everything) }
}

// scaled returns bounds of f(a) with the given derivative of f.
func (a Bounds) scaled(derivative Interval, f func(Interval) Interval) Bounds {
	out := Bounds{Value: f(a.Value)}
	for d := range out.Slope {
		out.Slope[d] = a.Slope[d].times(derivative)
	}
	return out
}

// combined returns bounds of f(a, b), whose value and derivatives with respect to a and b are given.
func combined(a, b *Bounds, value, da, db Interval) Bounds {
	out := Bounds{Value: value}
	for d := range out.Slope {
		out.Slope[d] = a.Slope[d].times(da).plus(b.Slope[d].times(db))
	}
	return out
}

func (a *Bounds) isConstant() bool { return a.Value.Lo == a.Value.Hi && a.Slope == [3]Interval{} }

func arithmeticBounds(operator string, left, right bounds) bounds {
	one := exactly(1)
	return func(box *[3]Interval) Bounds {
		a, b := left(box), right(box)
		switch operator {
		case "+":
			return combined(&a, &b, a.Value.plus(b.Value), one, one)
		case "-":
			return combined(&a, &b, a.Value.minus(b.Value), one, exactly(-1))
		case "*":
			return combined(&a, &b, a.Value.times(b.Value), b.Value, a.Value)
		case "/":
			q := a.Value.over(b.Value)
			return combined(&a, &b, q, one.over(b.Value), q.over(b.Value).negative())
		case "%":
			return remainder(&a, &b)
		}
		return power(&a, &b)
	}
}

// remainder bounds a % b, which has the sign of a and jumps where a is a multiple of b.
func remainder(a, b *Bounds) Bounds {
	if b.isConstant() && b.Value.Lo != 0 {
		turns := Interval{math.Trunc(a.Value.Lo / b.Value.Lo), math.Trunc(a.Value.Hi / b.Value.Lo)}
		if turns.Lo == turns.Hi && !a.Value.Has(0) {
			v := a.Value.minus(exactly(turns.Lo * b.Value.Lo))
			return a.scaled(exactly(1), func(Interval) Interval { return v })
		}
	}
	size := b.Value.Size()
	return unknown(Interval{-size, size})
}

// power bounds a^b.
func power(a, b *Bounds) Bounds {
	n := b.Value.Lo
	switch {
	case b.isConstant() && n == math.Trunc(n) && math.Abs(n) <= 1<<20:
		return a.scaled(exactly(n).times(whole(a.Value, n-1)), func(v Interval) Interval { return whole(v, n) })
	case a.Value.Lo > 0:
		log := a.Value.increasing(portable.Log)
		v := b.Value.times(log).increasing(portable.Exp)
		return combined(a, b, v, v.times(b.Value).over(a.Value), v.times(log))
	case b.isConstant() && a.Value.Lo >= 0 && n > 0:
		pow := func(x float64) float64 { return portable.Pow(x, n) }
		if n >= 1 {
			slope := a.Value.increasing(func(x float64) float64 { return n * portable.Pow(x, n-1) })
			return a.scaled(slope, func(v Interval) Interval { return v.increasing(pow) })
		}
		return unknown(a.Value.increasing(pow))
	}
	return unknown(everything)
}

// whole bounds a^n for a whole number n.
func whole(a Interval, n float64) Interval {
	switch {
	case n == 0:
		return exactly(1)
	case n < 0:
		return exactly(1).over(whole(a, -n))
	case n == 2:
		return a.square()
	}
	p, q := portable.Pow(a.Lo, n), portable.Pow(a.Hi, n)
	if math.Mod(n, 2) == 0 && a.Has(0) {
		return Interval{0, max(p, q)}.orEverything()
	}
	return Interval{min(p, q), max(p, q)}.orEverything()
}

// truth says for which points of a box a condition holds.
type truth int

const (
	sometimes truth = iota
	always
	never
)

// truthOf compiles a node that compiler.condition accepts.
func truthOf(n ast.Node) func(*[3]Interval) truth {
	switch n := n.(type) {
	case *ast.BoolNode:
		return func(*[3]Interval) truth { return truthFor(n.Value, !n.Value) }
	case *ast.UnaryNode:
		a := truthOf(n.Node)
		return func(b *[3]Interval) truth { v := a(b); return truthFor(v == never, v == always) }
	case *ast.BinaryNode:
		switch n.Operator {
		case "and", "&&", "or", "||":
			a, b := truthOf(n.Left), truthOf(n.Right)
			decisive, neutral := never, always
			if n.Operator == "or" || n.Operator == "||" {
				decisive, neutral = always, never
			}
			return func(box *[3]Interval) truth {
				switch v, w := a(box), b(box); {
				case v == decisive || w == decisive:
					return decisive
				case v == neutral && w == neutral:
					return neutral
				}
				return sometimes
			}
		}
		return comparisonTruth(n.Operator, boundsOf(n.Left), boundsOf(n.Right))
	}
	return func(*[3]Interval) truth { return sometimes }
}

func truthFor(isAlways, isNever bool) truth {
	switch {
	case isAlways:
		return always
	case isNever:
		return never
	}
	return sometimes
}

func comparisonTruth(operator string, left, right bounds) func(*[3]Interval) truth {
	return func(box *[3]Interval) truth {
		a, b := left(box).Value, right(box).Value
		equal := a.Lo == a.Hi && a == b
		switch operator {
		case "<":
			return truthFor(a.Hi < b.Lo, a.Lo >= b.Hi)
		case "<=":
			return truthFor(a.Hi <= b.Lo, a.Lo > b.Hi)
		case ">":
			return truthFor(a.Lo > b.Hi, a.Hi <= b.Lo)
		case ">=":
			return truthFor(a.Lo >= b.Hi, a.Hi < b.Lo)
		case "==":
			return truthFor(equal, a.Hi < b.Lo || a.Lo > b.Hi)
		}
		return truthFor(a.Hi < b.Lo || a.Lo > b.Hi, equal)
	}
}
