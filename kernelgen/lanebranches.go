package kernelgen

import (
	"go/ast"
	"go/token"
	"strings"
)

// cases are what is left of a switch: the value it compares, or nothing, and the cases, the default one last.
type cases struct {
	ast.SwitchStmt
	tag     string
	clauses []*ast.CaseClause
}

// usual is the mark of a statement that says which way most lanes take: mostly its own, or seldom.
func (f *function) usual(s ast.Stmt) string {
	for _, group := range f.notes[s] {
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

// laneLeave translates a branch that is seldom taken and leaves the function, and all that comes behind it: once for
// all lanes and once for those that are left. It returns false for any other.
func (f *function) laneLeave(s ast.Stmt, rest []ast.Stmt) bool {
	branch, ok := s.(*ast.IfStmt)
	if !ok || f.usual(s) != "seldom" || branch.Else != nil || branch.Init != nil || f.level != 1 || !f.early ||
		!f.leaves(s) || f.jumps(&ast.BlockStmt{List: rest}) {
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

// under translates what is for a narrower mask.
func (f *function) under(mask string, body func()) {
	f.level++
	f.depth++
	f.line("auto %s = %s;", f.mask(), mask)
	body()
	f.depth--
	f.level--
}

// stores tells whether statements may write through a pointer.
func (f *function) stores(list []ast.Stmt) bool {
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
	f.laneIf(f.value(s.Cond).text, s.Body, other, f.usual(s))
	f.depth--
	f.line("}")
}

// laneSwitch becomes a chain of ifs.
func (f *function) laneSwitch(s *ast.SwitchStmt) {
	f.line("{")
	f.depth++
	if s.Init != nil {
		f.statement(s.Init)
	}
	tag := ""
	if s.Tag != nil {
		tag = f.fresh("tag")
		f.line("const auto %s = value(%s);", tag, f.value(s.Tag).text)
	}
	all := &cases{SwitchStmt: *s, tag: tag}
	var other *ast.CaseClause
	for _, c := range s.Body.List {
		if clause := c.(*ast.CaseClause); clause.List == nil {
			other = clause
		} else {
			all.clauses = append(all.clauses, clause)
		}
	}
	if other != nil {
		all.clauses = append(all.clauses, other)
	}
	if breaks(all.clauses) {
		f.refuse(s, "a break that leaves a switch, in a kernel marked lanes: use if")
	}
	f.laneSwitchWay(all, f.usual(s))
	f.depth--
	f.line("}")
}

func (f *function) laneCases(all *cases) { f.laneSwitchWay(all, "") }

func (f *function) laneSwitchWay(all *cases, usual string) {
	if len(all.clauses) == 0 {
		return
	}
	first := all.clauses[0]
	if first.List == nil {
		f.laneList(first.Body)
		return
	}
	var tests []string
	for _, e := range first.List {
		x := f.expr(e)
		if all.tag != "" {
			tests = append(tests, all.tag+" == "+x.in(equality+1))
		} else {
			tests = append(tests, x.in(logicalOr+1))
		}
	}
	var rest ast.Node
	if len(all.clauses) > 1 {
		left := *all
		left.clauses = all.clauses[1:]
		left.Body = &ast.BlockStmt{}
		for _, c := range left.clauses {
			left.Body.List = append(left.Body.List, c)
		}
		rest = &left
	}
	f.laneIf(strings.Join(tests, " || "), &ast.BlockStmt{List: first.Body}, rest, usual)
}

// laneIf translates if, and the rest of a switch, in the order of Go: lanes take one of both ways.
//
// A way that is marked as usual is made twice, for all lanes and for those of a mask: without a mask it is shorter.
func (f *function) laneIf(cond string, taken, other ast.Node, usual string) string {
	name := f.fresh("c")
	how := "branch"
	if body, ok := taken.(*ast.BlockStmt); ok && !f.costly(body.List) && !f.stores(body.List) {
		how = "blend"
	}
	f.line("const auto %s = %s(%s, %s);", name, how, f.mask(), cond)
	f.laneWay(taken, name, "some", "mask", "taken", usual == "mostly")
	if other != nil {
		f.laneWay(other, name, "rest", "others", "other", usual == "seldom")
	}
	return name
}

// laneWay translates one of the ways of a branch.
func (f *function) laneWay(way ast.Node, name, asks, mask, call string, usual bool) {
	if usual && !f.jumps(way) {
		f.level++
		f.line("%s.%s([&](auto %s) INLINED {", name, call, f.mask())
		f.depth++
		f.laneNode(way)
		f.depth--
		f.level--
		f.line("});")
		return
	}
	f.line("if (%s.%s()) {", name, asks)
	f.under(name+"."+mask+"()", func() { f.laneNode(way) })
	f.line("}")
}

// laneNode translates a block, what stands behind else, or the rest of a switch.
func (f *function) laneNode(n ast.Node) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		f.laneList(n.List)
	case *ast.IfStmt:
		f.note(n)
		f.laneIfStatement(n)
	case *cases:
		f.laneCases(n)
	}
}

func (f *function) costly(list []ast.Stmt) bool {
	cost := 0
	for _, s := range list {
		cost += f.u.cost(s)
	}
	return cost > cheap
}

// cost counts operations; those that take long or may touch memory count more than is cheap.
func (u *unit) cost(n ast.Node) int {
	cost := 0
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.IndexExpr, *ast.StarExpr:
			if tv, ok := u.pkg.Info.Types[asExpr(n)]; !ok || tv.IsValue() {
				cost += cheap + 1
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
					cost += cheap + 1
				default:
					cost += u.cost(decl.Body)
				}
			}
		}
		return cost <= cheap
	})
	return cost
}
