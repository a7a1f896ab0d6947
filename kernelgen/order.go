package kernelgen

import (
	"go/ast"
	"go/token"
	"go/types"
)

// conflict tells whether a parallel assignment, done from left to right one by one, might read something on the way
// that it has already assigned: a value on the right, or an operand of a place on the left. It may say so without need,
// never the other way round.
func (f *function) conflict(to []target, rhs []ast.Expr) (values, places bool) {
	for i, t := range to {
		if t.blank || t.defines != nil {
			continue
		}
		for j := i + 1; j < len(to); j++ {
			values = values || f.mayRead(rhs[j], t.expr)
			places = places || to[j].defines == nil && !to[j].blank && f.operandsRead(to[j].expr, t.expr)
		}
	}
	return values, places
}

// operandsRead tells whether finding the place e, a left side, may read what is stored at place.
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

// mayRead tells whether evaluating e may read what is stored at place.
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
			return true // a method, which may read whatever its receiver points to
		}
		return false
	}
	return true
}

// mayOverlap tells whether two places can share memory. Places inside different fields do not; otherwise a variable of
// the function shares memory with itself alone, unless its address is taken.
func (f *function) mayOverlap(a, b ast.Expr) bool {
	va, fa := f.root(a)
	vb, fb := f.root(b)
	if fa != nil && fb != nil && fa != fb && !compound(f.typeOf(a)) && !compound(f.typeOf(b)) {
		return false
	}
	if va != nil && vb != nil && va != vb {
		return false
	}
	if _, ok := f.typeOf(a).Underlying().(*types.Pointer); ok && va != vb {
		return false // pointers lie in variables alone, never where another pointer leads
	}
	if va != nil && va == vb {
		return true
	}
	local := va
	if local == nil {
		local = vb
	}
	if local != nil && !f.addressed(local) {
		return false
	}
	ta, tb := f.typeOf(a), f.typeOf(b)
	return compound(ta) || compound(tb) || types.Identical(ta, tb)
}

func compound(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// root is the variable that a place lies in, or nil if a pointer or slice leads to it, and the place's last field.
func (f *function) root(e ast.Expr) (*types.Var, *types.Var) {
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
		v, _ := f.root(e.X)
		return v, field
	case *ast.IndexExpr:
		if _, ok := f.typeOf(e.X).Underlying().(*types.Array); ok {
			v, field := f.root(e.X)
			return v, field
		}
	}
	return nil, nil
}

// addressed tells whether the function takes the address of a variable, or of a part of it.
func (f *function) addressed(v *types.Var) bool {
	found := false
	inside := func(e ast.Expr) bool {
		r, _ := f.root(e)
		return r == v
	}
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && inside(n.X)
		case *ast.SelectorExpr:
			if s := f.u.pkg.Info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				_, pointer := f.typeOf(n.X).Underlying().(*types.Pointer)
				found = found || !pointer && inside(n.X)
			}
		}
		return !found
	})
	return found
}
