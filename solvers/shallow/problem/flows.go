package problem

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/solvers"
)

// What flows through lines of two layers, and of one.
var (
	flowsOfTwo = []solvers.Flow{
		{Name: "discharge1", Unit: "m³/s", Doc: "upper layer through the line, from its left to its right"},
		{Name: "discharge2", Unit: "m³/s", Doc: "lower layer through the line, from its left to its right"},
	}
	flowsOfOne = []solvers.Flow{
		{Name: "discharge", Unit: "m³/s", Doc: "water through the line, from its left to its right"},
	}
)

// Flows are the mass flows of cells.
func (d *flow) Flows() []solvers.Flow {
	list, layers := slices.Clone(flowsOfTwo), []string{"1", "2"}
	if d.layers() == 1 {
		list, layers = slices.Clone(flowsOfOne), []string{"2"}
	}
	for k, of := range layers {
		list[k].On = d.cells
		list[k].At = func(_ context.Context, cells []int, values []float64) error {
			for i, cell := range cells {
				h := d.Value("h"+of, cell)
				values[2*i], values[2*i+1] = h*d.Value("u"+of, cell), h*d.Value("v"+of, cell)
			}
			return nil
		}
	}
	return list
}
