package divide

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
)

// own has the cells that this rank owns, by ascending id, and then its ghosts, by owner and id.
type own struct {
	mesh.Mesh // Cells with ghosts, and their vertices
	numbers   *numbering
	shared    []uint8    // flags of the vertices of own cells
	ids       []int32    // of cells and ghosts
	owned     int        // cells
	across    [][3]int32 // of cells and ghosts: the cell across each edge, -1 for none, or none here
	owners    []int32    // of ghosts
	send      []list[int32]
}

// add adds a cell.
func (o *own) add(c sentCell) {
	o.ids = append(o.ids, int32(c.id))
	v := c.corners
	o.Cells = append(o.Cells, [3]int32{o.numbers.of(v[0]), o.numbers.of(v[1]), o.numbers.of(v[2])})
}

// fetchVertices fetches the vertices of own cells. Their homes note which ones several ranks have.
func (d *division) fetchVertices(ctx context.Context) error {
	o, flags := &d.own, d.homes.flags
	o.owned = len(o.ids)
	a, err := d.homes.fetch(ctx, o.numbers.labels, len(d.homes.columns), func(row int) {
		if flags[row]&hasOwner != 0 {
			flags[row] |= isShared
		}
		flags[row] |= hasOwner
	})
	if err != nil {
		return err
	}
	o.takeVertices(a, d.vertexFields)
	o.shared = a.flags
	return nil
}

// takeVertices appends vertices.
func (o *own) takeVertices(a answer, fields []string) {
	o.X, o.Y = slices.Concat(o.X, a.columns[0]), slices.Concat(o.Y, a.columns[1])
	for k, name := range fields {
		mesh.SetField(&o.VertexData, name, slices.Concat(o.VertexData[name], a.columns[2+k]))
	}
}

// metEdge is an edge whose ends several ranks have: of one cell of a rank, or of two.
type metEdge struct {
	lo, hi uint32
	cell   int32 // id
	half   int32 // 3·cell + edge of the rank, or its complement if the edge runs to the lower vertex; pairOfCells
	rank   int32
}

const pairOfCells = math.MinInt32

// neighbour is the cell of another rank across an edge of this one.
type neighbour struct{ half, cell, owner int32 }

// matchEdges finds the cells across edges, here and on other ranks.
func (d *division) matchEdges(ctx context.Context) error {
	o := &d.own
	across, err := o.Neighbours()
	if err != nil {
		d.doubt("an edge of three cells")
		across = make([][3]int32, o.owned)
	}
	o.across = across
	var met []metEdge
	for c, v := range o.Cells {
		for k, other := range across[c] {
			a, b := v[k], v[(k+1)%3]
			if other >= 0 && !o.opposite(other, a, b) {
				d.doubt("cells that overlap at an edge")
			}
			if int(other) > c || o.shared[a]&o.shared[b]&isShared == 0 {
				continue
			}
			e := metEdge{cell: o.ids[c], half: int32(3*c + k), rank: int32(d.rank)}
			if e.lo, e.hi = o.numbers.labels[a], o.numbers.labels[b]; e.lo > e.hi {
				e.lo, e.hi, e.half = e.hi, e.lo, ^e.half
			}
			if other >= 0 {
				e.half = pairOfCells
			}
			met = append(met, e)
		}
	}
	in, err := exchange(ctx, d.comm, byRank(d.ranks, len(met), func(i int) int { return d.homes.of(met[i].lo) },
		func(i int) metEdge { return met[i] }))
	if err != nil {
		return err
	}
	all := concat(in)
	slices.SortFunc(all, func(a, b metEdge) int {
		return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi), cmp.Compare(a.cell, b.cell))
	})
	tell, to := d.join(all)
	answers, err := exchange(ctx, d.comm, byRank(d.ranks, len(tell), func(i int) int { return int(to[i]) },
		func(i int) neighbour { return tell[i] }))
	if err != nil {
		return err
	}
	o.placeGhosts(concat(answers))
	return nil
}

// opposite reports whether a cell has the edge from b to a.
func (o *own) opposite(cell, a, b int32) bool {
	v := o.Cells[cell]
	for k := range v {
		if v[k] == b && v[(k+1)%3] == a {
			return true
		}
	}
	return false
}

// join returns what the ranks of edges with two cells must know, and to which of them it goes. met are all edges that
// have met here, sorted by edge and cell.
func (d *division) join(met []metEdge) (tell []neighbour, to []int32) {
	for i := 0; i < len(met); {
		end := i + 1
		for end < len(met) && met[end].lo == met[i].lo && met[end].hi == met[i].hi {
			end++
		}
		switch same := met[i:end]; {
		case len(same) > 2 || len(same) == 2 && (same[0].half == pairOfCells || same[1].half == pairOfCells):
			d.doubt("an edge of three cells")
		case len(same) == 2 && (same[0].half < 0) == (same[1].half < 0):
			d.doubt("cells that overlap at an edge")
		case len(same) == 2:
			for k, e := range same {
				other := same[1-k]
				tell = append(tell, neighbour{max(e.half, ^e.half), other.cell, other.rank})
				to = append(to, e.rank)
			}
		}
		i = end
	}
	return tell, to
}

// placeGhosts gives numbers to the cells of other ranks that are across edges, and lists the own cells that other ranks
// have as ghosts.
func (o *own) placeGhosts(across []neighbour) {
	order := func(a, b neighbour) int { return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.cell, b.cell)) }
	ghosts := slices.Clone(across)
	slices.SortFunc(ghosts, order)
	ghosts = slices.CompactFunc(ghosts, func(a, b neighbour) bool { return order(a, b) == 0 })
	for _, g := range ghosts {
		o.ids, o.owners = append(o.ids, g.cell), append(o.owners, g.owner)
	}
	own, send := o.across, slices.Clone(across)
	o.across = slices.Concat(own, make([][3]int32, len(ghosts)))
	for g := range ghosts {
		o.across[o.owned+g] = [3]int32{-1, -1, -1}
	}
	for _, n := range across {
		g, _ := slices.BinarySearchFunc(ghosts, n, order)
		o.across[n.half/3][n.half%3] = int32(o.owned + g)
		back := &o.across[o.owned+g]
		back[slices.Index(back[:], -1)] = n.half / 3
	}
	slices.SortFunc(send, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.half, b.half))
	})
	for _, n := range send {
		if k := len(o.send); k == 0 || o.send[k-1].rank != int(n.owner) {
			o.send = append(o.send, list[int32]{rank: int(n.owner)})
		}
		to := &o.send[len(o.send)-1]
		if k := len(to.items); k == 0 || to.items[k-1] != n.half/3 {
			to.items = append(to.items, n.half/3)
		}
	}
}

// exchangeGhosts sends own cells to the ranks that have them as ghosts, and fetches the vertices that only ghosts have.
func (d *division) exchangeGhosts(ctx context.Context) error {
	o := &d.own
	out := make([]list[sentCell], len(o.send))
	for k, l := range o.send {
		out[k].rank = l.rank
		for _, c := range l.items {
			v := o.Cells[c]
			out[k].items = append(out[k].items, sentCell{uint32(o.ids[c]),
				[3]uint32{o.numbers.labels[v[0]], o.numbers.labels[v[1]], o.numbers.labels[v[2]]}})
		}
	}
	in, err := exchange(ctx, d.comm, out)
	if err != nil {
		return err
	}
	ghosts, before := concat(in), len(o.numbers.labels)
	if len(ghosts) != len(o.owners) {
		return errDamaged
	}
	expected := o.ids[o.owned:]
	o.ids = o.ids[:o.owned:o.owned]
	for g, c := range ghosts {
		if int32(c.id) != expected[g] {
			return errDamaged
		}
		o.add(c)
	}
	a, err := d.homes.fetch(ctx, o.numbers.labels[before:], len(d.homes.columns), func(int) {})
	if err != nil {
		return err
	}
	o.takeVertices(a, d.vertexFields)
	return nil
}
