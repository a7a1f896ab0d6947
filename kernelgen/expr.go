package kernelgen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// cexpr is a C++ expression and the precedence of its outermost operator.
type cexpr struct {
	text string
	prec int
}

// Precedences of C++, tightest first.
const (
	primary = 16 - iota
	unary
	_
	times
	plus
	shift
	relation
	equality
	bitAnd
	bitXor
	bitOr
	logicalAnd
	logicalOr
	lowest = 0
)

func atom(format string, args ...any) cexpr { return cexpr{fmt.Sprintf(format, args...), primary} }

// atLeast returns the expression, in parentheses if its precedence is lower than p.
func (x cexpr) atLeast(p int) string {
	if x.prec < p {
		return "(" + x.text + ")"
	}
	return x.text
}

// refusedExpr is the translation of an expression that was refused.
var refusedExpr = atom("0")

// value translates an expression of a statement. Go defines the order of calls in an expression and C++ does not, so a
// call with side effects must be the whole expression.
func (f *function) value(e ast.Expr) cexpr {
	if call := f.writingCall(e); call != nil && !f.isWholeExpression(e, call) {
		f.refuse(call, "%s writes to memory and is called inside a larger expression: assign its result to a variable "+
			"first, because C++ leaves open what is evaluated before it", callName(call))
	}
	return f.expr(e)
}

// expr translates an expression.
func (f *function) expr(e ast.Expr) cexpr {
	if tv := f.u.pkg.Info.Types[e]; tv.Value != nil {
		return f.constant(e, tv.Value, f.typeOf(e))
	}
	switch e := e.(type) {
	case *ast.Ident:
		return f.ident(e)
	case *ast.ParenExpr:
		x := f.expr(e.X)
		if x.prec >= unary {
			return x
		}
		return atom("(%s)", x.text)
	case *ast.SelectorExpr:
		return f.selector(e)
	case *ast.IndexExpr:
		return f.index(e)
	case *ast.StarExpr:
		return cexpr{"*" + f.expr(e.X).atLeast(unary), unary}
	case *ast.UnaryExpr:
		return f.unary(e)
	case *ast.BinaryExpr:
		if x, ok := f.logic(e); ok {
			return x
		}
		return f.binary(e)
	case *ast.CallExpr:
		return f.callExpr(e)
	case *ast.CompositeLit:
		return f.composite(e)
	case *ast.FuncLit:
		f.refuse(e, "a function literal: kernels have no closures; declare a function")
	case *ast.SliceExpr:
		return f.slice(e)
	case *ast.TypeAssertExpr:
		f.refuse(e, "a type assertion: kernels have no interfaces")
	default:
		f.refuse(e, "%s is not supported in kernels", types.ExprString(e))
	}
	return refusedExpr
}

func (f *function) ident(e *ast.Ident) cexpr {
	switch obj := f.u.pkg.Info.ObjectOf(e).(type) {
	case *types.Var:
		if source.IsPackageVariable(obj) {
			f.refuse(e, "%s is a package variable: pass it as an argument, or make it a constant", e.Name)
			return refusedExpr
		}
		return atom("%s", f.local(obj))
	case *types.Nil:
		f.refuse(e, "nil: kernels do not compare or hold nil; test the length of a slice")
	case *types.Func:
		f.refuse(e, "%s is used as a value: kernels only call functions", e.Name)
	default:
		f.refuse(e, "%s is not supported in kernels", e.Name)
	}
	return refusedExpr
}

func (f *function) selector(e *ast.SelectorExpr) cexpr {
	s := f.u.pkg.Info.Selections[e]
	if s == nil {
		f.refuse(e, "%s.%s is a variable of a package or a function that is not called: kernels call functions of other "+
			"packages, and use their types and constants", types.ExprString(e.X), e.Sel.Name)
		return refusedExpr
	}
	if s.Kind() != types.FieldVal {
		f.refuse(e, "method %s is used as a value: kernels only call methods", e.Sel.Name)
		return refusedExpr
	}
	x, _ := f.path(e, f.expr(e.X), f.typeOf(e.X), s.Index())
	return x
}

// path selects a field of x by its indices, through embedded structs, and returns the field and its type. x has type t.
func (f *function) path(at ast.Node, x cexpr, t types.Type, indices []int) (cexpr, types.Type) {
	for _, i := range indices {
		dot := "."
		if p, ok := t.Underlying().(*types.Pointer); ok {
			dot, t = "->", p.Elem()
		}
		named, ok := types.Unalias(t).(*types.Named)
		if !ok {
			f.refuse(at, "a field of a struct without a name: declare its type")
			return refusedExpr, types.Typ[types.Int]
		}
		id := "refused"
		if c, ok := f.u.structs[f.u.ctype(at, named)]; ok {
			id = c.fields[named.Origin().Underlying().(*types.Struct).Field(i)]
		}
		if strings.HasPrefix(x.text, "*") && x.prec == unary {
			x = cexpr{"(" + x.text + ")", primary}
		}
		x = cexpr{x.atLeast(primary) + dot + id, primary}
		t = named.Underlying().(*types.Struct).Field(i).Type()
	}
	return x, t
}

func (f *function) index(e *ast.IndexExpr) cexpr {
	x := f.expr(e.X)
	switch t := f.typeOf(e.X).Underlying().(type) {
	case *types.Slice, *types.Array:
	case *types.Pointer:
		x = cexpr{"*" + x.atLeast(unary), unary}
	default:
		f.refuse(e, "an index into %s: kernels index slices and arrays", f.u.typeString(t))
	}
	if f.u.lanes {
		return atom("at(%s, %s, %s)", f.mask(), x.text, f.lane(e.Index))
	}
	return atom("%s[%s]", x.atLeast(primary), f.expr(e.Index).text)
}

// slice translates x[lo:hi] of a slice or of a pointer to an array. Kernels cannot use cap, so the capacity of the
// result is its length.
func (f *function) slice(e *ast.SliceExpr) cexpr {
	var data, length string
	var elem types.Type
	switch t := f.typeOf(e.X).Underlying().(type) {
	case *types.Slice:
		x := f.expr(e.X).atLeast(primary)
		data, length, elem = x+".data", x+".len", t.Elem()
	case *types.Pointer:
		a, ok := types.Unalias(t.Elem()).Underlying().(*types.Array)
		if !ok {
			break
		}
		data, length, elem = f.expr(e.X).atLeast(primary)+"->at", fmt.Sprintf("int64(%d)", a.Len()), a.Elem()
	}
	if elem == nil || e.Slice3 {
		f.refuse(e, "%s: kernels take x[lo:hi] of slices, and of arrays that are pointed to", types.ExprString(e))
		return refusedExpr
	}
	lo := "int64(0)"
	if e.Low != nil {
		lo = "int64(" + f.expr(e.Low).text + ")"
		data += " + " + lo
	}
	if e.High != nil {
		length = "int64(" + f.expr(e.High).text + ")"
	}
	if e.Low != nil {
		length = fmt.Sprintf("sub(%s, %s)", length, lo)
	}
	return atom("Slice<%s>{%s, %s, %s}", f.ctype(e, elem), data, length, length)
}

func (f *function) unary(e *ast.UnaryExpr) cexpr {
	if e.Op == token.AND {
		return f.address(e)
	}
	x := f.expr(e.X)
	t := f.typeOf(e.X)
	switch e.Op {
	case token.ADD:
		return x
	case token.NOT:
		return cexpr{"!" + x.atLeast(unary), unary}
	case token.SUB:
		if source.KindOf(t)&types.IsInteger != 0 && source.KindOf(t)&types.IsUnsigned == 0 {
			return atom("neg(%s)", x.text)
		}
		operand := x.atLeast(unary)
		if strings.HasPrefix(operand, "-") {
			operand = "(" + operand + ")"
		}
		return narrow(cexpr{"-" + operand, unary}, t)
	case token.XOR:
		return narrow(cexpr{"~" + x.atLeast(unary), unary}, t)
	}
	f.refuse(e, "operator %s is not supported in kernels", e.Op)
	return refusedExpr
}

// address translates &x. x must be a variable of the function or a part of its arguments.
func (f *function) address(e *ast.UnaryExpr) cexpr {
	x := ast.Unparen(e.X)
	if _, ok := x.(*ast.CompositeLit); ok {
		f.refuse(e, "the address of a literal: kernels allocate nothing; declare a variable and take its address")
		return refusedExpr
	}
	if id, ok := x.(*ast.Ident); ok {
		if v, ok := f.u.pkg.Info.ObjectOf(id).(*types.Var); ok && f.loopVariables[v] {
			f.refuse(e, "the address of loop variable %s: copy it first, because each iteration of a Go loop has its own",
				id.Name)
		}
	}
	f.checkAddress(x)
	if i, ok := x.(*ast.IndexExpr); ok && f.u.lanes && f.isUnchanged(i) {
		return atom("fetch(%s, %s, %s)", f.mask(), f.expr(i.X).text, f.lane(i.Index))
	}
	return cexpr{"&" + f.expr(x).atLeast(unary), unary}
}

// checkAddress refuses a pointer to a part of a struct that kernels get by value, since C++ could write through it.
func (f *function) checkAddress(e ast.Expr) {
	if p := f.constantBase(e); p != nil && !f.u.passedByValue(f.typeOf(e)) {
		f.refuse(e, "the address of %s, which is a part of a %s that kernels get by value: mark its type "+
			"//atoll:constant or copy it",
			types.ExprString(e), f.u.typeString(p))
	}
}

// composite translates a struct or array literal. Omitted fields are zero.
func (f *function) composite(e *ast.CompositeLit) cexpr {
	t := f.typeOf(e)
	lanes, element := "%s", func(e ast.Expr) string { return f.expr(e).text }
	if f.u.lanes {
		lanes, element = "Lanes<%s>", f.lane
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		name := fmt.Sprintf(lanes, f.ctype(e, t))
		values := make([]string, u.NumFields())
		for i, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				key := f.u.pkg.Info.ObjectOf(kv.Key.(*ast.Ident))
				for j := range u.NumFields() {
					if u.Field(j).Name() == key.Name() {
						i = j
					}
				}
				elt = kv.Value
			}
			values[i] = element(elt)
		}
		if len(e.Elts) == 0 {
			return atom("%s{}", name)
		}
		for i := range values {
			if values[i] == "" {
				values[i] = f.zero(e, u.Field(i).Type())
				if f.u.lanes {
					values[i] = f.initial(e, u.Field(i).Type())
				}
			}
		}
		return atom("%s{%s}", name, strings.Join(values, ", "))
	case *types.Array:
		name := fmt.Sprintf(lanes, f.ctype(e, t))
		var values []string
		for _, elt := range e.Elts {
			if _, ok := elt.(*ast.KeyValueExpr); ok {
				f.refuse(elt, "an array literal with keys: write its elements in order")
				return refusedExpr
			}
			values = append(values, element(elt))
		}
		if len(values) == 0 {
			return atom("%s{}", name)
		}
		return atom("%s{{%s}}", name, strings.Join(values, ", "))
	}
	f.refuse(e, "a literal of type %s: kernels allocate nothing", f.u.typeString(t))
	return refusedExpr
}

// zero returns the zero value of a type as an expression.
func (f *function) zero(at ast.Node, t types.Type) string {
	switch u := f.subst(t).Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Kind() == types.Float32:
			return "0.0f"
		case u.Info()&types.IsFloat != 0:
			return "0.0"
		}
		return "0"
	case *types.Pointer:
		return "nullptr"
	}
	return f.ctype(at, t) + "{}"
}

// narrow converts a uint8 expression, which C++ promotes to int, back to 8 bits.
func narrow(x cexpr, t types.Type) cexpr {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 {
		return atom("uint8(%s)", x.text)
	}
	return x
}
