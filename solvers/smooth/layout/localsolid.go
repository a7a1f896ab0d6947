package layout

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
)

// OverRanks reports whether ranks can make parts of tetrahedra from local meshes, by LocalSolid.Part.
func (o *Options) OverRanks() bool { return !o.Deep && o.Ridge == 0 }

// Part makes the rank's part from its local mesh, as LocalMesh.Part does, of a mesh that has passed its check.
// Options.Deep and Options.Ridge are errors: deep parts and surfaces of curved boundaries need more layers of the mesh
// than a local mesh has.
func (p *LocalSolid) Part(ctx context.Context, o Options, comm dist.Comm, tag int) (*SolidPart, error) {
	l, err := p.layout(o)
	if err := faults.OnAnyRank(ctx, comm, err); err != nil {
		return nil, err
	}
	shared := newInterfaceExchange(&p.LocalVertices, len(p.Cells), p.cell, comm, tag)
	if err := l.layout.shareClasses(ctx, shared); err != nil {
		return nil, err
	}
	if err := l.layout.assignSetsOverRanks(ctx, p.Global, shared, comm); err != nil {
		return nil, err
	}
	maker, err := l.maker(p.Owner, comm.Size())
	if err := faults.OnAnyRank(ctx, comm, err); err != nil {
		return nil, err
	}
	part := maker.part(comm.Rank())
	p.globalIDs(&part.Subdomain, part.CellGlobal, p.CellGlobal)
	return part, nil
}

// layout decides how the rank's own vertices may move; what it decides about others is meaningless.
func (p *LocalSolid) layout(o Options) (*Solid, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if !o.OverRanks() {
		return nil, errors.New("parts with a deep halo, and those of curved boundaries, are made from a layout of the " +
			"whole mesh (Solid.Parts)")
	}
	if n := len(p.Global); len(p.Owner) != n || len(p.X) != n || len(p.CellGlobal) != len(p.Cells) {
		return nil, fmt.Errorf("a local mesh of %d vertices has %d owners and %d positions, and the ids of %d of its %d "+
			"cells", n, len(p.Owner), len(p.X), len(p.CellGlobal), len(p.Cells))
	}
	s := &mesh.Solid{X: p.X, Y: p.Y, Z: p.Z, Cells: p.Cells, CellTag: p.CellTag, Faces: p.Faces, Marks: p.Marks}
	l := &Solid{solid: s, adjacency: &mesh.VertexAdjacency{Start: make([]int32, 1)},
		layout: &Layout{options: o, rings: &mesh.Rings{Start: make([]int32, 1)}}}
	if len(p.Global) > 0 {
		var err error
		if l, err = newSolid(s, o); err != nil {
			return nil, err
		}
	}
	return l, l.layout.orderBy(s.X, s.Y, s.Z)
}

// globalIDs replaces local ids of vertices and cells in a part by those of the whole mesh.
func (p *LocalVertices) globalIDs(part *Subdomain, cells, cellGlobal []int32) {
	for i, v := range part.Global {
		part.Global[i] = p.Global[v]
	}
	for i, id := range cells {
		cells[i] = cellGlobal[id]
	}
}

func (p *LocalSolid) cell(c int) []int32 { return p.Cells[c][:] }
