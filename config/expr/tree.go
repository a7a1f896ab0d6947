package expr

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Tree is an expression as the largest (Max) or the least value of others, or a single expression (Leaf).
type Tree struct {
	Leaf  *Program
	Max   bool
	Parts []*Tree
}

// maxLeaves bounds the number of leaves of a tree: sums of minima have as many as the product of their parts.
const maxLeaves = 64

// Tree returns the expression with max, min and abs as far outside as possible, so that fewer of its leaves have kinks:
// abs(x) - 1 is the larger one of x - 1 and -x - 1.
func (p *Program) Tree() *Tree {
	n := splitNode(p.node)
	if n.leaves() > maxLeaves {
		n = nodeTree{leaf: p.node}
	}
	return p.compiled(n)
}

// compiled compiles a tree of nodes, which are made of those of p.
func (p *Program) compiled(n nodeTree) *Tree {
	t := &Tree{Max: n.max}
	for _, part := range n.parts {
		t.Parts = append(t.Parts, p.compiled(part))
	}
	if n.leaf != nil {
		c := compiler{vars: p.vars}
		value, err := c.number(n.leaf)
		if err != nil { // too many terms
			return &Tree{Leaf: p}
		}
		t.Leaf = &Program{src: p.src, vars: p.vars, uses: c.uses, coords: c.coords, value: value.eval, node: n.leaf}
	}
	return t
}

// nodeTree is a Tree of nodes.
type nodeTree struct {
	leaf  ast.Node
	max   bool
	parts []nodeTree
}

func (t nodeTree) leaves() int {
	if t.leaf != nil {
		return 1
	}
	n := 0
	for _, p := range t.parts {
		n += p.leaves()
	}
	return n
}

func splitNode(n ast.Node) nodeTree {
	switch n := n.(type) {
	case *ast.UnaryNode:
		if n.Operator == "-" {
			return splitNode(n.Node).negative()
		}
		return splitNode(n.Node)
	case *ast.CallNode:
		t := nodeTree{}
		switch n.Callee.(*ast.IdentifierNode).Value {
		case "max", "min":
			t.max = n.Callee.(*ast.IdentifierNode).Value == "max"
			for _, a := range n.Arguments {
				t.parts = append(t.parts, splitNode(a))
			}
			return t
		case "abs":
			a := splitNode(n.Arguments[0])
			return nodeTree{max: true, parts: []nodeTree{a, a.negative()}}
		}
	case *ast.BinaryNode:
		if t, ok := splitBinary(n); ok {
			return t
		}
	}
	return nodeTree{leaf: n}
}

// splitBinary splits sums, and products with a number.
func splitBinary(n *ast.BinaryNode) (t nodeTree, ok bool) {
	left, right := splitNode(n.Left), splitNode(n.Right)
	if left.leaf != nil && right.leaf != nil || left.leaves()*right.leaves() > maxLeaves {
		return t, false
	}
	with := func(l, r ast.Node) ast.Node { return &ast.BinaryNode{Operator: n.Operator, Left: l, Right: r} }
	switch n.Operator {
	case "-":
		right = right.negative()
		return left.plus(right)
	case "+":
		return left.plus(right)
	case "*":
		if v, isNumber := numberOf(n.Left); isNumber {
			return right.mapped(v < 0, func(r ast.Node) ast.Node { return with(n.Left, r) }), true
		}
	}
	if v, isNumber := numberOf(n.Right); isNumber && (n.Operator == "*" || n.Operator == "/") {
		return left.mapped(v < 0, func(l ast.Node) ast.Node { return with(l, n.Right) }), true
	}
	return t, false
}

// numberOf returns the value of a number, which is not 0, and may have a sign.
func numberOf(n ast.Node) (v float64, ok bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return float64(n.Value), n.Value != 0
	case *ast.FloatNode:
		return n.Value, n.Value != 0
	case *ast.UnaryNode:
		v, ok = numberOf(n.Node)
		if n.Operator == "-" {
			v = -v
		}
		return v, ok && (n.Operator == "-" || n.Operator == "+")
	}
	return 0, false
}

// mapped applies a function to the leaves, increasing or decreasing.
func (t nodeTree) mapped(decreasing bool, f func(ast.Node) ast.Node) nodeTree {
	if t.leaf != nil {
		return nodeTree{leaf: f(t.leaf)}
	}
	out := nodeTree{max: t.max != decreasing}
	for _, p := range t.parts {
		out.parts = append(out.parts, p.mapped(decreasing, f))
	}
	return out
}

func (t nodeTree) negative() nodeTree {
	return t.mapped(true, func(n ast.Node) ast.Node { return &ast.UnaryNode{Operator: "-", Node: n} })
}

// plus adds two trees; not if one is a maximum and the other a minimum, or they have parts that are not leaves.
func (t nodeTree) plus(u nodeTree) (sum nodeTree, ok bool) {
	isFlat := func(t nodeTree) bool {
		return !slices.ContainsFunc(t.parts, func(p nodeTree) bool { return p.leaf == nil })
	}
	add := func(l, r ast.Node) ast.Node { return &ast.BinaryNode{Operator: "+", Left: l, Right: r} }
	switch {
	case u.leaf != nil:
		return t.mapped(false, func(n ast.Node) ast.Node { return add(n, u.leaf) }), true
	case t.leaf != nil:
		return u.mapped(false, func(n ast.Node) ast.Node { return add(t.leaf, n) }), true
	case t.max != u.max || !isFlat(t) || !isFlat(u):
		return sum, false
	}
	sum.max = t.max
	for _, p := range t.parts {
		part, _ := u.plus(p)
		sum.parts = append(sum.parts, part.parts...)
	}
	return sum, true
}
