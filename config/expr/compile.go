package expr

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// point holds the arguments of an evaluation. It is passed by value, so that closures share nothing.
type point struct {
	x, y, z, t float64
	extra      []float64
}

type (
	number    func(point) float64
	condition func(point) bool
)

// term is a compiled node whose value is a number. A constant does not depend on the point.
type term struct {
	eval     number
	constant bool
	shifted  shifted // if the value is a coordinate plus a constant
}

var builtins = []string{"x", "y", "z", "t", "pi"}

// maxTerms bounds the number of compiled terms. A chain a < b < c compiles b twice, so nested chains could otherwise
// grow exponentially.
const maxTerms = 2 * MaxLength

type compiler struct {
	vars   []string // names of the extra variables, in the order of their values
	uses   []string // those of vars that the expression uses, sorted
	coords []string // x, y, z, t and pi, once for each occurrence
	terms  int

	breakers []breaker
}

func failure(n ast.Node, format string, args ...any) error {
	return &file.Error{Location: n.Location(), Message: fmt.Sprintf(format, args...)}
}

// number compiles a node whose value is a number, and folds it to its value if it is constant.
func (c *compiler) number(n ast.Node) (term, error) {
	if c.terms++; c.terms > maxTerms {
		return term{}, failure(n, "too many terms; a chain of comparisons a < b < c counts as a < b and b < c")
	}
	t, err := c.term(n)
	if err == nil && t.constant {
		v := t.eval(point{})
		t.eval = func(point) float64 { return v }
	}
	return t, err
}

// term is number without the folding of constants.
func (c *compiler) term(n ast.Node) (term, error) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return literal(float64(n.Value)), nil
	case *ast.FloatNode:
		return literal(n.Value), nil
	case *ast.IdentifierNode:
		return c.variable(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ConditionalNode:
		return c.choice(n)
	case *ast.CallNode:
		return c.call(n)
	case *ast.BoolNode:
		return term{}, notNumber(n)
	}
	return term{}, failure(n, "only numbers, names, operators and functions can be used here")
}

func literal(v float64) term { return term{eval: func(point) float64 { return v }, constant: true} }

func notNumber(n ast.Node) error {
	return failure(n, "this is a condition where a number is needed; write (condition) ? 1 : 0")
}

func (c *compiler) variable(n *ast.IdentifierNode) (term, error) {
	if slices.Contains(builtins, n.Value) {
		c.coords = append(c.coords, n.Value)
	}
	switch n.Value {
	case "x", "y", "z", "t":
		return shifted{coordinate: n.Value[0]}.term(), nil
	case "pi":
		return literal(math.Pi), nil
	}
	if i := slices.Index(c.vars, n.Value); i >= 0 {
		if index, found := slices.BinarySearch(c.uses, n.Value); !found {
			c.uses = slices.Insert(c.uses, index, n.Value)
		}
		return term{eval: func(p point) float64 { return p.extra[i] }}, nil
	}
	if _, ok := functions[n.Value]; ok {
		return term{}, failure(n, "%s is a function; write %s(…)", n.Value, n.Value)
	}
	known := slices.Concat(builtins, c.vars)
	return term{}, failure(n, "name %q is not known; use one of %s", n.Value, strings.Join(known, ", "))
}

func (c *compiler) unary(n *ast.UnaryNode) (term, error) {
	if n.Operator != "-" && n.Operator != "+" {
		return term{}, failure(n, "a number is needed here; put parentheses around the operand of %s, as in not (x > 0)",
			n.Operator)
	}
	a, err := c.number(n.Node)
	if err != nil || n.Operator == "+" {
		return a, err
	}
	f := a.eval
	return term{eval: func(p point) float64 { return -f(p) }, constant: a.constant}, nil
}

func (c *compiler) binary(n *ast.BinaryNode) (term, error) {
	if !slices.Contains([]string{"+", "-", "*", "/", "%", "^", "**"}, n.Operator) {
		if isCondition(n) {
			return term{}, notNumber(n)
		}
		return term{}, failure(n, "operator %s does not apply to numbers; use + - * / %% ^ < <= > >= == != and or not ?:",
			n.Operator)
	}
	left, err := c.number(n.Left)
	if err != nil {
		return term{}, err
	}
	right, err := c.number(n.Right)
	if err != nil {
		return term{}, err
	}
	if n.Operator == "%" && right.constant {
		c.breaksAt(left.eval, math.Abs(right.eval(point{})))
	}
	if n.Operator == "*" && left.shifted.coordinate != 0 && left.shifted == right.shifted {
		return term{eval: square(left)}, nil
	}
	if !left.constant && right.constant {
		if t, ok := withConstant(n.Operator, left, right.eval(point{})); ok {
			return t, nil
		}
	}
	return term{eval: arithmetic(n.Operator, left.eval, right.eval), constant: left.constant && right.constant}, nil
}

// arithmetic returns the function of an operator applied to a and b.
func arithmetic(operator string, a, b number) number {
	switch operator {
	case "+":
		return func(p point) float64 { return a(p) + b(p) }
	case "-":
		return func(p point) float64 { return a(p) - b(p) }
	case "*":
		return func(p point) float64 { return a(p) * b(p) }
	case "/":
		return func(p point) float64 { return a(p) / b(p) }
	case "%":
		return func(p point) float64 { return math.Mod(a(p), b(p)) }
	}
	return func(p point) float64 { return portable.Pow(a(p), b(p)) }
}

func (c *compiler) choice(n *ast.ConditionalNode) (term, error) {
	test, err := c.condition(n.Cond)
	if err != nil {
		return term{}, err
	}
	yes, err := c.number(n.Exp1)
	if err != nil {
		return term{}, err
	}
	no, err := c.number(n.Exp2)
	if err != nil {
		return term{}, err
	}
	a, b := yes.eval, no.eval
	return term{eval: func(p point) float64 {
		if test(p) {
			return a(p)
		}
		return b(p)
	}}, nil
}
