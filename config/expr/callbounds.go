package expr

import (
	"math"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// callBounds compiles the bounds of a call of one of the functions.
func callBounds(name string, args []bounds) bounds {
	first := args[0]
	if f, ok := smoothFunctions[name]; ok {
		return func(b *[3]Interval) Bounds {
			a := first(b)
			value, derivative := f(a.Value)
			return a.scaled(derivative, func(Interval) Interval { return value })
		}
	}
	switch name {
	case "floor", "ceil", "sign", "step":
		f := functions[name].unary
		return func(b *[3]Interval) Bounds {
			v := first(b).Value.increasing(f)
			if v.Lo == v.Hi {
				return constantBounds(v)
			}
			return unknown(v)
		}
	case "abs":
		return func(b *[3]Interval) Bounds {
			a := first(b)
			minus := a.scaled(exactly(-1), Interval.negative)
			return larger(&a, &minus)
		}
	case "min", "max", "hypot", "pow", "atan2":
		pair := pairs[name]
		return func(b *[3]Interval) Bounds {
			v := first(b)
			for _, arg := range args[1:] {
				w := arg(b)
				v = pair(&v, &w)
			}
			return v
		}
	}
	return func(*[3]Interval) Bounds { return unknown(everything) }
}

// pairs bound functions of two numbers.
var pairs = map[string]func(a, b *Bounds) Bounds{
	"max": larger,
	"min": func(a, b *Bounds) Bounds {
		c, d := a.scaled(exactly(-1), Interval.negative), b.scaled(exactly(-1), Interval.negative)
		return larger(&c, &d).scaled(exactly(-1), Interval.negative)
	},
	"hypot": func(a, b *Bounds) Bounds {
		v := root(a.Value.square().plus(b.Value.square()))
		unit := Interval{-1, 1}
		da, db := unit, unit
		if v.Lo > 0 {
			da, db = a.Value.over(v).within(unit), b.Value.over(v).within(unit)
		}
		return combined(a, b, v, da, db)
	},
	"pow": power,
	"atan2": func(a, b *Bounds) Bounds {
		y, x := a.Value, b.Value
		if square := x.square().plus(y.square()); square.Lo > 0 && !(x.Lo < 0 && y.Has(0)) {
			corners := [4]float64{math.Atan2(y.Lo, x.Lo), math.Atan2(y.Lo, x.Hi), math.Atan2(y.Hi, x.Lo), math.Atan2(y.Hi, x.Hi)}
			v := Interval{min(corners[0], corners[1], corners[2], corners[3]),
				max(corners[0], corners[1], corners[2], corners[3])}
			return combined(a, b, v.orEverything(), x.over(square), y.over(square).negative())
		}
		return unknown(Interval{-math.Pi, math.Pi})
	},
}

// larger bounds max(a, b).
func larger(a, b *Bounds) Bounds {
	switch {
	case a.Value.Lo > b.Value.Hi:
		return *a
	case b.Value.Lo > a.Value.Hi:
		return *b
	}
	out := Bounds{Value: Interval{max(a.Value.Lo, b.Value.Lo), max(a.Value.Hi, b.Value.Hi)}}
	for d := range out.Slope {
		out.Slope[d] = a.Slope[d].hull(b.Slope[d])
	}
	return out
}

func (a Interval) within(limits Interval) Interval {
	return Interval{max(a.Lo, limits.Lo), min(a.Hi, limits.Hi)}.orEverything()
}

// root bounds the square root; numbers below 0 are ignored.
func root(a Interval) Interval {
	return Interval{math.Max(a.Lo, 0), a.Hi}.increasing(math.Sqrt)
}

// smoothFunctions bound the value and the derivative of functions of one number.
var smoothFunctions = map[string]func(a Interval) (value, derivative Interval){
	"sqrt": func(a Interval) (value, derivative Interval) {
		v := root(a)
		return v, exactly(.5).over(v)
	},
	"exp": func(a Interval) (value, derivative Interval) {
		v := a.increasing(portable.Exp)
		return v, v
	},
	"log": func(a Interval) (value, derivative Interval) {
		return Interval{math.Max(a.Lo, 0), a.Hi}.increasing(portable.Log), exactly(1).over(a)
	},
	"log10": func(a Interval) (value, derivative Interval) {
		return Interval{math.Max(a.Lo, 0), a.Hi}.increasing(math.Log10), exactly(1 / math.Ln10).over(a)
	},
	"sin": func(a Interval) (value, derivative Interval) { return a.sine(0), a.sine(math.Pi / 2) },
	"cos": func(a Interval) (value, derivative Interval) { return a.sine(math.Pi / 2), a.sine(math.Pi) },
	"tan": func(a Interval) (value, derivative Interval) {
		if reaches(a.Lo, a.Hi, math.Pi/2) || reaches(a.Lo, a.Hi, -math.Pi/2) {
			return everything, everything
		}
		v := a.increasing(math.Tan)
		return v, exactly(1).plus(v.square())
	},
	"asin": func(a Interval) (value, derivative Interval) {
		a = a.within(Interval{-1, 1})
		return a.increasing(math.Asin), exactly(1).over(root(exactly(1).minus(a.square())))
	},
	"acos": func(a Interval) (value, derivative Interval) {
		a = a.within(Interval{-1, 1})
		minus := func(x float64) float64 { return -math.Acos(x) }
		return a.increasing(minus).negative(), exactly(-1).over(root(exactly(1).minus(a.square())))
	},
	"atan": func(a Interval) (value, derivative Interval) {
		return a.increasing(math.Atan), exactly(1).over(exactly(1).plus(a.square()))
	},
	"sinh": func(a Interval) (value, derivative Interval) { return a.increasing(portable.Sinh), coshOf(a) },
	"cosh": func(a Interval) (value, derivative Interval) { return coshOf(a), a.increasing(portable.Sinh) },
	"tanh": func(a Interval) (value, derivative Interval) {
		v := a.increasing(portable.Tanh)
		return v, exactly(1).minus(v.square())
	},
}

func coshOf(a Interval) Interval {
	p, q := portable.Cosh(a.Lo), portable.Cosh(a.Hi)
	if a.Has(0) {
		return Interval{1, max(p, q)}.orEverything()
	}
	return Interval{min(p, q), max(p, q)}.orEverything()
}
