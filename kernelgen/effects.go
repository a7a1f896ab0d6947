package kernelgen

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// writingCall returns a call inside e that writes to memory, or nil.
func (f *function) writingCall(e ast.Expr) *ast.CallExpr {
	var found *ast.CallExpr
	ast.Inspect(e, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && found == nil {
			if fn := f.u.callee(c); fn != nil && f.u.writes(fn) {
				found = c
			}
		}
		return found == nil
	})
	return found
}

// isWholeExpression reports whether e is only the call, possibly negated, converted or compared with a constant.
func (f *function) isWholeExpression(e ast.Expr, call *ast.CallExpr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.isWholeExpression(e.X, call)
	case *ast.UnaryExpr:
		return f.isWholeExpression(e.X, call)
	case *ast.BinaryExpr:
		return f.u.pkg.Info.Types[e.Y].Value != nil && f.isWholeExpression(e.X, call) ||
			f.u.pkg.Info.Types[e.X].Value != nil && f.isWholeExpression(e.Y, call)
	case *ast.CallExpr:
		if e != call {
			return f.u.pkg.Info.Types[e.Fun].IsType() && f.isWholeExpression(e.Args[0], call)
		}
		for _, a := range e.Args {
			if f.writingCall(a) != nil {
				return false
			}
		}
		return f.writingCall(e.Fun) == nil
	}
	return false
}

func callName(c *ast.CallExpr) string { return types.ExprString(c.Fun) }

// writes reports whether a function stores to memory that is visible to its caller.
func (u *unit) writes(fn *types.Func) bool {
	fn = fn.Origin()
	if w, ok := u.writers[fn]; ok {
		return w
	}
	u.writers[fn] = false // ends a recursion, which is refused elsewhere
	if !u.pkg.IsSource(fn.Pkg()) {
		return fn.Pkg() != nil && (atomics[fn.FullName()] != "" || fn.Pkg().Path() == source.AtomicsPath &&
			fn.Name() != "Value")
	}
	decl := u.pkg.Decls[fn]
	if decl == nil || decl.Body == nil {
		return false
	}
	found := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, u.isIndirect)
		case *ast.IncDecStmt:
			found = found || u.isIndirect(n.X)
		case *ast.CallExpr:
			if callee := u.callee(n); callee != nil {
				found = found || u.writes(callee)
			}
		}
		return !found
	})
	u.writers[fn] = found
	return found
}

// isIndirect reports whether an expression refers to memory through a pointer or a slice.
func (u *unit) isIndirect(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return u.isIndirect(e.X)
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		if _, ok := u.pkg.Info.TypeOf(e.X).Underlying().(*types.Pointer); ok {
			return true
		}
		return u.isIndirect(e.X)
	case *ast.IndexExpr:
		if _, ok := u.pkg.Info.TypeOf(e.X).Underlying().(*types.Array); !ok {
			return true
		}
		return u.isIndirect(e.X)
	}
	return false
}

// callee returns the function that a call names, or nil for conversions, builtins and function values.
func (u *unit) callee(c *ast.CallExpr) *types.Func {
	fun := ast.Unparen(c.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	fn, _ := u.pkg.Info.Uses[id].(*types.Func)
	return fn
}

// stored is the set of types whose values a function may write to memory.
type stored struct {
	types   map[*types.TypeName]bool
	anyType bool // the types are not known: the function may write values of any type
}

// storesOf returns what a function and the functions that it calls may write to memory.
func (u *unit) storesOf(fn *types.Func) stored {
	s, ok := u.stores[fn]
	if !ok {
		s.types = map[*types.TypeName]bool{}
		u.collectStores(fn, map[*types.Func]bool{}, &s)
		u.stores[fn] = s
	}
	return s
}

// collectStores adds fn and all functions that it calls to reached, and the types that they store to s.
func (u *unit) collectStores(fn *types.Func, reached map[*types.Func]bool, s *stored) {
	fn = fn.Origin()
	decl := u.pkg.Decls[fn]
	if decl == nil || decl.Body == nil || reached[fn] {
		return
	}
	reached[fn] = true
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if u.isIndirect(l) {
					u.recordStore(l, s)
				}
			}
		case *ast.IncDecStmt:
			if u.isIndirect(n.X) {
				u.recordStore(n.X, s)
			}
		case *ast.CallExpr:
			callee := u.callee(n)
			if callee == nil {
				break
			}
			if !u.pkg.IsSource(callee.Pkg()) && u.writes(callee) {
				for _, a := range n.Args {
					u.recordStore(a, s)
				}
			}
			u.collectStores(callee, reached, s)
		}
		return true
	})
}

// recordStore records the types that a store to an expression may change: its own, or the one that it points to, and
// those of the structs and arrays that contain it.
func (u *unit) recordStore(target ast.Expr, s *stored) {
	for target != nil {
		t := u.pkg.Info.TypeOf(target)
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			s.types[t.Origin().Obj()] = true
		case *types.TypeParam:
			s.anyType = s.anyType || !isNumber(t)
		}
		switch e := ast.Unparen(target).(type) {
		case *ast.SelectorExpr:
			target = e.X
		case *ast.IndexExpr:
			target = e.X
		case *ast.StarExpr:
			target = e.X
		case *ast.UnaryExpr:
			target = e.X
		default:
			target = nil
		}
	}
}

// isUnchanged reports whether an element of a slice is a struct of numbers that stays as it is until the function
// returns, so that a pointer to it can be replaced by a copy. Structs with arrays are excluded, since each lane may
// index an array with an index of its own.
func (f *function) isUnchanged(e *ast.IndexExpr) bool {
	slice, ok := f.typeOf(e.X).Underlying().(*types.Slice)
	if !ok {
		return false
	}
	n, ok := types.Unalias(slice.Elem()).(*types.Named)
	if !ok || !f.u.holdsNoReference(n) {
		return false
	}
	if s, ok := n.Underlying().(*types.Struct); !ok || holds(s, isArray) {
		return false
	}
	for r := range f.sig.Results().Variables() {
		if !f.u.holdsNoReference(f.subst(r.Type())) { // a pointer may be used after the function
			return false
		}
	}
	s := f.u.storesOf(f.out.fn)
	return !s.anyType && !s.types[n.Origin().Obj()]
}

// isNumber reports whether a type parameter is constrained to numbers.
func isNumber(t *types.TypeParam) bool {
	constraint := t.Constraint().Underlying().(*types.Interface)
	return types.Satisfies(types.Typ[types.Float64], constraint) && !types.Satisfies(types.NewStruct(nil, nil), constraint)
}

func isArray(t types.Type) bool {
	_, ok := t.(*types.Array)
	return ok
}
