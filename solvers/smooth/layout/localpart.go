package layout

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
)

// Part makes the rank's part from its local mesh, and returns it with the number of crowded vertices of the whole
// mesh (Layout.Crowded). All ranks call it. Each rank decides how its own vertices may move, and sends this to the
// ranks that have them as ghosts; then all ranks colour together. The colours, and so the bits of all sweeps, are
// those of a layout of the whole mesh, although the order of vertices within a set may differ. Options.Deep is an
// error, since deep parts need more layers of the mesh than a local mesh has: use Layout.Parts. tag is the message
// tag.
func (p *LocalMesh) Part(ctx context.Context, o Options, comm dist.Comm, tag int) (*Part, int, error) {
	l, err := p.layout(comm.Rank(), o)
	if err := faults.OnAnyRank(ctx, comm, err); err != nil {
		return nil, 0, err
	}
	shared := newInterfaceExchange(&p.LocalVertices, len(p.Cells), p.cell, comm, tag)
	if err := l.shareClasses(ctx, shared); err != nil {
		return nil, 0, err
	}
	if err := l.shareCurves(ctx, shared); err != nil {
		return nil, 0, err
	}
	if err := l.assignSetsOverRanks(ctx, p.Global, shared, comm); err != nil {
		return nil, 0, err
	}
	crowded := []int64{int64(l.crowded)}
	if err := comm.AllreduceInt64(ctx, dist.Sum, crowded); err != nil {
		return nil, 0, err
	}
	part, err := l.partOfLocal(comm.Rank(), p, comm.Size())
	return part, int(crowded[0]), faults.OnAnyRank(ctx, comm, err)
}

// layout decides how the rank's own vertices may move.
func (p *LocalMesh) layout(rank int, o Options) (*Layout, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Deep {
		return nil, errors.New("parts with a deep halo are made from a layout of the whole mesh (Layout.Parts)")
	}
	if n := len(p.Global); len(p.Owner) != n || len(p.X) != n || len(p.CellGlobal) != len(p.Cells) {
		return nil, fmt.Errorf("a local mesh of %d vertices has %d owners and %d positions, and the ids of %d of its %d "+
			"cells",
			n, len(p.Owner), len(p.X), len(p.CellGlobal), len(p.Cells))
	}
	m := &mesh.Mesh{X: p.X, Y: p.Y, Cells: p.Cells, Groups: p.Groups, CellGroup: p.CellGroup, Tagged: p.Tagged,
		Marks: p.Marks}
	l := &Layout{mesh: m, options: o, rings: &mesh.Rings{Start: make([]int32, 1)}}
	if len(p.Global) > 0 {
		var err error
		if l.rings, err = m.Rings(); err != nil {
			return nil, err
		}
	}
	l.classify(func(v int32) bool { return int(p.Owner[v]) == rank })
	return l, l.orderBy(m.X, m.Y)
}

// shareClasses sends other ranks the classes of the vertices that they have as ghosts.
func (l *Layout) shareClasses(ctx context.Context, r *interfaceExchange) error {
	class := make([]int32, len(l.Class))
	for v, c := range l.Class {
		class[v] = int32(c)
	}
	if err := r.update(ctx, class); err != nil {
		return err
	}
	for v, c := range class {
		if c < int32(fixed) || c > int32(sliding) {
			return fmt.Errorf("received class %[2]d for vertex %[1]d from another rank, which is not a class", v, c)
		}
		l.Class[v] = int8(c)
	}
	return nil
}

// assignSetsOverRanks is assignSets for local meshes, together with all other ranks.
func (l *Layout) assignSetsOverRanks(ctx context.Context, global []int32, r *interfaceExchange,
	comm dist.Comm) error {
	class := l.conflictClasses(l.Class)
	colour, err := colouring.OverRanks(ctx, l.options.Colouring, r.graph(l.rings, global, class), comm)
	if err != nil {
		return err
	}
	if err := faults.OnAnyRank(ctx, comm, colouring.Check(l.rings, class, colour)); err != nil {
		return err
	}
	n := coloursOf(class, colour)
	most := []int64{int64(n[0]), int64(n[1])}
	if err := comm.AllreduceInt64(ctx, dist.Max, most); err != nil {
		return err
	}
	l.set, l.sets = numberSets(class, colour, [2]int32{int32(most[0]), int32(most[1])})
	return nil
}

// partOfLocal makes the part of a rank from the layout of its local mesh.
func (l *Layout) partOfLocal(rank int, p *LocalMesh, ranks int) (*Part, error) {
	c, err := newPartMaker(l, p.Owner, ranks)
	if err != nil {
		return nil, err
	}
	if err := c.divideCells(); err != nil {
		return nil, err
	}
	c.findGhosts()
	c.sortVertices()
	part := c.part(rank)
	p.globalIDs(&part.Subdomain, part.CellGlobal, p.CellGlobal)
	return part, nil
}

func (p *LocalMesh) cell(c int) []int32 { return p.Cells[c][:] }
