package expr

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

func isCondition(n *ast.BinaryNode) bool {
	return slices.Contains([]string{"<", "<=", ">", ">=", "==", "!=", "and", "&&", "or", "||"}, n.Operator)
}

// condition compiles a node whose value is true or false.
func (c *compiler) condition(n ast.Node) (condition, error) {
	switch n := n.(type) {
	case *ast.BoolNode:
		v := n.Value
		return func(point) bool { return v }, nil
	case *ast.UnaryNode:
		if n.Operator == "not" || n.Operator == "!" {
			f, err := c.condition(n.Node)
			return func(p point) bool { return !f(p) }, err
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "and", "&&", "or", "||":
			return c.connective(n)
		}
		if isCondition(n) {
			return c.comparison(n)
		}
	}
	return nil, failure(n, "a condition is needed here, such as x > 0")
}

func (c *compiler) connective(n *ast.BinaryNode) (condition, error) {
	a, err := c.condition(n.Left)
	if err != nil {
		return nil, err
	}
	b, err := c.condition(n.Right)
	if err != nil {
		return nil, err
	}
	if n.Operator == "and" || n.Operator == "&&" {
		return func(p point) bool { return a(p) && b(p) }, nil
	}
	return func(p point) bool { return a(p) || b(p) }, nil
}

func (c *compiler) comparison(n *ast.BinaryNode) (condition, error) {
	left, err := c.number(n.Left)
	if err != nil {
		return nil, err
	}
	right, err := c.number(n.Right)
	if err != nil {
		return nil, err
	}
	c.breaksBetween(left, right)
	a, b := left.eval, right.eval
	switch n.Operator {
	case "<":
		return func(p point) bool { return a(p) < b(p) }, nil
	case "<=":
		return func(p point) bool { return a(p) <= b(p) }, nil
	case ">":
		return func(p point) bool { return a(p) > b(p) }, nil
	case ">=":
		return func(p point) bool { return a(p) >= b(p) }, nil
	case "==":
		return func(p point) bool { return a(p) == b(p) }, nil
	}
	return func(p point) bool { return a(p) != b(p) }, nil
}
