package problem

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers"
)

// Flows are the water of each layer.
func (d *flow) Flows() []solvers.Flow {
	of := func(name, doc, h, u, v string) solvers.Flow {
		return solvers.Flow{Name: name, Unit: "m³/s", Doc: doc, On: d.cells,
			At: func(_ context.Context, cells []int, values []float64) error {
				for k, cell := range cells {
					thickness := d.Value(h, cell)
					values[2*k], values[2*k+1] = thickness*d.Value(u, cell), thickness*d.Value(v, cell)
				}
				return nil
			}}
	}
	if d.layers() == 1 {
		return []solvers.Flow{of("discharge", "water through the line, from its left to its right", "h2", "u2", "v2")}
	}
	return []solvers.Flow{
		of("discharge1", "upper layer through the line, from its left to its right", "h1", "u1", "v1"),
		of("discharge2", "lower layer through the line, from its left to its right", "h2", "u2", "v2"),
	}
}
