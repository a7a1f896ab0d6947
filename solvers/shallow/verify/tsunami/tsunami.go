// Package tsunami has the benchmarks of the tsunami community: solitary waves on beaches, a conical island, and Monai
// valley.
package tsunami

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// Suite is the benchmarks of the tsunami community, against exact solutions and laboratory experiments: see
// data/README.md. Bounds are those of approval bodies, or tighter: C. E. Synolakis et al. (2007) require 5% for exact
// solutions and 10% for laboratory experiments. All benchmarks run one layer at second order.
var Suite = verify.Suite{Name: "tsunami", TwinRanks: 2, Scales: true, Checks: []verify.Check{
	{Name: "bp1", About: "A solitary wave on a simple beach, exact", Run: simpleBeach,
		Largest: largestCase(1200, 5000)},
	{Name: "bp4", About: "A solitary wave on a simple beach, in a laboratory", Run: laboratoryBeach,
		Largest: largestCase(1500, 6000)},
	{Name: "bp7", About: "Monai valley, a laboratory model of the tsunami of 1993 off Hokkaido", Run: monai,
		Largest: largestCase(2500, 24000)},
	{Name: "bp6", About: "Solitary waves around a conical island, in a laboratory", Run: conicalIsland,
		Largest: largestCase(8000, 60000)},
}}

// largestCase returns a case with as many cells as the mesh of a check.
func largestCase(quick, full int) func(o verify.Options) string {
	return func(o verify.Options) string {
		return fmt.Sprintf("solver = 'shallow-water'\nmesh = { generate = 'rectangle', bounds = [0, 0, 1, 1], cells = %d }\n"+
			"physics = { layers = 1, order = 2, manning = 0.01 }\ninitial = { depth = 1, h = 1 }\ntime = { end = 1 }\n",
			basin.Triangles(&verify.Page{Options: o}, quick, full))
	}
}

// misfit returns the mean of |ours - theirs| over the range of theirs, where both are numbers.
func misfit(theirs, ours []float64) float64 {
	least, most, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for i, v := range theirs {
		if math.IsNaN(v) {
			continue
		}
		least, most = min(least, v), max(most, v)
		if !math.IsNaN(ours[i]) {
			sum, n = sum+math.Abs(ours[i]-v), n+1
		}
	}
	return sum / float64(n) / (most - least)
}

// comparisonPanel returns a panel with two curves: theirs, measured or exact, and ours.
func comparisonPanel(label, name string, theirs, ours []float64) chart.Panel {
	return chart.Panel{Label: label, Curves: []chart.Curve{{Name: name, Values: theirs}, {Name: "atoll", Values: ours}}}
}
