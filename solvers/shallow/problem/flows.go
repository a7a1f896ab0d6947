package problem

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/solvers"
)

// Fluxes through transects of two layers, and of one.
var (
	flowsOfTwo = []solvers.Flow{
		{Name: "discharge1", Unit: "m³/s", Doc: "upper layer through the line, from its left to its right"},
		{Name: "discharge2", Unit: "m³/s", Doc: "lower layer through the line, from its left to its right"},
	}
	flowsOfOne = []solvers.Flow{
		{Name: "discharge", Unit: "m³/s", Doc: "water through the line, from its left to its right"},
	}
)

// Flows returns the mass flows.
func (d *caseSolver) Flows() []solvers.Flow {
	list, layers := slices.Clone(flowsOfTwo), []string{"1", "2"}
	if d.layers() == 1 {
		list, layers = slices.Clone(flowsOfOne), []string{"2"}
	}
	for k, layer := range layers {
		list[k].Space = d.cells
		var numbers [3][]float64
		list[k].ValuesAt = func(_ context.Context, cells []int, values []float64) error {
			for q, name := range []string{"h" + layer, "u" + layer, "v" + layer} {
				numbers[q] = slices.Grow(numbers[q][:0], len(cells))[:len(cells)]
				if err := d.Pick(name, cells, numbers[q]); err != nil {
					return err
				}
			}
			h, u, v := numbers[0], numbers[1], numbers[2]
			for i := range cells {
				values[2*i], values[2*i+1] = h[i]*u[i], h[i]*v[i]
			}
			return nil
		}
	}
	return list
}
