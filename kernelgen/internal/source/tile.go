package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// SharedArray returns the array type that a parameter of a tile kernel points to, which is shared memory of its block,
// or nil.
func SharedArray(k *Kernel, t types.Type) *types.Array {
	if p, ok := types.Unalias(t).(*types.Pointer); ok && k.Tile {
		a, _ := types.Unalias(p.Elem()).(*types.Array)
		return a
	}
	return nil
}

// PointedArrays returns the array types in the source that are element types of pointers.
func (p *Package) PointedArrays() map[ast.Expr]bool {
	pointed := map[ast.Expr]bool{}
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if star, ok := n.(*ast.StarExpr); ok {
				pointed[star.X] = true
			}
			return true
		})
	}
	return pointed
}

// IsTile reports whether a function is a tile kernel of the package.
func (p *Package) IsTile(fn *types.Func) bool {
	for _, k := range p.Kernels {
		if k.Fn == fn {
			return k.Tile
		}
	}
	return false
}

// checkTile refuses code that would behave differently on a GPU, where the iterations of the outer loops are
// distributed over the threads of a block and every thread executes the statements between the loops.
func (p *Package) checkTile(k *Kernel) {
	if k.Stages > 0 || k.Dims > 1 {
		p.Refuse(k.Decl, "kernel %s: a tile kernel has one index and no stages", k.Name)
	}
	p.checkUniform(k, k.Decl.Body.List)
}

// checkUniform checks statements that every thread of a block executes.
func (p *Package) checkUniform(k *Kernel, list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.DeclStmt:
		case *ast.AssignStmt:
			for _, l := range s.Lhs {
				if _, ok := l.(*ast.Ident); !ok {
					p.Refuse(s, "kernel %s writes to memory outside of a loop, where every thread of a block would write", k.Name)
				} else if p.MentionsShared(k.Fn, s) && holdsReferences(p.Info.TypeOf(l)) {
					p.Refuse(s, "kernel %s keeps a part of shared memory in a variable outside of a loop: write it where it is used",
						k.Name)
				}
			}
		case *ast.RangeStmt:
			if p.Ordered(p.Comments[k.Fn], s) {
				p.checkUniform(k, s.Body.List)
			} else {
				p.checkThreadLoop(k, s)
			}
		case *ast.ReturnStmt:
			if s != k.Decl.Body.List[len(k.Decl.Body.List)-1] {
				p.Refuse(s, "kernel %s returns before its end: all threads of a block must reach the end", k.Name)
			}
		default:
			p.Refuse(s, "kernel %s is a tile kernel: its body is declarations, assignments to variables and loops over i "+
				":= range n", k.Name)
		}
	}
}

// MisplacedOrdered is the message about a misplaced mark //atoll:ordered.
const MisplacedOrdered = "//atoll:ordered marks only outer loops of tile kernels and loops directly inside of these"

// Ordered reports whether a loop is marked //atoll:ordered: every thread of a block executes all its iterations in
// order, and the iterations of the loops inside are distributed.
func (p *Package) Ordered(notes ast.CommentMap, loop *ast.RangeStmt) bool {
	for _, group := range notes[loop] {
		for _, words := range p.Directives(group) {
			if words[0] == "ordered" && len(words) == 1 {
				return true
			}
			p.Refuse(loop, "//atoll:%s before a loop: a loop can only be marked //atoll:ordered",
				strings.Join(words, " "))
		}
	}
	return false
}

// reduction returns the name of a kernel's reduction for messages, "min" as an example if it has none.
func (p *Package) reduction(k *Kernel) string {
	if k.Reduce == ReduceNone {
		return "min"
	}
	return string(k.Reduce)
}

// reduces reports whether a statement is best = min(best, x), or max if that is the kernel's reduction.
func (p *Package) reduces(k *Kernel, s *ast.AssignStmt, best types.Object) bool {
	call, ok := s.Rhs[0].(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || s.Tok != token.ASSIGN {
		return false
	}
	name, ok := call.Fun.(*ast.Ident)
	first, isVar := call.Args[0].(*ast.Ident)
	return ok && isVar && p.Info.Types[call.Fun].IsBuiltin() && name.Name == string(k.Reduce) &&
		p.Info.ObjectOf(first) == best
}

// returnedVariable returns the variable that a kernel with a reduction returns at its end, or nil.
func (p *Package) returnedVariable(k *Kernel) types.Object {
	list := k.Decl.Body.List
	if k.Reduce == ReduceNone || len(list) == 0 {
		return nil
	}
	last, ok := list[len(list)-1].(*ast.ReturnStmt)
	if !ok || len(last.Results) != 1 {
		return nil
	}
	id, _ := last.Results[0].(*ast.Ident)
	if id == nil {
		return nil
	}
	return p.Info.ObjectOf(id)
}

// MentionsShared reports whether a statement of a tile kernel uses shared memory.
func (p *Package) MentionsShared(fn *types.Func, s ast.Node) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		for v := range fn.Signature().Params().Variables() {
			if ptr, ok := types.Unalias(v.Type()).(*types.Pointer); ok && p.Info.ObjectOf(id) == v {
				_, array := types.Unalias(ptr.Elem()).(*types.Array)
				found = found || array
			}
		}
		return true
	})
	return found
}

// holdsReferences reports whether a type holds pointers or slices.
func holdsReferences(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return true
	case *types.Array:
		return holdsReferences(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			if holdsReferences(v.Type()) {
				return true
			}
		}
	}
	return false
}
