// Package expr compiles the numeric expressions of case files, such as "sqrt(x*x + y*y) > 1.5 ? 4.0 : 0.5".
//
// The text is parsed by expr-lang/expr. Only a part of its language is accepted: numbers, conditions, names and the
// functions below. All numbers are float64 (1/2 is 0.5), conditions are allowed only where one is needed, and there
// are no strings, arrays, loops or assignments. The checked tree is compiled to nested Go closures, which evaluate
// about ten times faster than the library's virtual machine.
//
// Variables are x, y, z (m), t (s) and pi. Operators are + - * / % ^ (or **), the comparisons, and, or, not, and ?:.
// Functions are
//
//	abs acos asin atan atan2(y, x) ceil cos cosh exp floor hypot(x, y) log log10 max(…) min(…)
//	pow(x, y) sign sin sinh sqrt step tan tanh
//
// where angles are in radians, log is the natural logarithm, sign(0) is 0, and step(x) is 0 for x < 0 and 1 for x ≥
// 0. Values have the same bits on every processor: the functions that Go implements in assembly on some processors
// come from internal/portable.
package expr

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// MaxLength is the length in bytes of the longest expression that Compile takes.
const MaxLength = 4096

// Program is a compiled expression. Any number of goroutines may evaluate it.
type Program struct {
	src    string
	vars   []string
	uses   []string // of vars, those that the expression uses, sorted
	coords []string // of x, y, z, t and pi, those that the expression uses
	value  number

	node          ast.Node
	bounds        bounds // see compileBounds
	compileBounds sync.Once

	breakers []breaker
}

// Compile compiles an expression over x, y, z, t, pi and the variables vars. An error has one line, with the
// expression and the column.
func Compile(src string, vars ...string) (*Program, error) {
	if len(src) > MaxLength {
		return nil, fmt.Errorf("expression of %d bytes is longer than %d; put the data into a raster", len(src), MaxLength)
	}
	if strings.TrimSpace(src) == "" {
		return nil, errors.New("expression is empty")
	}
	if bad := firstReserved(vars); bad != "" {
		return nil, fmt.Errorf("variable %q already has a meaning in expressions", bad)
	}
	config := conf.CreateNew()
	config.DisableIfOperator = true
	for _, b := range builtin.Builtins {
		config.Functions[b.Name] = b // parsed as an ordinary call, which compiler.number accepts or refuses
	}
	// The parser takes ?. for an operator that expressions here do not have: x < 1 ?.5 : 0 is a choice.
	tree, err := parser.ParseWithConfig(strings.ReplaceAll(src, "?.", "? ."), config)
	if err != nil {
		return nil, withPosition(src, err)
	}
	c := compiler{vars: vars}
	value, err := c.number(tree.Node)
	if err != nil {
		var located *file.Error
		if errors.As(err, &located) {
			located.Bind(tree.Source)
		}
		return nil, withPosition(src, err)
	}
	return &Program{src: src, vars: slices.Clone(vars), uses: c.uses, coords: c.coords, value: value.eval,
		node: tree.Node, breakers: c.breakers}, nil
}

// Eval returns the value at a point. extra holds the values of the variables named to Compile, in their order. A
// result that is not a finite number is an error, which shows the expression and the point.
func (p *Program) Eval(x, y, z, t float64, extra ...float64) (float64, error) {
	if len(extra) != len(p.vars) {
		return 0, fmt.Errorf("expression %q has %d extra variables, not %d", p.src, len(p.vars), len(extra))
	}
	v := p.value(point{x, y, z, t, extra})
	if v-v != 0 {
		return 0, p.notFinite(v, x, y, z, t, extra)
	}
	return v, nil
}

func (p *Program) notFinite(v, x, y, z, t float64, extra []float64) error {
	what := "infinite"
	if math.IsNaN(v) {
		what = "not a number"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "x = %g, y = %g, z = %g, t = %g", x, y, z, t)
	for i, name := range p.vars {
		fmt.Fprintf(&text, ", %s = %g", name, extra[i])
	}
	return fmt.Errorf("expression %q is %s at %s", p.src, what, text.String())
}

// Uses returns the extra variables that the expression mentions, sorted.
func (p *Program) Uses() []string { return slices.Clone(p.uses) }

// Mentions reports whether x, y, z, t or pi is in the expression.
func (p *Program) Mentions(name string) bool { return slices.Contains(p.coords, name) }

// String returns the source.
func (p *Program) String() string { return p.src }

// Constant returns the value of an expression that has neither coordinates nor variables; ok is false for others, and
// for a nil program.
func (p *Program) Constant() (v float64, ok bool) {
	if p == nil || len(p.uses) > 0 || slices.ContainsFunc(p.coords, func(name string) bool { return name != "pi" }) {
		return 0, false
	}
	v, err := p.Eval(0, 0, 0, 0)
	return v, err == nil
}

// IsVariable reports whether a name can be that of a variable in expressions, beside x, y, z, t and pi.
func IsVariable(name string) bool {
	isLetter := func(r rune) bool { return r == '_' || unicode.IsLetter(r) }
	for i, r := range name {
		if !isLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	program, err := Compile(name, name)
	return err == nil && len(program.uses) == 1
}

// firstReserved returns the first name in vars that an expression cannot use as a variable; "" for none.
func firstReserved(vars []string) string {
	for i, name := range vars {
		_, function := functions[name]
		if function || slices.Contains(builtins, name) || slices.Contains(vars[:i], name) {
			return name
		}
	}
	return ""
}

// withPosition turns an error into one line with the expression and the position in it.
func withPosition(src string, err error) error {
	var located *file.Error
	if !errors.As(err, &located) {
		return fmt.Errorf("expression %q: %w", src, err)
	}
	position := fmt.Sprintf("column %d", located.Column+1)
	if strings.ContainsRune(src, '\n') {
		position = fmt.Sprintf("line %d, %s", located.Line, position)
	}
	return fmt.Errorf("expression %q, %s: %s", src, position, located.Message)
}
