package kernelgen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// stagedLoop writes a loop over groups of indices: each call of the kernel's body is done for all indices of a
// group before the next call, so that the processor overlaps the work of several indices.
func (p *Package) stagedLoop(w *bytes.Buffer, k *Kernel, l *loopType) {
	const need = "stages=N needs a body that declares one variable, var f T, and then only calls its methods"
	body := k.Decl.Body.List
	if k.Reduce != source.ReduceNone || l.hasBox || len(body) < 2 {
		p.Refuse(k.Decl, "kernel %s: %s", k.Name, need)
		return
	}
	var local *ast.Ident
	if d, ok := body[0].(*ast.DeclStmt); ok {
		if g := d.Decl.(*ast.GenDecl); g.Tok == token.VAR && len(g.Specs) == 1 {
			if v := g.Specs[0].(*ast.ValueSpec); len(v.Names) == 1 && len(v.Values) == 0 {
				local = v.Names[0]
			}
		}
	}
	if local == nil {
		p.Refuse(body[0], "kernel %s: %s", k.Name, need)
		return
	}
	obj := p.Info.Defs[local]
	element := l.typeText(obj.Type())
	fmt.Fprintf(w, "var tile [%d]%s\nfor ; lo < hi; lo += len(tile) {\ngroup := tile[:min(len(tile), "+
		"hi-lo)]\nclear(group)\n", k.Stages, element)
	for _, s := range body[1:] {
		e, ok := s.(*ast.ExprStmt)
		call, isCall := (ast.Expr)(nil), false
		if ok {
			call = e.X
			_, isCall = call.(*ast.CallExpr)
		}
		if !isCall || !p.isMethodCall(call.(*ast.CallExpr), obj) {
			p.Refuse(s, "kernel %s: %s", k.Name, need)
			return
		}
		fmt.Fprintf(w, "for turn := range group {\n%s\n}\n", p.rewrite(call, l, obj))
	}
	w.WriteString("}\n")
}

// isMethodCall reports whether a call is of a method of the variable.
func (p *Package) isMethodCall(c *ast.CallExpr, v types.Object) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && p.Info.Uses[id] == v
}

// rewrite returns the source of an expression of a kernel's body, with the variable, the index and the parameters
// replaced by their names in the loop.
func (p *Package) rewrite(e ast.Expr, l *loopType, local types.Object) string {
	k := l.k
	file := p.Fset.File(e.Pos())
	source, err := os.ReadFile(file.Name())
	if err != nil || len(source) != file.Size() {
		p.Refuse(e, "the file changed while it was read")
		return ""
	}
	var out strings.Builder
	from := file.Offset(e.Pos())
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		to := ""
		switch obj := p.Info.Uses[id]; {
		case obj == nil:
		case isPackageName(obj):
			to = l.imported(obj.(*types.PkgName).Imported().Path(), obj.(*types.PkgName).Imported().Name())
		case obj == local:
			to = "group[turn]"
		case obj == k.Fn.Signature().Params().At(0):
			to = "(lo+turn)"
		default:
			for v := range k.Fn.Signature().Params().Variables() {
				if obj == v {
					to = "loop." + v.Name()
				}
			}
		}
		if to != "" {
			out.Write(source[from:file.Offset(id.Pos())])
			out.WriteString(to)
			from = file.Offset(id.End())
		}
		return true
	})
	out.Write(source[from:file.Offset(e.End())])
	return out.String()
}

func isPackageName(obj types.Object) bool {
	_, ok := obj.(*types.PkgName)
	return ok
}

// rangeMethod writes the methods that run the kernel over a range on the CPU.
func (p *Package) rangeMethod(w *bytes.Buffer, k *Kernel, l *loopType) {
	loop := k.Name + "Loop"
	if l.collectsRare {
		fmt.Fprintf(w, rareRange, loop, l.typeArgs)
	} else {
		fmt.Fprintf(w, "// Range runs the kernel on the CPU.\nfunc (loop *%s%s) Range(lo, hi int) {\n", loop, l.typeArgs)
	}
	if k.Host != "" {
		fmt.Fprintf(w, "%s(lo, hi, loop.%s)\n}\n\n", k.Host, strings.Join(l.names, ", loop."))
		return
	}
	for _, v := range l.shared {
		fmt.Fprintf(w, "var %s %s\n", v[0], v[1])
	}
	switch {
	case k.Stages > 0:
		if k.Lanes {
			l.vectorLoop(w, "0, 0")
		}
		p.stagedLoop(w, k, l)
	case l.hasBox:
		p.boxLoop(w, l)
	default:
		l.reductionLoop(w, func() {
			if k.Lanes {
				l.vectorLoop(w, "0, 0")
			}
			fmt.Fprintf(w, "for %[1]s := lo; %[1]s < hi; %[1]s++ {\n%[2]s\n}\n", l.indices[0], l.body())
		})
	}
	w.WriteString("}\n\n")
}

// rareRange is the text of the methods of a loop whose vector code collects indices. The body of the last one follows.
const rareRange = `// Range runs the kernel on the CPU.
func (loop *%[1]s%[2]s) Range(lo, hi int) {
	var rare lanes.Rare
	loop.add(lo, hi, &rare)
	loop.takeRare(&rare, false)
}

// Ranges runs the kernel on the CPU for several ranges.
func (loop *%[1]s%[2]s) Ranges(all []abi.Range) {
	var rare lanes.Rare
	for _, r := range all {
		loop.add(r.Lo, r.Hi, &rare)
	}
	loop.takeRare(&rare, false)
}

// takeRare runs the kernel for the collected indices, if these are many or no more follow.
func (loop *%[1]s%[2]s) takeRare(rare *lanes.Rare, more bool) {
	for {
		lo, hi, ok := rare.Take(loop.rareCode, more)
		if !ok {
			return
		}
		callLanes(loop.rareCode, unsafe.Pointer(loop), lo, hi, 0, 0, unsafe.Pointer(rare))
	}
}

// add runs the kernel except for the indices that it adds to the list.
func (loop *%[1]s%[2]s) add(lo, hi int, rare *lanes.Rare) {
`

// reductionLoop writes a loop and the reduction of its results.
func (l *loopType) reductionLoop(w *bytes.Buffer, loop func()) {
	if l.k.Reduce == source.ReduceNone {
		loop()
		return
	}
	sign := map[source.Reduce]int{source.ReduceMin: 1, source.ReduceMax: -1}[l.k.Reduce]
	fmt.Fprintf(w, "best := %s(math.Inf(%d))\n", l.precision, sign)
	loop()
	w.WriteString("loop.result.Take(best)\n")
}

// callsOfGrain is the number of calls of vector code for one grain: a kernel with a grain does much work for each
// index.
const callsOfGrain = 16

// vectorLoop writes the loop that calls vector code, for as many indices as fill groups of lanes. others are the
// arguments for the other indices of a box, "0" for each that the kernel does not have.
func (l *loopType) vectorLoop(w *bytes.Buffer, others string) {
	lo, hi := "lo", "hi"
	if l.hasBox {
		lo, hi = l.indices[0], "end"
	}
	before, result, after := "", "nil", ""
	if l.collectsRare {
		result = "unsafe.Pointer(rare)"
		after = "loop.takeRare(rare, true)\n"
	}
	if l.k.Reduce != source.ReduceNone {
		before = fmt.Sprintf("var one %s\n", l.precision)
		result, after = "unsafe.Pointer(&one)", fmt.Sprintf("best = %s(best, one)\n", l.k.Reduce)
	}
	remaining := hi + " - " + lo
	if l.k.Grain > 0 {
		remaining = fmt.Sprintf("min(%s, max(loop.code.Lanes, %d))", remaining, l.k.Grain/callsOfGrain)
	}
	fmt.Fprintf(w, "for {\nn := loop.code.Count(%[2]s)\nif n == 0 {\nbreak\n}\n%[3]scallLanes(loop.code, "+
		"unsafe.Pointer(loop), %[1]s, %[1]s+n, %[4]s, %[5]s)\n%[6]s%[1]s += n\n}\n", lo, remaining, before, others, result,
		after)
}

// boxLoop writes a loop over the rows of a box.
func (p *Package) boxLoop(w *bytes.Buffer, l *loopType) {
	otherIndices := append(append([]string{}, l.indices[1:]...), "_")[:2]
	l.reductionLoop(w, func() {
		fmt.Fprintf(w, "for lo < hi {\n%s, %s, count := loop.box.Row(lo, hi)\n", l.indices[0], strings.Join(otherIndices,
			", "))
		if !l.k.Lanes {
			fmt.Fprintf(w, "for end := %[1]s + count; %[1]s < end; %[1]s++ {\n%[2]s\n}\nlo += count\n}\n", l.indices[0],
				l.body())
			return
		}
		fmt.Fprintf(w, "end := %s + count\n", l.indices[0])
		l.vectorLoop(w, strings.Join(append(append([]string{}, l.indices[1:]...), "0")[:2], ", "))
		fmt.Fprintf(w, "for ; %[1]s < end; %[1]s++ {\n%[2]s\n}\nlo += count\n}\n", l.indices[0], l.body())
	})
}
