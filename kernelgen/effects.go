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
