package kernelgen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

func (f *function) declaration(s *ast.DeclStmt) {
	d := s.Decl.(*ast.GenDecl)
	switch d.Tok {
	case token.CONST: // constants are folded
	case token.TYPE:
		f.refuse(s, "a type inside a function: declare it at package level")
	case token.VAR:
		for _, spec := range d.Specs {
			v := spec.(*ast.ValueSpec)
			var lhs []ast.Expr
			for _, n := range v.Names {
				lhs = append(lhs, n)
			}
			if len(v.Values) > 0 {
				f.assign(v, lhs, v.Values)
				continue
			}
			var list declarations
			for _, n := range v.Names {
				if obj, ok := f.u.pkg.Info.Defs[n].(*types.Var); ok && n.Name != "_" && f.u.lanes {
					f.line("Lanes<%s> %s = {};", f.ctype(n, obj.Type()), f.local(obj))
					continue
				}
				if obj, ok := f.u.pkg.Info.Defs[n].(*types.Var); ok && n.Name != "_" {
					list.add(f.ctype(n, obj.Type()), f.local(obj), f.initial(n, obj.Type()))
				}
			}
			list.write(f)
		}
	}
}

// initial returns the zero value of a type as the initializer of a declaration.
func (f *function) initial(at ast.Node, t types.Type) string {
	switch f.subst(t).Underlying().(type) {
	case *types.Struct, *types.Array, *types.Slice:
		return "{}"
	}
	return f.zero(at, t)
}

// declarations joins consecutive variables of the same type into one line.
type declarations []struct{ ctype, list string }

func (d *declarations) add(ctype, name, value string) {
	if n := len(*d); n > 0 && (*d)[n-1].ctype == ctype {
		star := ""
		if strings.HasSuffix(ctype, "*") {
			star = "*"
		}
		(*d)[n-1].list += fmt.Sprintf(", %s%s = %s", star, name, value)
		return
	}
	*d = append(*d, struct{ ctype, list string }{ctype, fmt.Sprintf("%s = %s", declare(ctype, name), value)})
}

func (d declarations) write(f *function) {
	for _, one := range d {
		f.line("%s;", one.list)
	}
}

func (f *function) assignment(s *ast.AssignStmt) {
	switch s.Tok {
	case token.DEFINE, token.ASSIGN:
		f.assign(s, s.Lhs, s.Rhs)
	default:
		f.compound(s, s.Lhs[0], s.Rhs[0], s.Tok)
	}
}

// target is the left side of an assignment.
type target struct {
	expr    ast.Expr
	blank   bool
	defines *types.Var // a new variable, or nil
}

func (f *function) target(e ast.Expr) target {
	t := target{expr: ast.Unparen(e)}
	if id, ok := t.expr.(*ast.Ident); ok {
		t.blank = id.Name == "_"
		t.defines, _ = f.u.pkg.Info.Defs[id].(*types.Var)
	}
	return t
}

// assign translates lhs = rhs and lhs := rhs. Go evaluates the right side and the operands on the left before it
// assigns. If that makes a difference, the values are stored in temporaries first.
func (f *function) assign(at ast.Node, lhs, rhs []ast.Expr) {
	var to []target
	for _, e := range lhs {
		t := f.target(e)
		if t.defines == nil && !t.blank {
			f.checkWritable(t.expr)
		}
		to = append(to, t)
	}
	if len(rhs) == 1 && len(lhs) > 1 {
		if f.u.lanes {
			f.laneSpread(to, rhs[0])
			return
		}
		f.spread(at, to, rhs[0])
		return
	}
	if len(rhs) > 1 {
		for _, r := range rhs {
			if c := f.writingCall(r); c != nil {
				f.refuse(c, "%s writes to memory and is called in a parallel assignment: assign its result on a line of its own",
					callName(c))
				return
			}
		}
	}
	if f.u.lanes {
		f.laneAssign(to, rhs)
		return
	}
	f.store(to, rhs)
}

// store assigns values to targets. It uses temporaries if an assignment would overwrite an operand of a later one.
func (f *function) store(to []target, rhs []ast.Expr) {
	values := make([]string, len(rhs))
	lvalues := make([]string, len(rhs))
	for i, r := range rhs {
		values[i] = f.value(r).text
	}
	clobbered, moved := f.conflict(to, rhs)
	for i, t := range to {
		if _, ok := t.expr.(*ast.Ident); moved && !ok {
			lvalues[i] = f.newName("place")
			f.line("%s = %s;", declare(f.ctype(t.expr, f.typeOf(t.expr))+" &", lvalues[i]), f.expr(t.expr).text)
		}
	}
	if clobbered || moved {
		var list declarations
		for i, r := range rhs {
			if f.u.pkg.Info.Types[r].Value == nil {
				name := f.newName("value")
				list.add("const "+f.ctype(r, f.valueType(to[i], r)), name, values[i])
				values[i] = name
			}
		}
		list.write(f)
	}
	var list declarations
	for i, t := range to {
		switch {
		case t.blank:
			list.write(f)
			list = nil
			f.line("(void)(%s);", values[i])
		case t.defines != nil:
			list.add(f.ctype(t.expr, t.defines.Type()), f.local(t.defines), values[i])
		default:
			list.write(f)
			list = nil
			if lvalues[i] == "" {
				lvalues[i] = f.expr(t.expr).text
			}
			f.line("%s = %s;", lvalues[i], values[i])
		}
	}
	list.write(f)
}

// valueType returns the type of a value after its assignment to t.
func (f *function) valueType(t target, r ast.Expr) types.Type {
	switch {
	case t.blank:
		return f.typeOf(r)
	case t.defines != nil:
		return f.subst(t.defines.Type())
	}
	return f.typeOf(t.expr)
}

// spread assigns the results of one call to several targets.
func (f *function) spread(at ast.Node, to []target, call ast.Expr) {
	allNew := !slices.ContainsFunc(to, func(t target) bool { return t.defines == nil && !t.blank })
	value := f.value(call).text
	if allNew {
		var names []string
		for _, t := range to {
			if t.blank {
				names = append(names, f.newName("unused"))
			} else {
				names = append(names, f.local(t.defines))
			}
		}
		f.line("auto [%s] = %s;", strings.Join(names, ", "), value)
		return
	}
	results := f.newName("results")
	f.line("const auto %s = %s;", results, value)
	for i, t := range to {
		switch {
		case t.blank:
		case t.defines != nil:
			f.line("%s = %s.r%d;", declare(f.ctype(at, t.defines.Type()), f.local(t.defines)), results, i)
		default:
			f.line("%s = %s.r%d;", f.expr(t.expr).text, results, i)
		}
	}
}

// compound translates x op= y. Evaluating x has no side effects, so it may appear twice.
func (f *function) compound(at ast.Node, x, y ast.Expr, tok token.Token) {
	f.checkWritable(ast.Unparen(x))
	op := tok + token.ADD - token.ADD_ASSIGN
	if c := f.writingCall(y); c != nil {
		f.refuse(c, "%s writes to memory and is called in %s: assign its result to a variable first", callName(c), tok)
		return
	}
	t := f.typeOf(x)
	if f.u.lanes {
		f.laneSet(x, f.arith(at, op, t, x, y).text)
		return
	}
	plain := source.KindOf(t)&types.IsFloat != 0 || !f.needsHelper(at, op, t, y) && source.Sizes.Sizeof(t) > 1
	lvalue := f.expr(x).text
	switch {
	case plain && op == token.AND_NOT:
		f.line("%s &= ~%s;", lvalue, f.expr(y).atLeast(unary))
	case plain:
		f.line("%s %s %s;", lvalue, tok, f.expr(y).text)
	default:
		f.line("%s = %s;", lvalue, f.arith(at, op, t, x, y).text)
	}
}

// step translates x++ and x--.
func (f *function) step(s *ast.IncDecStmt) {
	f.checkWritable(ast.Unparen(s.X))
	t := f.typeOf(s.X)
	lvalue := f.expr(s.X).text
	if f.u.lanes {
		op := map[token.Token]string{token.INC: "+", token.DEC: "-"}[s.Tok]
		f.laneSet(s.X, fmt.Sprintf("%s %s %s(1)", lvalue, op, f.ctype(s.X, t)))
		return
	}
	helper := map[token.Token]string{token.INC: "add", token.DEC: "sub"}[s.Tok]
	switch {
	case source.KindOf(t)&types.IsFloat != 0:
		f.line("%s %c= 1;", lvalue, s.Tok.String()[0])
	case source.KindOf(t)&types.IsUnsigned != 0:
		f.line("%s%s;", lvalue, s.Tok)
	default:
		f.line("%s = %s(%s, %s(1));", lvalue, helper, lvalue, f.ctype(s.X, t))
	}
}

// checkWritable refuses a store through a pointer to a struct that kernels get by value, and a left side with a call
// that has side effects.
func (f *function) checkWritable(e ast.Expr) {
	if c := f.writingCall(e); c != nil {
		f.refuse(c, "%s writes to memory and is called on the left of an assignment: assign its result to a variable first",
			callName(c))
	}
	if id, ok := e.(*ast.Ident); ok {
		if v, ok := f.u.pkg.Info.ObjectOf(id).(*types.Var); ok && source.IsPackageVariable(v) {
			f.refuse(id, "%s is a package variable: write to an argument", id.Name)
		}
	}
	if t := f.constantBase(e); t != nil {
		f.refuse(e, "%s is written: kernels get a %s by value, because it is marked //atoll:constant or holds slices",
			types.ExprString(e), f.u.typeString(t))
	}
}

// constantBase returns the type of the by-value struct that the left side e is a part of, if e reaches it through a
// pointer, or nil. Elements of a slice in such a struct are not a part of it.
func (f *function) constantBase(e ast.Expr) types.Type {
	through := func(x ast.Expr) types.Type {
		if p, ok := f.typeOf(x).Underlying().(*types.Pointer); ok {
			if f.u.passedByValue(p.Elem()) {
				return p.Elem()
			}
			return nil
		}
		return f.constantBase(x)
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		return f.constantBase(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return f.constantBase(x.X)
		}
	case *ast.StarExpr:
		return through(x.X)
	case *ast.SelectorExpr:
		return through(x.X)
	case *ast.IndexExpr:
		if _, ok := f.typeOf(x.X).Underlying().(*types.Slice); !ok {
			return through(x.X)
		}
	}
	return nil
}
