package problem

import (
	"context"

	"github.com/atoll-hpc/atoll/halo/division"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// rule returns how the vertices are divided among ranks on processors, whose ghosts are exchanged set by set.
func (b planeMesh) rule(w *Sections) division.Rule {
	var d division.Division // without owners
	return func(ctx context.Context, ranks int) (*division.Division, error) {
		if d.Set == nil {
			rings, err := b.Rings()
			if err != nil {
				return nil, err
			}
			of, err := layout.New(b.Mesh, layoutOptions(w, false))
			if err != nil {
				return nil, err
			}
			d.Graph, d.Set = partition.Graph{Start: rings.Start, Adj: rings.At}, of.SetOf()
		}
		owner, err := ownersOf(ctx, w, func() (partition.Graph, error) { return d.Graph, nil }, ranks, b.X, b.Y)
		return &division.Division{Owner: owner, Graph: d.Graph, Set: d.Set}, err
	}
}
