package divide

import (
	"context"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/disjoint"
	"github.com/atoll-hpc/atoll/mesh"
)

// measureHeights finds whether the mesh has third coordinates, and whether they differ. columns are x, y and z of
// vertices.
func (d *division) measureHeights(ctx context.Context, columns [][]float64) error {
	var ends [6]float64 // of each column the least number, and the greatest negated
	for k := range ends {
		ends[k] = math.Inf(1)
	}
	for k, c := range columns {
		for _, v := range c {
			ends[2*k], ends[2*k+1] = min(ends[2*k], v), min(ends[2*k+1], -v)
		}
	}
	err := d.reduceFloats(ctx, &ends[0], &ends[1], &ends[2], &ends[3], &ends[4], &ends[5])
	extent := func(k int) float64 { return -ends[2*k+1] - ends[2*k] }
	if d.hasHeights = ends[4] != 0 || ends[5] != 0; d.hasHeights {
		d.vertexFields = append(d.vertexFields, mesh.Heights)
		d.uneven = !(extent(2) <= mesh.LevelShare*max(extent(0), extent(1)))
	}
	return err
}

// checkHeights looks for what mesh.CheckHeights may refuse in a mesh whose third coordinates differ: cells that run in
// both directions, and parts of the mesh without a common edge, which may lie above each other.
func (d *division) checkHeights(ctx context.Context) error {
	if !d.uneven {
		return nil
	}
	if d.turned > 0 && d.turned < d.cells {
		d.doubt("third coordinates, and cells that run in both directions")
	}
	o := &d.own
	part := o.connected()
	var out []list[int32] // parts of cells that are ghosts elsewhere
	for _, l := range o.send {
		to := list[int32]{rank: l.rank}
		for _, c := range l.items {
			to.items = append(to.items, o.ids[part[c]])
		}
		out = append(out, to)
	}
	in, err := exchange(ctx, d.comm, out)
	if err != nil {
		return err
	}
	ofGhosts := concat(in)
	if len(ofGhosts) != len(o.owners) {
		return errDamaged
	}
	var joins [][2]int32 // parts here, each with itself and with those of other ranks beside it
	for c, across := range o.across[:o.owned] {
		if part[c] == int32(c) {
			joins = append(joins, [2]int32{o.ids[c], o.ids[c]})
		}
		for _, other := range across {
			if int(other) >= o.owned {
				joins = append(joins, [2]int32{o.ids[part[c]], ofGhosts[int(other)-o.owned]})
			}
		}
	}
	return d.countParts(ctx, joins)
}

// countParts doubts, on rank 0, that joins of all ranks make one part.
func (d *division) countParts(ctx context.Context, joins [][2]int32) error {
	slices.SortFunc(joins, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	all, err := d.comm.Gatherv(ctx, 0, bytesOf(slices.Compact(joins)))
	if err != nil || d.rank > 0 {
		return err
	}
	numbers, parts := map[int32]int32{}, disjoint.Sets{}
	number := func(id int32) int32 {
		if _, known := numbers[id]; !known {
			numbers[id] = int32(len(parts))
			parts = append(parts, int32(len(parts)))
		}
		return numbers[id]
	}
	for _, bytes := range all {
		for _, pair := range itemsOf[[2]int32](bytes) {
			parts.Join(number(pair[0]), number(pair[1]))
		}
	}
	for _, p := range parts {
		if parts.Root(p) != parts.Root(0) {
			d.doubt("third coordinates, and parts that share no edge")
			break
		}
	}
	return nil
}

// connected returns the connected part of each own cell: the lowest cell of it.
func (o *own) connected() []int32 {
	part := disjoint.New(o.owned)
	for c, across := range o.across[:o.owned] {
		for _, other := range across {
			if other >= 0 && int(other) < o.owned {
				part.Join(int32(c), other)
			}
		}
	}
	for c := range part {
		part[c] = part.Root(int32(c))
	}
	return part
}
