package kernelgen

import (
	"go/ast"
	"go/token"
	"strings"
)

// remainingCases are the remaining cases of a switch, the default one last, and the name of its tag, or "" for a
// switch without tag.
type remainingCases struct {
	ast.SwitchStmt
	tag     string
	clauses []*ast.CaseClause
}

// likelihood returns the mark of a branch: "mostly" if most lanes take it, "seldom" if few do, or "".
func (f *function) likelihood(s ast.Stmt) string {
	for _, group := range f.comments[s] {
		for _, words := range f.u.pkg.Directives(group) {
			if len(words) == 1 && (words[0] == "mostly" || words[0] == "seldom") {
				return words[0]
			}
			f.refuse(s, "//atoll:%s stands before a branch: one can only be marked //atoll:mostly or //atoll:seldom",
				strings.Join(words, " "))
		}
	}
	return ""
}

// laneSeldomReturn translates a branch marked seldom that returns from the function, together with the statements after
// it. It emits these statements twice: for the case that no lane takes the branch, and for the lanes that remain. It
// returns false for any other statement.
func (f *function) laneSeldomReturn(s ast.Stmt, rest []ast.Stmt) bool {
	branch, ok := s.(*ast.IfStmt)
	if !ok || f.likelihood(s) != "seldom" || branch.Else != nil || branch.Init != nil || f.level != 1 || !f.early ||
		!f.mayEndLanes(s) || f.jumps(&ast.BlockStmt{List: rest}) {
		return false
	}
	name := f.laneIf(f.value(branch.Cond).text, branch.Body, nil, "")
	f.line("%s.follow(mask_1, [&](auto mask_1) INLINED {", name)
	f.depth++
	f.laneList(rest)
	f.depth--
	f.line("});")
	return true
}

// withMask runs body, which translates statements for a narrower mask.
func (f *function) withMask(mask string, body func()) {
	f.level++
	f.depth++
	f.line("auto %s = %s;", f.mask(), mask)
	body()
	f.depth--
	f.level--
}

// callsAtomic reports whether statements call an atomic function directly, not through another function.
func (f *function) callsAtomic(list []ast.Stmt) bool {
	for _, s := range list {
		found := false
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if fn := f.u.callee(n); fn != nil {
					found = found || f.u.writes(fn) && !f.u.pkg.IsSource(fn.Pkg())
				}
			}
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

func (f *function) laneIfStatement(s *ast.IfStmt) {
	f.line("{")
	f.depth++
	if s.Init != nil {
		f.statement(s.Init)
	}
	var other ast.Node
	if s.Else != nil {
		other = s.Else
	}
	f.laneIf(f.value(s.Cond).text, s.Body, other, f.likelihood(s))
	f.depth--
	f.line("}")
}

// laneSwitch translates a switch to a chain of ifs.
func (f *function) laneSwitch(s *ast.SwitchStmt) {
	f.line("{")
	f.depth++
	if s.Init != nil {
		f.statement(s.Init)
	}
	tag := ""
	if s.Tag != nil {
		tag = f.newName("tag")
		f.line("const auto %s = value(%s);", tag, f.value(s.Tag).text)
	}
	remaining := &remainingCases{SwitchStmt: *s, tag: tag}
	var other *ast.CaseClause
	for _, c := range s.Body.List {
		if clause := c.(*ast.CaseClause); clause.List == nil {
			other = clause
		} else {
			remaining.clauses = append(remaining.clauses, clause)
		}
	}
	if other != nil {
		remaining.clauses = append(remaining.clauses, other)
	}
	if hasBreak(remaining.clauses) {
		f.refuse(s, "a break that leaves a switch, in a kernel marked lanes: use if")
	}
	f.laneSwitchCases(remaining, f.likelihood(s))
	f.depth--
	f.line("}")
}

func (f *function) laneCases(remaining *remainingCases) { f.laneSwitchCases(remaining, "") }

// laneSwitchCases translates the remaining cases of a switch: an if for the first one, whose else branch has the
// others. likelihood is the mark of the switch, which applies to the first case.
func (f *function) laneSwitchCases(given *remainingCases, likelihood string) {
	if len(given.clauses) == 0 {
		return
	}
	first := given.clauses[0]
	if first.List == nil {
		f.laneList(first.Body)
		return
	}
	var tests []string
	for _, e := range first.List {
		x := f.expr(e)
		if given.tag != "" {
			tests = append(tests, given.tag+" == "+x.atLeast(equality+1))
		} else {
			tests = append(tests, x.atLeast(logicalOr+1))
		}
	}
	var rest ast.Node
	if len(given.clauses) > 1 {
		remaining := *given
		remaining.clauses = given.clauses[1:]
		remaining.Body = &ast.BlockStmt{}
		for _, c := range remaining.clauses {
			remaining.Body.List = append(remaining.Body.List, c)
		}
		rest = &remaining
	}
	f.laneIf(strings.Join(tests, " || "), &ast.BlockStmt{List: first.Body}, rest, likelihood)
}

// laneIf translates an if statement or the remaining cases of a switch: each lane takes one of the two branches.
//
// The branch that most lanes take, by its mark, is emitted twice: for all lanes, without a mask, and for some lanes.
// The result is the name of the C++ variable that holds the condition, a Uniform or Varying of lanes.h.
func (f *function) laneIf(cond string, taken, other ast.Node, likelihood string) string {
	name := f.newName("c")
	operation := "branch"
	if body, ok := taken.(*ast.BlockStmt); ok && !f.isCostly(body.List) && !f.callsAtomic(body.List) {
		operation = "blend"
	}
	f.line("const auto %s = %s(%s, %s);", name, operation, f.mask(), cond)
	f.laneBranchBody(taken, name, "some", "mask", "taken", likelihood == "mostly")
	if other != nil {
		f.laneBranchBody(other, name, "rest", "others", "other", likelihood == "seldom")
	}
	return name
}

// laneBranchBody translates one of the two branches of laneIf. name is the variable of the condition; test, mask and
// call are the names of its methods for this branch. likely says that most lanes take the branch.
func (f *function) laneBranchBody(body ast.Node, name, test, mask, call string, likely bool) {
	if likely && !f.jumps(body) {
		f.level++
		f.line("%s.%s([&](auto %s) INLINED {", name, call, f.mask())
		f.depth++
		f.laneNode(body)
		f.depth--
		f.level--
		f.line("});")
		return
	}
	f.line("if (%s.%s()) {", name, test)
	f.withMask(name+"."+mask+"()", func() { f.laneNode(body) })
	f.line("}")
}

// laneNode translates a block, an else branch, or the remaining cases of a switch.
func (f *function) laneNode(n ast.Node) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		f.laneList(n.List)
	case *ast.IfStmt:
		f.writeComments(n)
		f.laneIfStatement(n)
	case *remainingCases:
		f.laneCases(n)
	}
}

// isCostly reports whether statements are too expensive to be executed if no lane takes their branch.
func (f *function) isCostly(list []ast.Stmt) bool {
	cost := 0
	for _, s := range list {
		cost += f.u.cost(s)
	}
	return cost > cheapCost
}

// cost estimates the number of operations in n, but stops above cheapCost. A division and a function of package math
// count as several operations, a memory access and a loop as more than cheapCost.
func (u *unit) cost(n ast.Node) int {
	cost := 0
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.IndexExpr, *ast.StarExpr:
			if tv, ok := u.pkg.Info.Types[asExpr(n)]; !ok || tv.IsValue() {
				cost += cheapCost + 1
			}
		case *ast.BinaryExpr:
			cost++
			if n.Op == token.QUO {
				cost += 5
			}
		case *ast.AssignStmt:
			cost += len(n.Lhs)
			if n.Tok == token.QUO_ASSIGN {
				cost += 5
			}
		case *ast.CallExpr:
			if fn := u.callee(n); fn != nil {
				decl := u.pkg.Decls[fn.Origin()]
				switch {
				case fn.Pkg() != nil && fn.Pkg().Path() == "math":
					cost += 5
				case decl == nil || decl.Body == nil:
					cost += cheapCost + 1
				default:
					cost += u.cost(decl.Body)
				}
			}
		}
		return cost <= cheapCost
	})
	return cost
}
