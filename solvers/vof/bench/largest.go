package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/partition"
	_ "github.com/atoll-hpc/atoll/solvers/vof/problem" // registers the solver of these cases
)

// largestCases returns the texts of cases that need as much memory as the largest measurements.
func (o *StepOptions) largestCases() (texts []string) {
	most := slices.Max(o.Cells)
	n := [3]int{most, most, most}
	if o.Dim == 2 {
		n[2] = 1
	}
	if parts, err := partition.Blocks(n, o.Dim, slices.Max(o.Ranks), [3]int{}); o.Weak && err == nil {
		for axis := range n {
			n[axis] *= parts[axis]
		}
	}
	flow, shape := "rider-kothe", "circle(0.5, 0.75, 0.15)"
	if o.Dim == 3 {
		flow, shape = "enright", "sphere(0.35, 0.35, 0.35, 0.15)"
	}
	repeat := func(text string) string { return strings.Repeat(text, o.Dim) }
	cells := strings.Join(strings.Fields(fmt.Sprint(n[:o.Dim])), ", ")
	for _, precision := range o.Precisions {
		for _, cfg := range o.Configs {
			texts = append(texts, fmt.Sprintf("solver = 'vof'\ngrid = { bounds = [%s%s], cells = %s }\ntime = { end = 8 }\n"+
				"initial = { shape = '%s' }\nvelocity = { field = '%s', period = 8 }\nmethod = { precision = '%s', "+
				"normal = '%s', advect = '%s', exchange = '%s', sweep = '%s' }\n", repeat("0, "),
				strings.TrimSuffix(repeat("1, "), ", "), cells, shape, flow, precision, cfg.Normal, cfg.Advect, cfg.Exchange,
				cfg.Sweep))
		}
	}
	return texts
}
