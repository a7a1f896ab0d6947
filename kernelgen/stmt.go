package kernelgen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

func (f *function) statements(list []ast.Stmt) {
	for i, s := range list {
		if i > 0 && f.hasEmptyLine(list[i-1], s) {
			f.body.WriteByte('\n')
		}
		f.writeComments(s)
		f.statement(s)
	}
}

// hasEmptyLine reports whether the source has an empty line between two statements.
func (f *function) hasEmptyLine(a, b ast.Stmt) bool {
	start := b.Pos()
	if notes := f.comments[b]; len(notes) > 0 {
		start = min(start, notes[0].Pos())
	}
	line := func(p token.Pos) int { return f.u.pkg.Fset.Position(p).Line }
	return line(start) > line(a.End())+1
}

// writeComments writes the comments before a statement.
func (f *function) writeComments(s ast.Stmt) {
	if d, ok := s.(*ast.DeclStmt); ok && d.Decl.(*ast.GenDecl).Tok == token.CONST {
		return
	}
	for _, g := range f.comments[s] {
		for line := range strings.Lines(comment(g)) {
			f.line("%s", strings.TrimRight(line, "\n"))
		}
	}
}

func (f *function) statement(s ast.Stmt) {
	if f.tile && f.depth == f.uniformDepth {
		f.barrierBefore(s)
	}
	if f.u.lanes && f.laneStatement(s) {
		return
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		f.line("{")
		f.block(s)
		f.line("}")
	case *ast.ExprStmt:
		f.expression(s)
	case *ast.AssignStmt:
		if f.isAsync(s) {
			f.async(s)
		} else {
			f.assignment(s)
		}
	case *ast.IncDecStmt:
		f.step(s)
	case *ast.DeclStmt:
		f.declaration(s)
	case *ast.IfStmt:
		f.ifStatement(s, "")
	case *ast.ForStmt:
		f.forStatement(s)
	case *ast.RangeStmt:
		f.rangeStatement(s)
	case *ast.SwitchStmt:
		f.switchStatement(s)
	case *ast.ReturnStmt:
		f.returnStatement(s)
	case *ast.BranchStmt:
		switch {
		case s.Label != nil:
			f.refuse(s, "%s with a label: kernels have no labels", s.Tok)
		case s.Tok == token.BREAK, s.Tok == token.CONTINUE:
			f.line("%s;", s.Tok)
		default:
			f.refuse(s, "%s: kernels have no jumps but break, continue and return", s.Tok)
		}
	case *ast.EmptyStmt:
	case *ast.GoStmt:
		f.refuse(s, "a go statement: kernels start no goroutines")
	case *ast.DeferStmt:
		f.refuse(s, "a defer statement is not supported in kernels")
	case *ast.LabeledStmt:
		f.refuse(s, "label %s: kernels have no labels", s.Label.Name)
	case *ast.SendStmt, *ast.SelectStmt:
		f.refuse(s, "a channel operation: kernels have no channels")
	case *ast.TypeSwitchStmt:
		f.refuse(s, "a type switch: kernels have no interfaces")
	default:
		f.refuse(s, "this statement is not supported in kernels")
	}
}

// block translates the statements of a block, indented by one level.
func (f *function) block(b *ast.BlockStmt) {
	f.depth++
	if f.u.lanes {
		f.laneList(b.List)
	} else {
		f.statements(b.List)
	}
	f.depth--
}

// inline translates a statement to one line without its semicolon, for the heads of if and for. It returns false if the
// translation has several statements.
func (f *function) inline(s ast.Stmt) (string, bool) {
	saved, depth := f.body.String(), f.depth
	f.body.Reset()
	f.depth = 0
	f.statement(s)
	text := f.body.String()
	f.body.Reset()
	f.body.WriteString(saved)
	f.depth = depth
	line := strings.TrimSuffix(text, ";\n")
	return line, line != text && !strings.ContainsAny(line, ";\n")
}

func (f *function) expression(s *ast.ExprStmt) {
	c, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		f.refuse(s, "a channel operation: kernels have no channels")
		return
	}
	if f.atomic(c) {
		return
	}
	if id, ok := c.Fun.(*ast.Ident); ok && f.u.pkg.Info.Types[c.Fun].IsBuiltin() {
		f.refuse(c, "builtin %s is not supported in kernels", id.Name)
		return
	}
	f.line("%s;", f.value(c).text)
}

// ifStatement translates an if statement; before is the text before it on its first line, such as "} else ".
func (f *function) ifStatement(s *ast.IfStmt, before string) {
	head, opened := "", false
	if s.Init != nil {
		line, ok := f.inline(s.Init)
		if ok {
			head = line + "; "
		} else {
			if before != "" {
				f.line("%s{", before)
			} else {
				f.line("{")
			}
			before, opened = "", true
			f.depth++
			f.statement(s.Init)
		}
	}
	f.line("%sif (%s%s) {", before, head, f.value(s.Cond).text)
	f.block(s.Body)
	switch e := s.Else.(type) {
	case nil:
		f.line("}")
	case *ast.BlockStmt:
		f.line("} else {")
		f.block(e)
		f.line("}")
	case *ast.IfStmt:
		f.writeComments(e)
		f.ifStatement(e, "} else ")
	}
	if opened {
		f.depth--
		f.line("}")
	}
}

func (f *function) forStatement(s *ast.ForStmt) {
	cond := ""
	opened := false
	init := ""
	if s.Init != nil {
		line, ok := f.inline(s.Init)
		if ok {
			init = line
		} else {
			f.line("{")
			f.depth++
			opened = true
			f.statement(s.Init)
		}
		if a, ok := s.Init.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			for _, x := range a.Lhs {
				if v, ok := f.u.pkg.Info.Defs[x.(*ast.Ident)].(*types.Var); ok {
					f.loopVariables[v] = true
				}
			}
		}
	}
	if s.Cond != nil {
		cond = f.value(s.Cond).text
	}
	switch {
	case s.Init == nil && s.Post == nil && s.Cond != nil:
		f.line("while (%s) {", cond)
	case s.Init == nil && s.Post == nil:
		f.line("for (;;) {")
	default:
		post := ""
		if s.Post != nil {
			var ok bool
			if post, ok = f.post(s); !ok {
				f.refuse(s.Post, "this statement does not fit into the head of a C++ loop: put it at the end of the body")
			}
			post = " " + post
		}
		f.line("for (%s; %s;%s) {", init, cond, post)
	}
	f.block(s.Body)
	f.line("}")
	if opened {
		f.depth--
		f.line("}")
	}
}

// post translates the post statement of a loop. A counter that is compared with a bound cannot overflow, so it is
// incremented by ++ instead of the wrapping add, which lets the compiler unroll the loop.
func (f *function) post(s *ast.ForStmt) (string, bool) {
	if inc, ok := s.Post.(*ast.IncDecStmt); ok {
		id, isIdent := inc.X.(*ast.Ident)
		cond, isBinary := s.Cond.(*ast.BinaryExpr)
		if isIdent && isBinary && !f.isAssigned(s.Body, f.u.pkg.Info.ObjectOf(id)) {
			left, ok := cond.X.(*ast.Ident)
			bounded := ok && f.u.pkg.Info.ObjectOf(left) == f.u.pkg.Info.ObjectOf(id) &&
				(inc.Tok == token.INC && cond.Op == token.LSS || inc.Tok == token.DEC && cond.Op == token.GTR)
			if bounded {
				return f.expr(id).text + inc.Tok.String(), true
			}
		}
	}
	return f.inline(s.Post)
}

// isAssigned reports whether a block may assign to a variable.
func (f *function) isAssigned(b ast.Node, obj types.Object) bool {
	found := false
	isVariable := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && f.u.pkg.Info.ObjectOf(id) == obj
	}
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				found = found || isVariable(l)
			}
		case *ast.IncDecStmt:
			found = found || isVariable(n.X)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && isVariable(n.X)
		}
		return !found
	})
	return found
}

func (f *function) rangeStatement(s *ast.RangeStmt) {
	if s.Value != nil {
		f.refuse(s.Value, "a range loop with a value: take the element by its index, x[i]")
		return
	}
	if s.Tok == token.ASSIGN {
		f.refuse(s, "a range loop over a variable from outside: write i := range n")
		return
	}
	count, ct, ok := f.iterations(s)
	if !ok {
		return
	}
	name := f.newName("turn")
	if id, ok := s.Key.(*ast.Ident); ok && id.Name != "_" {
		v := f.u.pkg.Info.Defs[id].(*types.Var)
		ct = f.ctype(id, v.Type())
		if f.isAssigned(s.Body, v) {
			f.refuse(id, "loop variable %s is assigned in the body, which does not affect the next iteration of a range "+
				"loop: copy it", id.Name)
		}
		f.loopVariables[v] = true
		name = f.local(v)
	}
	switch ordered := f.u.pkg.Ordered(f.comments, s); {
	case ordered && (!f.tile || f.depth != f.uniformDepth):
		f.refuse(s, source.MisplacedOrdered)
		return
	case ordered:
		f.uniformDepth++
		defer func() { f.uniformDepth-- }()
		f.threadLoops++ // the first loop inside follows the last one of the iteration before
	case f.tile && f.depth == f.uniformDepth:
		f.threadLoop(s, ct, name, count)
		return
	}
	if strings.Trim(count, "0123456789") == "" {
		f.line("for (%s %s = 0; %s < %s; %s++) {", ct, name, name, count, name)
	} else {
		end := f.newName("end")
		f.line("for (%s %s = 0, %s = %s; %s < %s; %s++) {", ct, name, end, count, name, end, name)
	}
	f.block(s.Body)
	f.line("}")
}

// iterations returns the number of iterations of a range loop, and its type.
func (f *function) iterations(s *ast.RangeStmt) (count, ct string, ok bool) {
	t := f.typeOf(s.X)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return f.value(s.X).atLeast(primary) + ".len", "int64", true
	case *types.Basic:
		if u.Info()&types.IsInteger == 0 {
			f.refuse(s.X, "range over %s: kernels range over integers, slices and arrays", f.u.typeString(t))
			return "", "", false
		}
		return f.value(s.X).text, f.ctype(s.X, t), true
	default:
		a, ok := arrayOf(t)
		if !ok {
			f.refuse(s.X, "range over %s: kernels range over integers, slices and arrays", f.u.typeString(t))
			return "", "", false
		}
		return fmt.Sprint(a.Len()), "int64", true
	}
}

func (f *function) returnStatement(s *ast.ReturnStmt) {
	switch list := f.sig.Results(); {
	case list.Len() == 0:
		f.line("return;")
	case len(s.Results) == 0 && len(f.results) == 1:
		f.line("return %s;", f.results[0])
	case len(s.Results) == 0:
		f.line("return {%s};", strings.Join(f.results, ", "))
	case list.Len() == 1:
		f.line("return %s;", f.value(s.Results[0]).text)
	case len(s.Results) == 1:
		results := f.newName("results")
		f.line("const auto %s = %s;", results, f.value(s.Results[0]).text)
		var parts []string
		for i := range list.Len() {
			parts = append(parts, fmt.Sprintf("%s.r%d", results, i))
		}
		f.line("return {%s};", strings.Join(parts, ", "))
	default:
		var parts []string
		for _, r := range s.Results {
			if c := f.writingCall(r); c != nil {
				f.refuse(c, "%s writes to memory and is called among other results: assign its result to a variable first",
					callName(c))
			}
			parts = append(parts, f.expr(r).text)
		}
		f.line("return {%s};", strings.Join(parts, ", "))
	}
}
