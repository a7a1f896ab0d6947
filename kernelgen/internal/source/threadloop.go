package source

import (
	"go/ast"
	"go/token"
	"go/types"
)

// threadLoop checks a loop whose iterations are distributed over threads: an iteration must not change variables from
// outside of the loop, except by the kernel's reduction.
type threadLoop struct {
	p     *Package
	k     *Kernel
	loop  *ast.RangeStmt
	best  types.Object // the variable of the kernel's reduction, or nil
	depth int          // of nested loops and switches
}

// checkThreadLoop checks a loop whose iterations are distributed over threads.
func (p *Package) checkThreadLoop(k *Kernel, loop *ast.RangeStmt) {
	if b, ok := p.Info.TypeOf(loop.X).Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		p.Refuse(loop.X, "the outer loops of a tile kernel range over integers")
	}
	l := &threadLoop{p: p, k: k, loop: loop, best: p.returnedVariable(k)}
	ast.Inspect(loop.Body, l.visit)
}

// outerVariable returns the variable of an expression if it is declared outside of the loop, or nil.
func (l *threadLoop) outerVariable(e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	obj := l.p.Info.ObjectOf(id)
	if obj == nil || obj.Pos() >= l.loop.Pos() && obj.Pos() < l.loop.End() {
		return nil
	}
	return obj
}

// visitNested visits the body of a nested loop or switch, which a break may leave.
func (l *threadLoop) visitNested(body *ast.BlockStmt) {
	l.depth++
	ast.Inspect(body, l.visit)
	l.depth--
}

// visit refuses statements that are not possible if iterations run on different threads.
func (l *threadLoop) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ForStmt:
		l.visitNested(n.Body)
		return false
	case *ast.RangeStmt:
		if l.p.Ordered(l.p.Comments[l.k.Fn], n) {
			l.p.Refuse(n, MisplacedOrdered)
		}
		l.visitNested(n.Body)
		return false
	case *ast.SwitchStmt:
		l.visitNested(n.Body)
		return false
	case *ast.ReturnStmt:
		l.p.Refuse(n, "a return inside of a tile's loop: all threads of a block must reach its end")
	case *ast.BranchStmt:
		if n.Tok == token.BREAK && l.depth == 0 {
			l.p.Refuse(n, "a break of a tile's loop, whose iterations run on different threads: use continue")
		}
	case *ast.AssignStmt:
		return l.checkAssignment(n)
	case *ast.Ident:
		if l.best != nil && l.p.Info.ObjectOf(n) == l.best {
			l.p.Refuse(n, "%s is not yet reduced inside of a tile's loop: only best = %s(best, x) may use it", n.Name,
				l.p.reduction(l.k))
		}
	case *ast.IncDecStmt:
		l.checkTarget(n, n.X)
	case *ast.UnaryExpr:
		if obj := l.outerVariable(n.X); n.Op == token.AND && obj != nil {
			l.p.Refuse(n, "the address of %s, which comes from outside of the loop", obj.Name())
		}
	}
	return true
}

// checkAssignment checks an assignment, and reports whether its operands are still to be visited.
func (l *threadLoop) checkAssignment(s *ast.AssignStmt) bool {
	if l.best != nil && len(s.Lhs) == 1 && l.outerVariable(s.Lhs[0]) == l.best && l.p.reduces(l.k, s, l.best) {
		ast.Inspect(s.Rhs[0].(*ast.CallExpr).Args[1], l.visit)
		return false
	}
	for _, target := range s.Lhs {
		l.checkTarget(s, target)
	}
	return true
}

// checkTarget refuses a statement that changes a variable from outside of the loop.
func (l *threadLoop) checkTarget(s ast.Node, target ast.Expr) {
	if obj := l.outerVariable(target); obj != nil {
		l.p.Refuse(s, "%s comes from outside of the loop, whose iterations run on different threads: only best = "+
			"%s(best, x) may change it", obj.Name(), l.p.reduction(l.k))
	}
}
