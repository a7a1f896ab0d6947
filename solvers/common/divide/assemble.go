package divide

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// readCellFields reads slices of the fields of cells, and fetches the values of own cells and ghosts.
func (d *division) readCellFields(ctx context.Context) error {
	o := &d.own
	d.homes = nil
	cells := homesOfSlices(d.comm, d.cells)
	for _, f := range d.fields {
		if !f.Cells {
			continue
		}
		column, count, err := d.readField(ctx, &f, cells, func(cell int64) uint32 { return uint32(cell) })
		if err != nil {
			return err
		}
		if err := d.reduceIntegers(ctx, dist.Sum, &count); err != nil {
			return err
		}
		switch {
		case f.Name == "" || count == 0:
			continue
		case count < d.cells:
			d.doubt("a field of some cells")
		}
		cells.columns = [][]float64{column}
		ids := make([]uint32, len(o.ids))
		for k, id := range o.ids {
			ids[k] = uint32(id)
		}
		a, err := cells.fetch(ctx, ids, 1, func(int) {})
		if err != nil {
			return err
		}
		mesh.SetField(&o.CellData, f.Name, a.columns[0])
	}
	return nil
}

// assemble orders the cells of this rank, and makes its part and plan.
func (d *division) assemble() (*decompose.MeshShare, error) {
	o := &d.own
	graph, err := partition.FromNeighbours(o.across)
	if err != nil {
		return nil, err
	}
	owners := make([]int32, o.owned, len(o.ids))
	for c := range owners {
		owners[c] = int32(d.rank)
	}
	cells := make([]int32, len(o.ids))
	for c := range cells {
		cells[c] = int32(c)
	}
	var x, y []float64
	if d.o.Order == partition.Hilbert {
		x, y = make([]float64, len(cells)), make([]float64, len(cells))
		for c := range cells {
			x[c], y[c] = o.Centroid(c)
		}
	}
	owners = append(owners, o.owners...)
	core, boundary, err := partition.Arrange(graph, owners, cells[:o.owned], d.o.Order, x, y, d.o.Seed)
	if err != nil {
		return nil, err
	}
	groups := make([][3]int32, o.owned)
	for c := range groups {
		groups[c] = [3]int32{-1, -1, -1}
	}
	for _, g := range d.edgeGroups {
		c, ok := slices.BinarySearch(o.ids[:o.owned], int32(g.cell))
		if !ok {
			return nil, errDamaged
		}
		groups[c][g.k] = g.group
	}
	o.Groups, o.Geographic = d.groups, d.geographic
	part := o.Part(o.across, groups, core, boundary, cells[o.owned:], mesh.NoIDs(len(cells)), mesh.NoIDs(len(o.X)))
	local := make([]int32, o.owned) // index in the part
	for i, c := range part.Global {
		if part.Global[i] = o.ids[c]; int(c) < o.owned {
			local[c] = int32(i)
		}
	}
	part.Notes = d.origin.Notes
	return &decompose.MeshShare{Part: part, Plan: d.plan(local)}, nil
}

// plan makes the halo plan. local are the indices of own cells in the part.
func (d *division) plan(local []int32) *halo.Plan {
	o := &d.own
	p := &halo.Plan{Rank: d.rank, Owned: o.owned, Ghosts: len(o.owners)}
	next := 0
	for _, l := range o.send { // edges are between cells of both ranks: peers send each other cells
		peer := halo.Peer{Rank: l.rank, Lo: int32(o.owned + next), Send: l.items}
		for next < len(o.owners) && int(o.owners[next]) == l.rank {
			next++
		}
		peer.Hi = int32(o.owned + next)
		for k, c := range l.items {
			peer.Send[k] = local[c]
		}
		p.Peers = append(p.Peers, peer)
	}
	return p
}
