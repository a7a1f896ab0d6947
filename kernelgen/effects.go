package kernelgen

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// effect finds a call inside e that writes to memory.
func (f *function) effect(e ast.Expr) *ast.CallExpr {
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

// alone tells whether e is the call, at most negated, converted or compared with a constant.
func (f *function) alone(e ast.Expr, call *ast.CallExpr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.alone(e.X, call)
	case *ast.UnaryExpr:
		return f.alone(e.X, call)
	case *ast.BinaryExpr:
		return f.u.pkg.Info.Types[e.Y].Value != nil && f.alone(e.X, call) ||
			f.u.pkg.Info.Types[e.X].Value != nil && f.alone(e.Y, call)
	case *ast.CallExpr:
		if e != call {
			return f.u.pkg.Info.Types[e.Fun].IsType() && f.alone(e.Args[0], call)
		}
		for _, a := range e.Args {
			if f.effect(a) != nil {
				return false
			}
		}
		return f.effect(e.Fun) == nil
	}
	return false
}

func callName(c *ast.CallExpr) string { return types.ExprString(c.Fun) }

// writes tells whether a function stores to memory that its caller sees.
func (u *unit) writes(fn *types.Func) bool {
	fn = fn.Origin()
	if w, ok := u.writers[fn]; ok {
		return w
	}
	u.writers[fn] = false // while it is looked at; recursion is refused elsewhere
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
			found = found || slices.ContainsFunc(n.Lhs, u.indirect)
		case *ast.IncDecStmt:
			found = found || u.indirect(n.X)
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

// indirect tells whether a place is reached through a pointer or a slice.
func (u *unit) indirect(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return u.indirect(e.X)
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		if _, ok := u.pkg.Info.TypeOf(e.X).Underlying().(*types.Pointer); ok {
			return true
		}
		return u.indirect(e.X)
	case *ast.IndexExpr:
		if _, ok := u.pkg.Info.TypeOf(e.X).Underlying().(*types.Array); !ok {
			return true
		}
		return u.indirect(e.X)
	}
	return false
}

// callee is the function that a call names, or nil for conversions, builtins and function values.
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

// stored are the types whose values a kernel may write to memory; all of them if it is not known.
type stored struct {
	types map[*types.TypeName]bool
	all   bool
}

// noteStores finds for each function what the kernels marked lanes that reach it may write.
func (u *unit) noteStores() {
	u.stores = map[*types.Func]stored{}
	for _, k := range u.pkg.Kernels {
		if !k.Lanes {
			continue
		}
		reached := map[*types.Func]bool{}
		of := stored{types: map[*types.TypeName]bool{}}
		u.reach(k.Fn, reached, &of)
		for fn := range reached {
			also := u.stores[fn]
			if also.types == nil {
				also.types = map[*types.TypeName]bool{}
			}
			for t := range of.types {
				also.types[t] = true
			}
			also.all = also.all || of.all
			u.stores[fn] = also
		}
	}
}

func (u *unit) reach(fn *types.Func, reached map[*types.Func]bool, of *stored) {
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
				u.noteStore(l, of)
			}
		case *ast.IncDecStmt:
			u.noteStore(n.X, of)
		case *ast.CallExpr:
			callee := u.callee(n)
			if callee == nil {
				break
			}
			if !u.pkg.IsSource(callee.Pkg()) && u.writes(callee) {
				for _, a := range n.Args {
					u.noteStore(a, of)
				}
			}
			u.reach(callee, reached, of)
		}
		return true
	})
}

// noteStore notes the types of a place that is written, and of all that it is a part of.
func (u *unit) noteStore(place ast.Expr, of *stored) {
	for place != nil {
		t := u.pkg.Info.TypeOf(place)
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			of.types[t.Origin().Obj()] = true
		case *types.TypeParam:
			of.all = of.all || !isNumber(t)
		}
		switch e := ast.Unparen(place).(type) {
		case *ast.SelectorExpr:
			place = e.X
		case *ast.IndexExpr:
			place = e.X
		case *ast.StarExpr:
			place = e.X
		case *ast.UnaryExpr:
			place = e.X
		default:
			place = nil
		}
	}
}

// untouched tells whether an element of a slice is a struct of numbers that no kernel with this function writes, so
// that a copy does for a pointer to it. Not so where there are arrays in it, of which lanes may ask for elements of
// their own.
func (f *function) untouched(e *ast.IndexExpr) bool {
	slice, ok := f.typeOf(e.X).Underlying().(*types.Slice)
	if !ok {
		return false
	}
	n, ok := types.Unalias(slice.Elem()).(*types.Named)
	if !ok || !f.u.value(n) {
		return false
	}
	if s, ok := n.Underlying().(*types.Struct); !ok || holds(s, isArray) {
		return false
	}
	of := f.u.stores[f.out.fn]
	return !of.all && !of.types[n.Origin().Obj()]
}

// isNumber tells whether a type parameter stands for numbers alone.
func isNumber(t *types.TypeParam) bool {
	of := t.Constraint().Underlying().(*types.Interface)
	return types.Satisfies(types.Typ[types.Float64], of) && !types.Satisfies(types.NewStruct(nil, nil), of)
}

func isArray(t types.Type) bool {
	_, ok := t.(*types.Array)
	return ok
}
