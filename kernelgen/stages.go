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

// staged writes a loop over groups of indices: each call of the kernel's body is done for all indices of a group before
// the next call, so that the processor overlaps the work of several indices.
func (p *Package) staged(w *bytes.Buffer, k *Kernel, l *loopType) {
	const need = "stages=N needs a body that declares one variable, var f T, and then only calls its methods"
	body := k.Decl.Body.List
	if k.Reduce != source.ReduceNone || l.boxed || len(body) < 2 {
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
	element := l.text(obj.Type())
	fmt.Fprintf(w, "var tile [%d]%s\nfor ; lo < hi; lo += len(tile) {\ngroup := tile[:min(len(tile), "+
		"hi-lo)]\nclear(group)\n", k.Stages, element)
	for _, s := range body[1:] {
		e, ok := s.(*ast.ExprStmt)
		call, isCall := (ast.Expr)(nil), false
		if ok {
			call = e.X
			_, isCall = call.(*ast.CallExpr)
		}
		if !isCall || !p.onLocal(call.(*ast.CallExpr), obj) {
			p.Refuse(s, "kernel %s: %s", k.Name, need)
			return
		}
		fmt.Fprintf(w, "for turn := range group {\n%s\n}\n", p.rewrite(call, l, obj))
	}
	w.WriteString("}\n")
}

// onLocal reports whether a call is of a method of the variable.
func (p *Package) onLocal(c *ast.CallExpr, v types.Object) bool {
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
