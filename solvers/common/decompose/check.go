package decompose

import (
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
)

// MeshShare is what a rank gets of a mesh.
type MeshShare struct {
	Part *mesh.Part
	Plan *halo.Plan
}

// Check refuses a share that is not that of a rank, whose arrays do not belong together, or that points beyond them.
func (s *MeshShare) Check(rank, ranks int) error {
	if s.Part == nil || s.Plan == nil {
		return errors.New("it has no part, or no plan")
	}
	if s.Plan.Rank != rank {
		return fmt.Errorf("it is that of rank %d, this is rank %d", s.Plan.Rank, rank)
	}
	if err := s.Plan.Check(ranks); err != nil {
		return err
	}
	return check(s.Part, s.Plan)
}

// check refuses a part whose arrays do not belong together, or that points beyond them.
func check(p *mesh.Part, plan *halo.Plan) error {
	cells := len(p.Cells)
	if p.Core < 0 || p.Core > p.Owned || p.Owned != plan.Owned || cells != plan.Owned+plan.Ghosts {
		return fmt.Errorf("%d core cells of %d, %d cells in all, where the plan has %d and %d ghosts", p.Core, p.Owned, cells,
			plan.Owned, plan.Ghosts)
	}
	if len(p.X) != len(p.Y) || len(p.Global) != cells || len(p.Neighbour) != p.Owned {
		return fmt.Errorf("%d and %d coordinates, ids of %d cells and neighbours of %d, where there are %d, of them %d owned",
			len(p.X), len(p.Y), len(p.Global), len(p.Neighbour), cells, p.Owned)
	}
	for i, c := range p.Cells {
		for _, v := range c {
			if v < 0 || int(v) >= len(p.X) {
				return fmt.Errorf("cell %d has vertex %d of %d", i, v, len(p.X))
			}
		}
		if p.Global[i] < 0 {
			return fmt.Errorf("cell %d has the id %d", i, p.Global[i])
		}
	}
	for i, near := range p.Neighbour {
		end := cells
		if i < p.Core {
			end = p.Owned
		}
		for _, n := range near {
			if int(n) >= end || int(mesh.OutsideGroup(n)) >= len(p.Groups) {
				return fmt.Errorf("cell %d has neighbour %d, of %d cells and %d groups", i, n, end, len(p.Groups))
			}
		}
	}
	for name, values := range p.CellData {
		if len(values) != cells {
			return fmt.Errorf("field %q has %d values for %d cells", name, len(values), cells)
		}
	}
	for name, values := range p.VertexData {
		if len(values) != len(p.X) {
			return fmt.Errorf("field %q has %d values for %d vertices", name, len(values), len(p.X))
		}
	}
	return nil
}
