package kernelgen

import (
	"go/ast"
	"go/token"
	"go/types"
)

// conflict reports whether a parallel assignment, executed as single assignments from left to right, might read
// something that it has already assigned: values is true if a value on the right side reads it, operands if an
// index or pointer on the left side does. It may return true if there is no conflict, but never false if there is
// one.
func (f *function) conflict(to []target, rhs []ast.Expr) (values, operands bool) {
	for i, t := range to {
		if t.blank || t.defines != nil {
			continue
		}
		for j := i + 1; j < len(to); j++ {
			values = values || f.mayRead(rhs[j], t.expr)
			operands = operands || to[j].defines == nil && !to[j].blank && f.operandsRead(to[j].expr, t.expr)
		}
	}
	return values, operands
}

// operandsRead reports whether evaluating the operands of the left side e may read what is stored at place.
func (f *function) operandsRead(e, place ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.operandsRead(e.X, place)
	case *ast.SelectorExpr:
		if _, ok := f.typeOf(e.X).Underlying().(*types.Pointer); ok {
			return f.mayRead(e.X, place)
		}
		return f.operandsRead(e.X, place)
	case *ast.IndexExpr:
		if f.mayRead(e.Index, place) {
			return true
		}
		if _, ok := f.typeOf(e.X).Underlying().(*types.Array); ok {
			return f.operandsRead(e.X, place)
		}
		return f.mayRead(e.X, place)
	case *ast.StarExpr:
		return f.mayRead(e.X, place)
	}
	return false
}

// mayRead reports whether evaluating e may read what is stored at place.
func (f *function) mayRead(e, place ast.Expr) bool {
	if f.u.pkg.Info.Types[e].Value != nil {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f.mayOverlap(e, place)
	case *ast.SelectorExpr:
		return f.mayOverlap(e, place) || f.operandsRead(e, place)
	case *ast.IndexExpr:
		return f.mayOverlap(e, place) || f.operandsRead(e, place)
	case *ast.StarExpr:
		return f.mayOverlap(e, place) || f.mayRead(e.X, place)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return f.operandsRead(ast.Unparen(e.X), place)
		}
		return f.mayRead(e.X, place)
	case *ast.BinaryExpr:
		return f.mayRead(e.X, place) || f.mayRead(e.Y, place)
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			if f.mayRead(x, place) {
				return true
			}
		}
		return false
	case *ast.CallExpr:
		for _, a := range e.Args {
			if f.mayRead(a, place) || holds(f.typeOf(a), isReference) {
				return true
			}
		}
		if s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && f.u.pkg.Info.Selections[s] != nil {
			return true // a method may read everything that its receiver points to
		}
		return false
	}
	return true
}

// mayOverlap reports whether two expressions can refer to the same memory. Different fields never do. A variable of the
// function overlaps only with itself, unless its address is taken.
func (f *function) mayOverlap(a, b ast.Expr) bool {
	va, fa := f.rootVariable(a)
	vb, fb := f.rootVariable(b)
	if fa != nil && fb != nil && fa != fb && !isCompound(f.typeOf(a)) && !isCompound(f.typeOf(b)) {
		return false
	}
	if va != nil && vb != nil && va != vb {
		return false
	}
	if _, ok := f.typeOf(a).Underlying().(*types.Pointer); ok && va != vb {
		return false // pointers are only stored in variables, never in memory that a pointer points to
	}
	if va != nil && va == vb {
		return true
	}
	local := va
	if local == nil {
		local = vb
	}
	if local != nil && !f.isAddressed(local) {
		return false
	}
	ta, tb := f.typeOf(a), f.typeOf(b)
	return isCompound(ta) || isCompound(tb) || types.Identical(ta, tb)
}

func isCompound(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// rootVariable returns the variable that e is a part of, or nil if e is reached through a pointer or slice; and the
// last field of e.
func (f *function) rootVariable(e ast.Expr) (*types.Var, *types.Var) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := f.u.pkg.Info.ObjectOf(e).(*types.Var)
		return v, nil
	case *ast.SelectorExpr:
		var field *types.Var
		if s := f.u.pkg.Info.Selections[e]; s != nil {
			if v, ok := s.Obj().(*types.Var); ok {
				field = v.Origin()
			}
		}
		if _, ok := f.typeOf(e.X).Underlying().(*types.Pointer); ok {
			return nil, field
		}
		v, _ := f.rootVariable(e.X)
		return v, field
	case *ast.IndexExpr:
		if _, ok := f.typeOf(e.X).Underlying().(*types.Array); ok {
			v, field := f.rootVariable(e.X)
			return v, field
		}
	}
	return nil, nil
}

// isAddressed reports whether the function takes the address of a variable or of a part of it.
func (f *function) isAddressed(v *types.Var) bool {
	found := false
	isPart := func(e ast.Expr) bool {
		r, _ := f.rootVariable(e)
		return r == v
	}
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && isPart(n.X)
		case *ast.SelectorExpr:
			if s := f.u.pkg.Info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				_, pointer := f.typeOf(n.X).Underlying().(*types.Pointer)
				found = found || !pointer && isPart(n.X)
			}
		}
		return !found
	})
	return found
}
