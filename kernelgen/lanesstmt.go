package kernelgen

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// mask returns the name of the C++ variable that holds the mask of the next statement: the lanes that execute it.
// Each branch or loop inside another has a mask of its own, with a greater number.
func (f *function) mask() string { return fmt.Sprintf("mask_%d", f.level) }

// maskNames returns the names of all masks from the given level to the present one.
func (f *function) maskNames(from int) string {
	var names []string
	for l := from; l <= f.level; l++ {
		names = append(names, fmt.Sprintf("mask_%d", l))
	}
	return strings.Join(names, ", ")
}

// translateLanes emits a function that computes an index in each lane. Its first parameter is the mask of the call.
// Values that are the same for all lanes stay scalars: C++ selects the operations by the types of the operands.
func (f *function) translateLanes() {
	callsRare := f.u.pkg.callsRare(f.out.fn)
	ignoresMask := !callsRare && f.ignoresMask()
	params := []string{"auto mask_0"}
	switch {
	case callsRare:
		params = []string{"auto &left", "auto mask_0"}
	case ignoresMask:
		params = []string{"auto"}
	}
	var copies []string
	add := func(v *types.Var) {
		name := f.parameter(v, len(params))
		if f.isMutated(v) && f.u.holdsNoReference(f.subst(v.Type())) {
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
	if ignoresMask {
		f.line("constexpr All mask_0;")
	}
	for _, c := range copies {
		f.line("%s", c)
	}
	resultStruct := f.laneResults()
	f.early = f.returnsEarly() || callsRare
	body := f.decl.Body.List
	if f.early {
		if callsRare {
			// Until lanes may end, the mask is that of the call, in most calls the constant All. With AVX2 the compiler does
			// not find out that mask_1 still selects all lanes, and loads with this mask take several times as long.
			n := slices.IndexFunc(body, func(s ast.Stmt) bool {
				return f.mayEndLanes(s) || f.u.pkg.hasRareCall(s, f.out.fn)
			})
			f.laneList(body[:n])
			body = body[n:]
		}
		f.level = 1
		f.line("auto mask_1 = varying(mask_0);")
		if f.results != nil && f.resultVariables() == nil {
			f.line("%s result;", f.resultType())
		}
	}
	f.laneList(body)
	if f.early && f.results != nil {
		f.line("return %s;", f.allResults())
	}
	f.out.text = fmt.Sprintf("%s// %s, %s\n%sINLINE auto %s(%s) {\n%s}\n", comment(f.decl.Doc), f.title(),
		f.u.pkg.Location(f.decl), resultStruct, f.out.name, wrap(params, len(f.out.name)+14), f.body.String())
}

// ignoresMask reports whether a function is computed in all lanes, those outside of the mask of its call too, where its
// result is not used: it is cheap, reads no elements and writes nothing to memory. The compiler then finds that
// "if a < b { return a }; return b" is the instruction for the minimum, and keeps no results of other lanes.
func (f *function) ignoresMask() bool {
	return f.u.cost(f.decl.Body) <= cheapCost && !f.u.writes(f.out.fn)
}

// laneResults declares the variables of the results, and returns the declaration of their struct if there are several.
func (f *function) laneResults() string {
	list := f.sig.Results()
	for i := range list.Len() {
		f.results = append(f.results, fmt.Sprintf("result.r%d", i))
	}
	if named := f.resultVariables(); named != nil {
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

// resultVariables returns the named results if the function uses them as variables.
func (f *function) resultVariables() []*types.Var {
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

// allResults returns the expression of all results, once they are in their variables.
func (f *function) allResults() string {
	if f.resultVariables() != nil && f.out.results != "" {
		return f.out.results + "{" + strings.Join(f.results, ", ") + "}"
	}
	if f.resultVariables() != nil {
		return f.results[0]
	}
	return "result"
}

// returnsEarly reports whether some lanes may return before others.
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

// laneList translates statements. After a statement by which all lanes may leave the block (a return, break or
// continue), costly statements are skipped if no lane remains.
func (f *function) laneList(list []ast.Stmt) {
	openBlocks := 0
	for i, s := range list {
		if i > 0 && f.hasEmptyLine(list[i-1], s) {
			f.body.WriteByte('\n')
		}
		f.writeComments(s)
		f.lineDirective(s)
		if f.laneSeldomReturn(s, list[i+1:]) {
			break
		}
		f.statement(s)
		if rare, reaches := f.statementCallsRare(s); reaches {
			f.line("drop(left, %s);", f.maskNames(1))
			if rare && i+1 < len(list) {
				f.line("if constexpr (done<decltype(left)>) {") // otherwise no lane of the mask continues
				f.depth++
				openBlocks++
			}
		}
		if i+1 < len(list) && f.mayEndLanes(s) && f.isCostly(list[i+1:]) {
			asks := "remain"
			if f.endless {
				asks = "live"
			}
			f.line("if (%s(%s)) {", asks, f.mask())
			f.depth++
			openBlocks++
		}
	}
	for range openBlocks {
		f.depth--
		f.line("}")
	}
}

// lineDirective writes the source line of a statement as a #line directive, for messages of the compiler.
func (f *function) lineDirective(s ast.Stmt) {
	at := f.u.pkg.Fset.Position(s.Pos())
	fmt.Fprintf(&f.body, "#line %d %q\n", at.Line, at.Filename)
}

// mayEndLanes reports whether a statement may return, break or continue in some lanes, which then skip the next
// statements.
func (f *function) mayEndLanes(s ast.Stmt) bool {
	_, found := f.statementCallsRare(s)
	loopDepth := 0
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			found = found || loopDepth == 0
		case *ast.ForStmt:
			loopDepth++
			ast.Inspect(n.Body, visit)
			loopDepth--
			return false
		case *ast.RangeStmt:
			loopDepth++
			ast.Inspect(n.Body, visit)
			loopDepth--
			return false
		}
		return true
	}
	ast.Inspect(s, visit)
	return found
}

// cheapCost is the cost of a branch up to which it is executed without a test whether any lane takes it.
const cheapCost = 12

func asExpr(n ast.Node) ast.Expr {
	e, _ := n.(ast.Expr)
	return e
}

// laneStatement translates a statement with control flow. It returns false for others.
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

// laneReturn stores the results of the lanes of the present mask, and removes these lanes from all masks.
func (f *function) laneReturn(s *ast.ReturnStmt) {
	var values []string
	for _, r := range s.Results {
		values = append(values, f.lane(r))
	}
	list := f.sig.Results()
	if len(s.Results) == 1 && list.Len() > 1 {
		results := f.newName("results")
		f.line("const auto %s = %s;", results, values[0])
		values = nil
		for i := range list.Len() {
			values = append(values, fmt.Sprintf("%s.r%d", results, i))
		}
	}
	if !f.early && f.resultVariables() == nil {
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
	if len(values) > 1 { // a value may depend on another result
		for i := range values {
			name := f.newName("value")
			f.line("const auto %s = %s;", name, values[i])
			values[i] = name
		}
	}
	for i := range values {
		f.line("set(%s, %s, %s);", f.mask(), f.results[i], values[i])
	}
	switch {
	case f.level > 1:
		f.line("drop(%s, %s);", f.mask(), f.maskNames(1))
	case !f.early && list.Len() > 0:
		f.line("return %s;", f.allResults())
	}
}
