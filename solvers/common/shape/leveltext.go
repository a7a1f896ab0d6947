package shape

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/config/expr"
)

// levelTexts are level sets of the primitives in two and three dimensions, where {k} is the k-th number of the shape.
// They are for combinations with expressions.
var levelTexts = map[string]string{
	"circle":       "(x - {0})^2 + (y - {1})^2 - {2}^2",
	"sphere":       "(x - {0})^2 + (y - {1})^2 + (z - {2})^2 - {3}^2",
	"ellipse":      "((x - {0})/{2})^2 + ((y - {1})/{3})^2 - 1",
	"ellipsoid":    "((x - {0})/{3})^2 + ((y - {1})/{4})^2 + ((z - {2})/{5})^2 - 1",
	"box 2":        "max({0} - x, x - {2}, {1} - y, y - {3})",
	"box 3":        "max({0} - x, x - {3}, {1} - y, y - {4}, {2} - z, z - {5})",
	"plane 2":      "(x - {0})*{2} + (y - {1})*{3}",
	"plane 3":      "(x - {0})*{3} + (y - {1})*{4} + (z - {2})*{5}",
	"cylinder 0":   "(y - {1})^2 + (z - {2})^2 - {3}^2",
	"cylinder 1":   "(x - {0})^2 + (z - {2})^2 - {3}^2",
	"cylinder 2":   "(x - {0})^2 + (y - {1})^2 - {3}^2",
	"torus":        "(sqrt((x - {0})^2 + (y - {1})^2) - {3})^2 + (z - {2})^2 - {4}^2",
	"slotted-disk": "max((x - {0})^2 + (y - {1})^2 - {2}^2, -max(abs(x - {0}) - {3}/2, y - {4}))",
}

// levelsOfPrimitive compiles the level set of a primitive.
func levelsOfPrimitive(name string, dim int, v []float64) (*levels, error) {
	text, ok := levelTexts[name]
	switch {
	case ok:
	case name == "cylinder":
		text = levelTexts[fmt.Sprintf("cylinder %g", v[4])]
	default:
		text = levelTexts[fmt.Sprintf("%s %d", name, dim)]
	}
	for k, number := range v {
		text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", k), "("+strconv.FormatFloat(number, 'g', -1, 64)+")")
	}
	p, err := expr.Compile(text)
	if err != nil {
		return nil, err
	}
	return levelsOf(p.Tree(), levelSet{eval: func(p *expr.Program, x, y, z float64) float64 {
		v, _ := p.Eval(x, y, z, 0) // finite for finite numbers
		return v
	}}), nil
}
