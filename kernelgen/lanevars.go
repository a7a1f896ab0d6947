package kernelgen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// lane is an expression as a value: what lies in memory is read.
func (f *function) lane(e ast.Expr) string {
	x := f.value(e)
	if f.u.pkg.Info.Types[e].Value != nil {
		return f.argument(e, x, f.typeOf(e))
	}
	switch f.typeOf(e).Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return x.text
	}
	switch ast.Unparen(e).(type) {
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		return "value(" + x.text + ")"
	}
	return x.text
}

// mutated tells whether a variable, or a part of it, is assigned after its declaration or has its address taken.
func (f *function) mutated(v *types.Var) bool {
	if f.addressed(v) {
		return true
	}
	found := false
	is := func(e ast.Expr) bool {
		r, _ := f.root(e)
		return r == v
	}
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				id, ok := l.(*ast.Ident)
				found = found || is(l) && !(ok && f.u.pkg.Info.Defs[id] == v)
			}
		case *ast.IncDecStmt:
			found = found || is(n.X)
		}
		return !found
	})
	return found
}

// laneDeclare declares a variable of lanes: one that never changes keeps the form of its value.
func (f *function) laneDeclare(at ast.Node, v *types.Var, text string) {
	t := f.subst(v.Type())
	switch {
	case !f.u.value(t):
		if f.assignedLater(v) {
			f.refuse(at, "pointer or slice %s is assigned again, in a kernel marked lanes: use another variable", v.Name())
		}
		f.line("const auto %s = %s;", f.local(v), text)
	case f.mutated(v):
		f.line("Lanes<%s> %s = lanes<%s>(%s);", f.ctype(at, t), f.local(v), f.ctype(at, t), text)
	default:
		f.line("const auto %s = %s;", f.local(v), text)
	}
}

// assignedLater tells whether a variable is assigned apart from its declaration.
func (f *function) assignedLater(v *types.Var) bool {
	found := false
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, l := range a.Lhs {
				id, ok := l.(*ast.Ident)
				found = found || ok && f.u.pkg.Info.Uses[id] == v
			}
		}
		return !found
	})
	return found
}

// laneAssign translates lhs = rhs and lhs := rhs. The values of several come first.
func (f *function) laneAssign(to []target, rhs []ast.Expr) {
	values := make([]string, len(rhs))
	for i, r := range rhs {
		values[i] = f.lane(r)
		if len(rhs) > 1 && f.u.pkg.Info.Types[r].Value == nil && to[i].defines == nil {
			name := f.fresh("value")
			f.line("const auto %s = %s;", name, values[i])
			values[i] = name
		}
	}
	for i, t := range to {
		switch {
		case t.blank:
		case t.defines != nil:
			f.laneDeclare(t.expr, t.defines, values[i])
		default:
			f.laneSet(t.expr, values[i])
		}
	}
}

func (f *function) laneSet(place ast.Expr, value string) {
	f.line("set(%s, %s, %s);", f.mask(), f.expr(place).text, value)
}

// laneSpread assigns the results of one call to several places.
func (f *function) laneSpread(to []target, call ast.Expr) {
	from := f.fresh("results")
	f.line("const auto %s = %s;", from, f.value(call).text)
	for i, t := range to {
		value := fmt.Sprintf("%s.r%d", from, i)
		switch {
		case t.blank:
		case t.defines != nil:
			f.laneDeclare(t.expr, t.defines, value)
		default:
			f.laneSet(t.expr, value)
		}
	}
}

// logic translates && and ||, whose second operand is asked for only where the first leaves it open if it could fail
// elsewhere.
func (f *function) logic(e *ast.BinaryExpr) (cexpr, bool) {
	if !f.u.lanes || e.Op != token.LAND && e.Op != token.LOR || f.u.cost(e.Y) <= cheap {
		return cexpr{}, false
	}
	name := map[token.Token]string{token.LAND: "both", token.LOR: "either"}[e.Op]
	x, outer := f.expr(e.X).text, f.mask()
	f.level++
	y := f.expr(e.Y).text
	inner := f.mask()
	f.level--
	return atom("%s(%s, %s, [&](auto %s) { return %s; })", name, outer, x, inner, y), true
}
