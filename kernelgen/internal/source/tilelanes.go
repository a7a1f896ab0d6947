package source

import (
	"go/ast"
	"go/token"
	"go/types"
)

// laneLoop checks a loop whose turns are done by different threads: each keeps to itself, but for what the kernel
// reduces.
type laneLoop struct {
	p     *Package
	k     *Kernel
	loop  *ast.RangeStmt
	best  types.Object // what the kernel reduces, or nil
	depth int          // of loops and switches inside
}

// checkLanes checks such a loop.
func (p *Package) checkLanes(k *Kernel, loop *ast.RangeStmt) {
	if b, ok := p.Info.TypeOf(loop.X).Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		p.Refuse(loop.X, "the outer loops of a tile kernel range over integers")
	}
	l := &laneLoop{p: p, k: k, loop: loop, best: p.returned(k)}
	ast.Inspect(loop.Body, l.visit)
}

// outside is the variable of an expression, if it is one from outside of the loop.
func (l *laneLoop) outside(e ast.Expr) types.Object {
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

// inside visits a loop or switch in the loop, which a break leaves.
func (l *laneLoop) inside(body *ast.BlockStmt) {
	l.depth++
	ast.Inspect(body, l.visit)
	l.depth--
}

// visit refuses what the threads of a tile cannot do by turns.
func (l *laneLoop) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ForStmt:
		l.inside(n.Body)
		return false
	case *ast.RangeStmt:
		if l.p.Ordered(l.p.Comments[l.k.Fn], n) {
			l.p.Refuse(n, Misplaced)
		}
		l.inside(n.Body)
		return false
	case *ast.SwitchStmt:
		l.inside(n.Body)
		return false
	case *ast.ReturnStmt:
		l.p.Refuse(n, "a return inside of a tile's loop: the threads of a tile stay together")
	case *ast.BranchStmt:
		if n.Tok == token.BREAK && l.depth == 0 {
			l.p.Refuse(n, "a break of a tile's loop, whose turns are done by different threads: use continue")
		}
	case *ast.AssignStmt:
		return l.assigned(n)
	case *ast.Ident:
		if l.best != nil && l.p.Info.ObjectOf(n) == l.best {
			l.p.Refuse(n, "%s is not yet reduced inside of a tile's loop: only best = %s(best, x) may use it", n.Name,
				l.p.reduction(l.k))
		}
	case *ast.IncDecStmt:
		l.changes(n, n.X)
	case *ast.UnaryExpr:
		if obj := l.outside(n.X); n.Op == token.AND && obj != nil {
			l.p.Refuse(n, "the address of %s, which comes from outside of the loop", obj.Name())
		}
	}
	return true
}

// assigned checks an assignment, and tells whether what is in it is still to be visited.
func (l *laneLoop) assigned(s *ast.AssignStmt) bool {
	if l.best != nil && len(s.Lhs) == 1 && l.outside(s.Lhs[0]) == l.best && l.p.reduces(l.k, s, l.best) {
		ast.Inspect(s.Rhs[0].(*ast.CallExpr).Args[1], l.visit)
		return false
	}
	for _, to := range s.Lhs {
		l.changes(s, to)
	}
	return true
}

// changes refuses a statement that changes a variable from outside.
func (l *laneLoop) changes(s ast.Node, to ast.Expr) {
	if obj := l.outside(to); obj != nil {
		l.p.Refuse(s, "%s comes from outside of the loop, whose turns are done by different threads: only best = "+
			"%s(best, x) may change it", obj.Name(), l.p.reduction(l.k))
	}
}
