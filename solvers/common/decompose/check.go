package decompose

import (
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
)

// MeshShare is a rank's share of a mesh.
type MeshShare struct {
	Part *mesh.Part
	Plan *halo.Plan
}

// Check refuses a share that belongs to another rank, or whose arrays are inconsistent or contain indices out of
// range.
func (s *MeshShare) Check(rank, ranks int) error {
	if s.Part == nil || s.Plan == nil {
		return errors.New("the share has no part or no plan")
	}
	if s.Plan.Rank != rank {
		return fmt.Errorf("the share is for rank %d, this is rank %d", s.Plan.Rank, rank)
	}
	if err := s.Plan.Check(ranks); err != nil {
		return err
	}
	return checkPart(s.Part, s.Plan)
}

// checkPart refuses a part whose arrays are inconsistent or contain indices out of range.
func checkPart(p *mesh.Part, plan *halo.Plan) error {
	cells := len(p.Cells)
	if p.Core < 0 || p.Core > p.Owned || p.Owned != plan.Owned || cells != plan.Owned+plan.Ghosts {
		return fmt.Errorf("the part has %d core cells, %d owned cells and %d cells in all, its plan %d owned cells and %d "+
			"ghosts", p.Core, p.Owned, cells,
			plan.Owned, plan.Ghosts)
	}
	if len(p.X) != len(p.Y) || len(p.Global) != cells || len(p.Neighbour) != p.Owned {
		return fmt.Errorf("the part has %d x and %d y coordinates, %d ids and %d lists of neighbours for %d cells, %d of "+
			"them owned",
			len(p.X), len(p.Y), len(p.Global), len(p.Neighbour), cells, p.Owned)
	}
	for i, c := range p.Cells {
		for _, v := range c {
			if v < 0 || int(v) >= len(p.X) {
				return fmt.Errorf("cell %d has vertex %d, the part has %d vertices", i, v, len(p.X))
			}
		}
		if p.Global[i] < 0 {
			return fmt.Errorf("cell %d has the id %d", i, p.Global[i])
		}
	}
	for i, neighbours := range p.Neighbour {
		end := cells
		if i < p.Core {
			end = p.Owned
		}
		for _, n := range neighbours {
			if int(n) >= end || int(mesh.OutsideGroup(n)) >= len(p.Groups) {
				return fmt.Errorf("cell %d has neighbour %d, the part has %d cells and %d groups", i, n, end, len(p.Groups))
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
