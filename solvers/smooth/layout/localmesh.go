package layout

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
)

// LocalVertices are the vertices of a local mesh: those of cells with a vertex that the rank owns.
type LocalVertices struct {
	Global []int32 // id of each vertex in the whole mesh, ascending
	Owner  []int32 // rank of each vertex
}

// LocalMesh is a rank's part of a mesh before its vertices are ordered: the triangles with a vertex that it owns.
// Vertices and triangles are sorted by their ids in the whole mesh, so that all ranks decide by ids in the same
// way.
type LocalMesh struct {
	LocalVertices
	X, Y       []float64
	Cells      [][3]int32 // indices in Global
	CellGlobal []int32
	CellGroup  []int32 // as in the mesh
	Groups     []mesh.Group
	Tagged     []mesh.TaggedEdge // with both ends in the part
	Marks      *mesh.Marks       // marks of vertices in the part; a ridge vertex is stored as an edge from it to itself
}

// LocalSolid is for tetrahedra what LocalMesh is for triangles.
type LocalSolid struct {
	LocalVertices
	X, Y, Z    []float64
	Cells      [][4]int32 // indices in Global
	CellGlobal []int32
	CellTag    []int32           // as in the mesh
	Faces      []mesh.TaggedFace // with all corners in the part
	Marks      *mesh.Marks
}

// cutter cuts a mesh rank by rank, so that not all local meshes need to be in memory.
type cutter struct {
	owner []int32
	cells [][]int32 // of each rank, ascending
	sides [][]int32 // tagged edges or faces of each rank
	local []int32   // of each vertex of the mesh: its index in the local mesh that is being made, otherwise -1

	marks        *mesh.Marks
	held, ridged []bool // marks of vertices
}

// newCutter prepares to cut a mesh with a number of cells and tagged sides, whose vertices cell and side return; owner
// gives the rank of each of n vertices.
func newCutter(n int, owner []int32, ranks, cells int, cell func(id int) []int32, sides int,
	side func(id int) []int32) (*cutter, error) {
	if len(owner) != n {
		return nil, fmt.Errorf("%d owners for %d vertices", len(owner), n)
	}
	p := &cutter{owner: owner, cells: make([][]int32, ranks), sides: make([][]int32, ranks), local: make([]int32, n)}
	for v, r := range owner {
		if r < 0 || int(r) >= ranks {
			return nil, fmt.Errorf("vertex %d is given to rank %d of %d", v, r, ranks)
		}
		p.local[v] = -1
	}
	count := make([]int, ranks)
	for id := range cells {
		eachOwner(owner, cell(id), func(r int32) { count[r]++ })
	}
	for r, n := range count {
		p.cells[r] = make([]int32, 0, n)
	}
	for id := range cells {
		eachOwner(owner, cell(id), func(r int32) { p.cells[r] = append(p.cells[r], int32(id)) })
	}
	for id := range sides {
		eachOwner(owner, side(id), func(r int32) { p.sides[r] = append(p.sides[r], int32(id)) })
	}
	return p, nil
}

// eachOwner calls f once with each rank that owns one of the vertices.
func eachOwner(owner, vertices []int32, f func(r int32)) {
	for k, v := range vertices {
		first := true
		for _, u := range vertices[:k] {
			first = first && owner[u] != owner[v]
		}
		if first {
			f(owner[v])
		}
	}
}

// vertices returns the vertices of a rank, and numbers them until forget.
func (p *cutter) vertices(rank int, cell func(id int) []int32) (v LocalVertices) {
	for _, id := range p.cells[rank] {
		for _, u := range cell(int(id)) {
			if p.local[u] < 0 {
				p.local[u] = 0
				v.Global = append(v.Global, u)
			}
		}
	}
	slices.Sort(v.Global)
	v.Owner = make([]int32, len(v.Global))
	for i, u := range v.Global {
		p.local[u], v.Owner[i] = int32(i), p.owner[u]
	}
	return v
}

func (p *cutter) forget(v LocalVertices) {
	for _, u := range v.Global {
		p.local[u] = -1
	}
}

// marksOf returns the marks of the vertices of a rank: those that are held, and those on ridges.
func (p *cutter) marksOf(v LocalVertices) *mesh.Marks {
	if p.marks == nil {
		return nil
	}
	marks := &mesh.Marks{}
	for i, u := range v.Global {
		if p.held[u] {
			marks.Vertices = append(marks.Vertices, int32(i))
		}
		if p.ridged[u] {
			marks.Ridges = append(marks.Ridges, mesh.MarkedEdge{A: int32(i), B: int32(i)})
		}
	}
	return marks
}

// columns returns the values at some ids.
func columns[T any](values []T, ids []int32) []T {
	if values == nil {
		return nil
	}
	of := make([]T, len(ids))
	for i, id := range ids {
		of[i] = values[id]
	}
	return of
}

// LocalMeshes cuts a mesh of triangles.
type LocalMeshes struct {
	*cutter
	mesh *mesh.Mesh
}

// NewLocalMeshes prepares to cut a mesh that has passed its check; owner gives the rank of each vertex. Ranks may be
// empty.
func NewLocalMeshes(m *mesh.Mesh, owner []int32, ranks int) (*LocalMeshes, error) {
	p := &LocalMeshes{mesh: m}
	var err error
	if p.cutter, err = newCutter(len(m.X), owner, ranks, len(m.Cells), p.cell, len(m.Tagged),
		func(id int) []int32 { return []int32{m.Tagged[id].A, m.Tagged[id].B} }); err != nil {
		return nil, err
	}
	p.marks, p.held, p.ridged = m.Marks, m.Marks.Held(len(m.X)), m.Marks.OnRidge(len(m.X))
	return p, nil
}

func (p *LocalMeshes) cell(id int) []int32 { return p.mesh.Cells[id][:] }

// Of returns the local mesh of a rank.
func (p *LocalMeshes) Of(rank int) *LocalMesh {
	m, cells := p.mesh, p.cells[rank]
	v := p.vertices(rank, p.cell)
	defer p.forget(v)
	local := &LocalMesh{LocalVertices: v, X: columns(m.X, v.Global), Y: columns(m.Y, v.Global), Groups: m.Groups,
		Cells: columns(m.Cells, cells), CellGlobal: cells, CellGroup: columns(m.CellGroup, cells), Marks: p.marksOf(v)}
	for k := range local.Cells {
		for j, u := range local.Cells[k] {
			local.Cells[k][j] = p.local[u]
		}
	}
	for _, i := range p.sides[rank] {
		if e := m.Tagged[i]; p.local[e.A] >= 0 && p.local[e.B] >= 0 {
			local.Tagged = append(local.Tagged, mesh.TaggedEdge{A: p.local[e.A], B: p.local[e.B], Group: e.Group})
		}
	}
	return local
}

// LocalSolids cuts a mesh of tetrahedra.
type LocalSolids struct {
	*cutter
	solid *mesh.Solid
}

// NewLocalSolids is NewLocalMeshes for tetrahedra.
func NewLocalSolids(s *mesh.Solid, owner []int32, ranks int) (*LocalSolids, error) {
	p := &LocalSolids{solid: s}
	var err error
	if p.cutter, err = newCutter(len(s.X), owner, ranks, len(s.Cells), p.cell, len(s.Faces),
		func(id int) []int32 { return s.Faces[id].V[:] }); err != nil {
		return nil, err
	}
	p.marks, p.held, p.ridged = s.Marks, s.Marks.HeldInSpace(len(s.X)), s.Marks.OnRidge(len(s.X))
	return p, nil
}

func (p *LocalSolids) cell(id int) []int32 { return p.solid.Cells[id][:] }

// Of returns the local mesh of a rank.
func (p *LocalSolids) Of(rank int) *LocalSolid {
	s, cells := p.solid, p.cells[rank]
	v := p.vertices(rank, p.cell)
	defer p.forget(v)
	local := &LocalSolid{LocalVertices: v, X: columns(s.X, v.Global), Y: columns(s.Y, v.Global),
		Z: columns(s.Z, v.Global), Cells: columns(s.Cells, cells), CellGlobal: cells, CellTag: columns(s.CellTag, cells),
		Marks: p.marksOf(v)}
	for k := range local.Cells {
		for j, u := range local.Cells[k] {
			local.Cells[k][j] = p.local[u]
		}
	}
	for _, i := range p.sides[rank] {
		f := s.Faces[i]
		if f.V = [3]int32{p.local[f.V[0]], p.local[f.V[1]], p.local[f.V[2]]}; min(f.V[0], f.V[1], f.V[2]) >= 0 {
			local.Faces = append(local.Faces, f)
		}
	}
	return local
}
