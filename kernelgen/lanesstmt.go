package kernelgen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// mask is the name of the mask for which the next statement is.
func (f *function) mask() string { return fmt.Sprintf("mask_%d", f.level) }

// masks are the names of all masks from the given level to the present one.
func (f *function) masks(from int) string {
	var all []string
	for l := from; l <= f.level; l++ {
		all = append(all, fmt.Sprintf("mask_%d", l))
	}
	return strings.Join(all, ", ")
}

// translateLanes emits a function that does a lane for each index. Its first parameter is the mask of the call. Numbers
// that are the same for all lanes stay what they are: the compiler of C++ tells them apart by their types.
func (f *function) translateLanes() {
	params := []string{"auto mask_0"}
	var copies []string
	add := func(v *types.Var) {
		name := f.parameter(v, len(params))
		if f.mutated(v) && f.u.value(f.subst(v.Type())) {
			t := f.ctype(f.decl, v.Type())
			copies = append(copies, fmt.Sprintf("Lanes<%s> %s = lanes<%s>(%s_given);", t, name, t, name))
			name += "_given"
		}
		params = append(params, "auto "+name)
	}
	if r := f.sig.Recv(); r != nil {
		add(r)
	}
	for v := range f.sig.Params().Variables() {
		add(v)
	}
	f.depth = 1
	for _, c := range copies {
		f.line("%s", c)
	}
	resultStruct := f.laneResults()
	f.early = f.returnsEarly()
	if f.early {
		f.level = 1
		f.line("auto mask_1 = varying(mask_0);")
		if f.results != nil && f.named() == nil {
			f.line("%s result;", f.resultType())
		}
	}
	f.laneList(f.decl.Body.List)
	if f.early && f.results != nil {
		f.line("return %s;", f.whole())
	}
	f.out.text = fmt.Sprintf("%s// %s, %s\n%sINLINE auto %s(%s) {\n%s}\n", comment(f.decl.Doc), f.title(),
		f.u.pkg.place(f.decl), resultStruct, f.out.name, wrap(params, len(f.out.name)+14), f.body.String())
}

// laneResults declares the results, and returns the struct of several.
func (f *function) laneResults() string {
	list := f.sig.Results()
	for i := range list.Len() {
		f.results = append(f.results, fmt.Sprintf("result.r%d", i))
	}
	if named := f.named(); named != nil {
		f.results = nil
		for i, v := range named {
			name := f.parameter(v, i)
			f.results = append(f.results, name)
			f.line("Lanes<%s> %s = {};", f.ctype(f.decl, v.Type()), name)
		}
	} else if list.Len() == 1 {
		f.results = []string{"result"}
	}
	if list.Len() < 2 {
		return ""
	}
	f.out.results = f.out.name + "_results"
	var fields strings.Builder
	for i := range list.Len() {
		fmt.Fprintf(&fields, " Lanes<%s> r%d;", f.ctype(f.decl, list.At(i).Type()), i)
	}
	return fmt.Sprintf("struct %s {%s };\n", f.out.results, fields.String())
}

// named are the named results where the function uses them as variables.
func (f *function) named() []*types.Var {
	if !f.usesResults() {
		return nil
	}
	return slices.Collect(f.sig.Results().Variables())
}

func (f *function) resultType() string {
	if f.out.results != "" {
		return f.out.results
	}
	return "Lanes<" + f.ctype(f.decl, f.sig.Results().At(0).Type()) + ">"
}

// whole is what the function returns once all results are in their variables.
func (f *function) whole() string {
	if f.named() != nil && f.out.results != "" {
		return f.out.results + "{" + strings.Join(f.results, ", ") + "}"
	}
	if f.named() != nil {
		return f.results[0]
	}
	return "result"
}

// returnsEarly tells whether some lanes may return before others.
func (f *function) returnsEarly() bool {
	list := f.decl.Body.List
	early := false
	for i, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok && (i < len(list)-1 || ast.Stmt(r) != s) {
				early = true
			}
			return !early
		})
	}
	return early
}

// laneList translates statements. Where one may leave no lane, what follows asks before it does anything costly.
func (f *function) laneList(list []ast.Stmt) {
	open := 0
	for i, s := range list {
		if i > 0 && f.gap(list[i-1], s) {
			f.body.WriteByte('\n')
		}
		f.note(s)
		if f.laneLeave(s, list[i+1:]) {
			break
		}
		f.statement(s)
		if i+1 < len(list) && f.leaves(s) && f.costly(list[i+1:]) {
			f.line("if (any(%s)) {", f.mask())
			f.depth++
			open++
		}
	}
	for range open {
		f.depth--
		f.line("}")
	}
}

// leaves tells whether some lanes may not come behind a statement.
func (f *function) leaves(s ast.Stmt) bool {
	found := false
	inside := 0
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			found = found || inside == 0
		case *ast.ForStmt:
			inside++
			ast.Inspect(n.Body, look)
			inside--
			return false
		case *ast.RangeStmt:
			inside++
			ast.Inspect(n.Body, look)
			inside--
			return false
		}
		return true
	}
	ast.Inspect(s, look)
	return found
}

// cheap is the work of a branch that is done for all lanes rather than asked for, in operations.
const cheap = 12

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
			if tv, ok := u.pkg.info.Types[asExpr(n)]; !ok || tv.IsValue() {
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
				decl := u.pkg.decls[fn.Origin()]
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

func asExpr(n ast.Node) ast.Expr {
	e, _ := n.(ast.Expr)
	return e
}

// laneStatement translates a statement that lanes may leave one by one, or not.
func (f *function) laneStatement(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.IfStmt:
		f.laneIfStatement(s)
	case *ast.ForStmt:
		f.laneFor(s)
	case *ast.RangeStmt:
		f.laneRange(s)
	case *ast.SwitchStmt:
		f.laneSwitch(s)
	case *ast.ReturnStmt:
		f.laneReturn(s)
	case *ast.BranchStmt:
		f.laneBranch(s)
	default:
		return false
	}
	return true
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

// cases are what is left of a switch: the value it compares, or nothing, and the cases, the default one last.
type cases struct {
	ast.SwitchStmt
	tag     string
	clauses []*ast.CaseClause
}

// usual is the mark of a statement that says which way most lanes take: mostly its own, or seldom.
func (f *function) usual(s ast.Stmt) string {
	for _, group := range f.notes[s] {
		for _, words := range f.u.pkg.directives(group) {
			if len(words) == 1 && (words[0] == "mostly" || words[0] == "seldom") {
				return words[0]
			}
			f.refuse(s, "//atoll:%s stands before a branch: one can only be marked //atoll:mostly or //atoll:seldom",
				strings.Join(words, " "))
		}
	}
	return ""
}

// laneLeave translates a branch that is seldom taken and leaves the function, and all that comes behind it: once for all
// lanes and once for those that are left. It returns false for any other.
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
					found = found || f.u.writes(fn) && !f.u.pkg.isSource(fn.Pkg())
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

// laneFor translates a loop. Lanes that are done wait for the others. A variable of the head that the body leaves alone
// is one number where it begins as one.
func (f *function) laneFor(s *ast.ForStmt) {
	f.line("{")
	f.depth++
	if s.Init != nil {
		a, ok := s.Init.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE {
			f.statement(s.Init)
		} else {
			for i, x := range a.Lhs {
				v, _ := f.u.pkg.info.Defs[x.(*ast.Ident)].(*types.Var)
				t := f.ctype(x, v.Type())
				if f.assigned(s.Body, v) {
					f.line("Lanes<%s> %s = lanes<%s>(%s);", t, f.local(v), t, f.expr(a.Rhs[i]).text)
				} else {
					f.line("auto %s = counter<%s>(%s);", f.local(v), t, f.lane(a.Rhs[i]))
				}
			}
		}
	}
	f.laneLoop(func() string {
		if s.Cond == nil {
			return "true"
		}
		return f.value(s.Cond).text
	}, s.Body, func() {
		if s.Post != nil {
			f.statement(s.Post)
		}
	})
	f.depth--
	f.line("}")
}

// laneLoop translates a loop whose head stands before it.
func (f *function) laneLoop(cond func() string, body *ast.BlockStmt, post func()) {
	f.level++
	outer := f.loop
	f.loop = f.level
	narrow := fmt.Sprintf("varying(mask_%d)", f.level-1)
	if !f.jumps(body) {
		narrow = fmt.Sprintf("course(mask_%d, %s)", f.level-1, f.outside(cond))
	}
	f.line("auto %s = %s;", f.mask(), narrow)
	f.line("while (keep(%s, %s)) {", f.mask(), cond())
	f.under(f.mask(), func() { f.laneList(body.List) })
	f.depth++
	post()
	f.depth--
	f.line("}")
	f.loop = outer
	f.level--
}

// outside is a loop's condition as it is before the loop's own mask is there.
func (f *function) outside(cond func() string) string {
	f.level--
	defer func() { f.level++ }()
	return cond()
}

// jumps tells whether a body holds break, continue or return.
func (f *function) jumps(body ast.Node) bool {
	found := false
	if left, ok := body.(*cases); ok {
		body = left.Body
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BranchStmt, *ast.ReturnStmt:
			found = true
		}
		return !found
	})
	return found
}

func (f *function) laneRange(s *ast.RangeStmt) {
	if s.Value != nil {
		f.refuse(s.Value, "a range loop with a value: take the element by its index, x[i]")
		return
	}
	t := f.typeOf(s.X)
	count, ct := "", "int64"
	if kindOf(t)&types.IsInteger != 0 {
		count, ct = f.value(s.X).text, f.ctype(s.X, t)
	} else if a, ok := arrayOf(t); ok {
		count = fmt.Sprint(a.Len())
	} else if isSlice(t.Underlying()) {
		count = f.value(s.X).in(primary) + ".len"
	} else {
		f.refuse(s.X, "range over %s: kernels range over integers, slices and arrays", f.u.show(t))
		return
	}
	name, end := f.fresh("turn"), f.fresh("end")
	if id, ok := s.Key.(*ast.Ident); ok && id.Name != "_" {
		v := f.u.pkg.info.Defs[id].(*types.Var)
		f.ranged[v] = true
		name = f.local(v)
	}
	f.line("{")
	f.depth++
	f.line("const auto %s = value(%s);", end, count)
	f.line("%s %s = 0;", ct, name)
	f.laneLoop(func() string { return name + " < " + end }, s.Body, func() { f.line("%s++;", name) })
	f.depth--
	f.line("}")
}

// laneReturn keeps what the lanes of the present mask return, and takes them out of all masks.
func (f *function) laneReturn(s *ast.ReturnStmt) {
	var values []string
	for _, r := range s.Results {
		values = append(values, f.lane(r))
	}
	list := f.sig.Results()
	if len(s.Results) == 1 && list.Len() > 1 {
		from := f.fresh("results")
		f.line("const auto %s = %s;", from, values[0])
		values = nil
		for i := range list.Len() {
			values = append(values, fmt.Sprintf("%s.r%d", from, i))
		}
	}
	if !f.early && f.named() == nil {
		switch list.Len() {
		case 0:
		case 1:
			f.line("return %s;", values[0])
		default:
			var parts []string
			for i := range values {
				parts = append(parts, fmt.Sprintf("lanes<%s>(%s)", f.ctype(s, list.At(i).Type()), values[i]))
			}
			f.line("return %s{%s};", f.out.results, strings.Join(parts, ", "))
		}
		return
	}
	if len(values) > 1 { // a result may be made from another one
		for i := range values {
			name := f.fresh("value")
			f.line("const auto %s = %s;", name, values[i])
			values[i] = name
		}
	}
	for i := range values {
		f.line("set(%s, %s, %s);", f.mask(), f.results[i], values[i])
	}
	switch {
	case f.level > 1:
		f.line("drop(%s, %s);", f.mask(), f.masks(1))
	case !f.early && list.Len() > 0:
		f.line("return %s;", f.whole())
	}
}

// laneBranch translates break and continue.
func (f *function) laneBranch(s *ast.BranchStmt) {
	switch {
	case s.Label != nil || f.loop == 0:
		f.refuse(s, "%s with a label or outside of a loop, in a kernel marked lanes", s.Tok)
	case s.Tok == token.BREAK:
		f.line("drop(%s, %s);", f.mask(), f.masks(f.loop))
	case s.Tok == token.CONTINUE:
		f.line("drop(%s, %s);", f.mask(), f.masks(f.loop+1))
	default:
		f.refuse(s, "%s: kernels have no jumps but break, continue and return", s.Tok)
	}
}
