package divide

import (
	"context"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sliced"
)

// slice has the cells that this rank has read, until they are sent to their owners.
type slice struct {
	mesh.Mesh          // with the vertices that its cells have
	first     int64    // id of the first cell
	labels    []uint32 // of the vertices
	flags     []uint8  // of the vertices
	turned    int64    // cells that ran clockwise
	keys      []uint64 // of the cells, along the curve
}

// taggedEdge is an edge of a group, at the home of its lower vertex.
type taggedEdge struct {
	lo, hi uint32
	group  int32 // -1 if only the vertices must exist
}

// readSides reads a slice of the sides, brings them to the homes of their lower vertices, and marks these.
func (d *division) readSides(ctx context.Context) error {
	lo, hi := sliced.Share(d.sides, d.rank, d.ranks)
	var edges []taggedEdge
	err := d.from.EachSide(lo, hi, func(a, b int64, groups []int32) {
		u, v := d.label(a), d.label(b)
		edges = append(edges, taggedEdge{max(u, v), max(u, v), -1})
		if len(groups) == 0 {
			edges = append(edges, taggedEdge{min(u, v), min(u, v), -1})
		}
		for _, g := range groups {
			edges = append(edges, taggedEdge{min(u, v), max(u, v), g})
		}
	})
	if err != nil {
		d.doubt(err.Error())
	}
	in, err := exchange(ctx, d.comm, byRank(d.ranks, len(edges), func(i int) int { return d.homes.of(edges[i].lo) },
		func(i int) taggedEdge { return edges[i] }))
	if err != nil {
		return err
	}
	for _, l := range in {
		for _, e := range l.items {
			row := d.homes.row(e.lo)
			if row < 0 {
				d.doubt("a side of an unknown vertex")
			} else if e.group >= 0 {
				d.homes.flags[row] |= hasSide
				d.tagged = append(d.tagged, e)
			}
		}
	}
	return nil
}

// readCells reads a slice of the cells, and fetches the positions of their vertices.
func (d *division) readCells(ctx context.Context) error {
	s := &d.slice
	lo, hi := sliced.Share(d.cells, d.rank, d.ranks)
	s.first, s.Cells = lo, make([][3]int32, 0, hi-lo)
	numbers := newNumbering(int(hi-lo) * 5 / 8)
	err := d.from.EachCell(lo, hi, func(corners [3]int64) {
		v := [3]int32{numbers.of(d.label(corners[0])), numbers.of(d.label(corners[1])), numbers.of(d.label(corners[2]))}
		if v[0] == v[1] || v[1] == v[2] || v[2] == v[0] {
			d.doubt("a cell repeats a vertex")
		}
		s.Cells = append(s.Cells, v)
	})
	if err != nil {
		d.doubt(err.Error())
	}
	s.labels, numbers = numbers.labels, nil
	a, err := d.homes.fetch(ctx, s.labels, 2, func(row int) { d.homes.flags[row] |= isUsed })
	if err != nil {
		return err
	}
	if a.missing {
		d.doubt("an element of an unknown vertex")
	}
	s.X, s.Y, s.flags = a.columns[0], a.columns[1], a.flags
	return nil
}

// measure turns clockwise cells, finds the keys of all along the curve, and notes the cell of the least height.
func (d *division) measure(ctx context.Context) error {
	if err := d.checkPositions(ctx); err != nil {
		return err
	}
	s := &d.slice
	for c := range s.Cells {
		switch s.Turn(c) {
		case 0:
			d.doubt("a cell of zero area")
		case -1:
			v := &s.Cells[c]
			v[1], v[2] = v[2], v[1]
			s.turned++
		}
	}
	if err := d.noteFlattest(ctx); err != nil {
		return err
	}
	x, y := make([]float64, len(s.Cells)), make([]float64, len(s.Cells))
	left, bottom, right, top := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1) // the last two negated
	for c := range s.Cells {
		x[c], y[c] = s.Centroid(c)
		left, right = min(left, x[c]), min(right, -x[c])
		bottom, top = min(bottom, y[c]), min(top, -y[c])
	}
	if err := d.reduceFloats(ctx, &left, &bottom, &right, &top); err != nil {
		return err
	}
	side := max(0, -right-left, -top-bottom)
	if isInfinite(side) {
		d.doubt("the extent of the mesh")
		return nil
	}
	s.keys = hilbertKeys(left, bottom, side, x, y)
	return nil
}

// noteFlattest adds the note about the cell of the least height, on rank 0.
func (d *division) noteFlattest(ctx context.Context) error {
	s := &d.slice
	every := int64(mesh.Sampled(int(d.cells)))
	var sample []float64
	least, flattest := math.Inf(1), -1
	for c := range s.Cells {
		h := s.Height(c)
		if (s.first+int64(c))%every == 0 {
			sample = append(sample, h)
		}
		if h < least {
			least, flattest = h, c
		}
	}
	own := least
	if err := d.reduceFloats(ctx, &least); err != nil {
		return err
	}
	id := int64(math.MaxInt64)
	if flattest >= 0 && own == least {
		id = s.first + int64(flattest)
	}
	here := id
	if err := d.reduceIntegers(ctx, dist.Min, &id); err != nil {
		return err
	}
	x, y := math.Inf(1), math.Inf(1)
	if here == id && flattest >= 0 {
		x, y = s.Centroid(flattest)
	}
	if err := d.reduceFloats(ctx, &x, &y); err != nil {
		return err
	}
	samples, err := d.comm.Gatherv(ctx, 0, bytesOf(sample))
	if err != nil || d.rank > 0 {
		return err
	}
	sample = nil
	for _, bytes := range samples {
		sample = append(sample, itemsOf[float64](bytes)...)
	}
	if note := mesh.NoteFlat(int(id), [2]float64{x, y}, least, sample); note != "" {
		d.origin.Notes = append(d.origin.Notes, note)
	}
	return nil
}

// halfEdge is an edge of a cell, of which it is edge k.
type halfEdge struct {
	lo, hi uint32
	cell   uint32
	k      uint32
}

// groupOfEdge is the group of edge k of a cell, which is on the boundary.
type groupOfEdge struct {
	cell, k uint32
	group   int32
}

// matchSides finds the cells of tagged edges, and gives the notes about what Mesh.Mend would repair. Cells with an edge
// at whose lower vertex a tagged edge begins show it to that vertex's home.
func (d *division) matchSides(ctx context.Context) error {
	s := &d.slice
	var shown []halfEdge
	for c, v := range s.Cells {
		for k, lower := range v {
			e := edgeOf(s.labels[lower], s.labels[v[(k+1)%3]])
			if s.labels[lower] != e.lo {
				lower = v[(k+1)%3]
			}
			if s.flags[lower]&hasSide != 0 {
				e.cell, e.k = uint32(s.first)+uint32(c), uint32(k)
				shown = append(shown, e)
			}
		}
	}
	in, err := exchange(ctx, d.comm, byRank(d.ranks, len(shown), func(i int) int { return d.homes.of(shown[i].lo) },
		func(i int) halfEdge { return shown[i] }))
	if err != nil {
		return err
	}
	found, err := exchange(ctx, d.comm, d.groupsOf(in))
	if err != nil {
		return err
	}
	d.edgeGroups = concat(found)
	unused, dropped := int64(0), int64(0)
	d.turned = s.turned
	for _, flags := range d.homes.flags {
		if flags&isUsed == 0 {
			unused++
		}
	}
	for _, e := range d.tagged {
		if e.group < 0 {
			dropped++
		}
	}
	if err := d.reduceIntegers(ctx, dist.Sum, &unused, &dropped, &d.turned); err != nil || d.rank > 0 {
		return err
	}
	notes := d.origin.Notes
	d.origin.Notes = nil
	d.origin.NoteMended(int(unused), int(dropped), int(d.turned))
	d.origin.Notes = append(d.origin.Notes, notes...)
	return nil
}

func edgeOf(a, b uint32) halfEdge { return halfEdge{lo: min(a, b), hi: max(a, b)} }

func (e *halfEdge) key() uint64 { return uint64(e.lo)<<32 | uint64(e.hi) }

// groupsOf returns the groups of edges at the boundary, for the ranks that have read their cells. A tagged edge here
// that no cell has loses its group. Edges in two groups are a doubt, and so are inner edges with a boundary condition.
func (d *division) groupsOf(shown []list[halfEdge]) []list[groupOfEdge] {
	type tagged struct {
		edge  halfEdge
		cells int
		group int32
	}
	edges := make(map[uint64]*tagged, len(d.tagged))
	for _, e := range d.tagged {
		edge := edgeOf(e.lo, e.hi)
		edges[edge.key()] = &tagged{group: -1}
	}
	for _, l := range shown {
		for _, e := range l.items {
			if t := edges[e.key()]; t != nil {
				t.edge = e
				t.cells++
			}
		}
	}
	for i := range d.tagged {
		e := &d.tagged[i]
		edge := edgeOf(e.lo, e.hi)
		switch t := edges[edge.key()]; {
		case t.cells == 0:
			e.group = -1
		case t.cells == 1 && t.group >= 0 && t.group != e.group:
			d.doubt("an edge in two groups")
		case t.cells == 1:
			t.group = e.group
		case t.cells > 2 || slices.Contains(d.o.Conditions, d.groups[e.group].Name):
			d.doubt("a tagged edge inside the mesh")
		}
	}
	var found []groupOfEdge
	for _, t := range edges {
		if t.group >= 0 {
			found = append(found, groupOfEdge{t.edge.cell, t.edge.k, t.group})
		}
	}
	return byRank(d.ranks, len(found), func(i int) int { return homeOfCell(found[i].cell, d.cells, d.ranks) },
		func(i int) groupOfEdge { return found[i] })
}
