package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// SharedArray is the array that a parameter of a tile kernel points to: memory that the threads of its block share.
func SharedArray(k *Kernel, t types.Type) *types.Array {
	if p, ok := types.Unalias(t).(*types.Pointer); ok && k.Tile {
		a, _ := types.Unalias(p.Elem()).(*types.Array)
		return a
	}
	return nil
}

// PointedArrays finds the array types in the source that pointers lead to: they are a part of no other type.
func (p *Package) PointedArrays() map[ast.Expr]bool {
	all := map[ast.Expr]bool{}
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if star, ok := n.(*ast.StarExpr); ok {
				all[star.X] = true
			}
			return true
		})
	}
	return all
}

func (p *Package) IsTile(fn *types.Func) bool {
	for _, k := range p.Kernels {
		if k.Fn == fn {
			return k.Tile
		}
	}
	return false
}

// checkTile refuses what would mean something else when the threads of a block share the outer loops of a tile
// kernel: every thread does what stands between them.
func (p *Package) checkTile(k *Kernel) {
	if k.Stages > 0 || k.Dims > 1 {
		p.Refuse(k.Decl, "kernel %s: a tile kernel has one index and no stages", k.Name)
	}
	p.checkTogether(k, k.Decl.Body.List)
}

// checkTogether checks statements that all threads of a tile go through together.
func (p *Package) checkTogether(k *Kernel, list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.DeclStmt:
		case *ast.AssignStmt:
			for _, l := range s.Lhs {
				if _, ok := l.(*ast.Ident); !ok {
					p.Refuse(s, "kernel %s writes to memory outside of a loop, which every thread of a tile would do", k.Name)
				} else if p.MentionsShared(k.Fn, s) && leads(p.Info.TypeOf(l)) {
					p.Refuse(s, "kernel %s keeps a part of shared memory in a variable outside of a loop: write it where it is used",
						k.Name)
				}
			}
		case *ast.RangeStmt:
			if p.Ordered(p.Comments[k.Fn], s) {
				p.checkTogether(k, s.Body.List)
			} else {
				p.checkLanes(k, s)
			}
		case *ast.ReturnStmt:
			if s != k.Decl.Body.List[len(k.Decl.Body.List)-1] {
				p.Refuse(s, "kernel %s returns before its end: the threads of a tile stay together", k.Name)
			}
		default:
			p.Refuse(s, "kernel %s is a tile kernel: its body is declarations, assignments to variables and loops over i "+
				":= range n", k.Name)
		}
	}
}

const Misplaced = "//atoll:ordered marks outer loops of tile kernels, and loops in these that stand for themselves"

// Ordered tells whether a loop is marked //atoll:ordered: all threads of a tile take its turns together, one after the
// other, and share the loops inside.
func (p *Package) Ordered(notes ast.CommentMap, loop *ast.RangeStmt) bool {
	for _, group := range notes[loop] {
		for _, words := range p.Directives(group) {
			if words[0] == "ordered" && len(words) == 1 {
				return true
			}
			p.Refuse(loop, "//atoll:%s stands before a loop: a loop can only be marked //atoll:ordered",
				strings.Join(words, " "))
		}
	}
	return false
}

func (p *Package) reduction(k *Kernel) string {
	if k.Reduce == ReduceNone {
		return "min"
	}
	return string(k.Reduce)
}

// reduces tells whether a statement is best = min(best, x), or max, by the kernel's own reduction.
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

// returned is the variable that a kernel with a reduction returns at its end.
func (p *Package) returned(k *Kernel) types.Object {
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

// MentionsShared tells whether a statement of a tile kernel names memory that its block shares.
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

// leads tells whether a value leads to memory.
func leads(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return true
	case *types.Array:
		return leads(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			if leads(v.Type()) {
				return true
			}
		}
	}
	return false
}
