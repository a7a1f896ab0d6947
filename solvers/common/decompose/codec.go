package decompose

import (
	"fmt"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
)

// move writes or reads all that a rank needs of its part.
func move(w *wire, part *mesh.Part, plan *halo.Plan) {
	numbers(w, &part.Core, &part.Owned)
	array(w, &part.X)
	array(w, &part.Y)
	array(w, &part.Cells)
	array(w, &part.Global)
	array(w, &part.Neighbour)
	list(w, &part.Groups, 24, func(g *mesh.Group) {
		numbers(w, &g.Dim, &g.Tag)
		text(w, &g.Name)
	})
	fields(w, &part.CellData)
	fields(w, &part.VertexData)
	numbers(w, &plan.Rank, &plan.Owned, &plan.Ghosts)
	list(w, &plan.Peers, 32, func(e *halo.Peer) {
		numbers(w, &e.Rank)
		numbers(w, &e.Lo, &e.Hi)
		array(w, &e.Send)
	})
}

func encode(part *mesh.Part, plan *halo.Plan) []byte {
	w := &wire{bytes: make([]byte, 0, 1<<12+16*len(part.X)+28*len(part.Cells))} // most of it
	move(w, part, plan)
	return w.bytes
}

// decode is the inverse of encode. It refuses what is no part of this rank.
func decode(body []byte, rank, ranks int) (*mesh.Part, *halo.Plan, error) {
	w, part, plan := &wire{bytes: body, reading: true}, new(mesh.Part), new(halo.Plan)
	move(w, part, plan)
	switch {
	case w.err != nil:
		return nil, nil, w.err
	case len(w.bytes) > 0:
		return nil, nil, fmt.Errorf("%d bytes are left over", len(w.bytes))
	case plan.Rank != rank:
		return nil, nil, fmt.Errorf("it is that of rank %d, this is rank %d", plan.Rank, rank)
	}
	if err := plan.Check(ranks); err != nil {
		return nil, nil, err
	}
	return part, plan, check(part, plan)
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
