package kernelgen

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// switchStatement translates a switch to a C++ switch if the cases are integer constants, and to a chain of ifs
// otherwise.
func (f *function) switchStatement(s *ast.SwitchStmt) {
	inBlock := s.Init != nil
	if inBlock {
		f.line("{")
		f.depth++
		f.statement(s.Init)
	}
	var clauses []*ast.CaseClause
	constant := s.Tag != nil && source.KindOf(f.typeOf(s.Tag))&types.IsInteger != 0
	for _, c := range s.Body.List {
		clause := c.(*ast.CaseClause)
		clauses = append(clauses, clause)
		for _, e := range clause.List {
			constant = constant && f.u.pkg.Info.Types[e].Value != nil
		}
	}
	if constant {
		f.constantCases(s, clauses)
	} else {
		f.ifChain(s, clauses)
	}
	if inBlock {
		f.depth--
		f.line("}")
	}
}

func (f *function) constantCases(s *ast.SwitchStmt, clauses []*ast.CaseClause) {
	f.line("switch (%s) {", f.value(s.Tag).text)
	for _, c := range clauses {
		for _, e := range c.List {
			f.line("case %s:", f.expr(e).text)
		}
		if c.List == nil {
			f.line("default:")
		}
		f.line("{")
		f.depth++
		f.statements(c.Body)
		if !endsInJump(c.Body) {
			f.line("break;")
		}
		f.depth--
		f.line("}")
	}
	f.line("}")
}

// endsInJump reports whether a body's last statement leaves the switch.
func endsInJump(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch body[len(body)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// ifChain translates a switch to a chain of ifs. If a case has a break, the chain is enclosed in a C++ switch with a
// single case, which the break leaves.
func (f *function) ifChain(s *ast.SwitchStmt, clauses []*ast.CaseClause) {
	tag := ""
	if s.Tag != nil {
		tag = f.newName("tag")
		f.line("const %s = %s;", declare(f.ctype(s.Tag, f.typeOf(s.Tag)), tag), f.value(s.Tag).text)
	}
	enclosed := hasBreak(clauses)
	if enclosed {
		f.line("switch (0) {")
		f.line("default:")
		f.depth++
	}
	var defaultClause *ast.CaseClause
	before := ""
	for _, c := range clauses {
		if c.List == nil {
			defaultClause = c
			continue
		}
		var tests []string
		for _, e := range c.List {
			if call := f.writingCall(e); call != nil {
				f.refuse(call, "%s writes to memory and is called in a case: assign its result to a variable first", callName(call))
			}
			x := f.expr(e)
			switch {
			case tag != "":
				tests = append(tests, tag+" == "+x.atLeast(equality+1))
			case len(c.List) > 1:
				tests = append(tests, x.atLeast(logicalOr+1))
			default:
				tests = append(tests, x.text)
			}
		}
		f.line("%sif (%s) {", before, strings.Join(tests, " || "))
		f.depth++
		f.statements(c.Body)
		f.depth--
		before = "} else "
	}
	switch {
	case defaultClause != nil && before != "":
		f.line("} else {")
	case defaultClause != nil:
		f.line("{")
	}
	if defaultClause != nil {
		f.depth++
		f.statements(defaultClause.Body)
		f.depth--
	}
	if defaultClause != nil || before != "" {
		f.line("}")
	}
	if enclosed {
		f.depth--
		f.line("}")
	}
}

// hasBreak reports whether a break in the clauses leaves their switch.
func hasBreak(clauses []*ast.CaseClause) bool {
	found := false
	for _, c := range clauses {
		for _, s := range c.Body {
			ast.Inspect(s, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
					return false
				case *ast.BranchStmt:
					found = found || n.Tok == token.BREAK
				}
				return true
			})
		}
	}
	return found
}
