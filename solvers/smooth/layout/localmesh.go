package layout

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
)

// LocalMesh is a rank's part of a mesh before its vertices are ordered: the triangles with a vertex that it owns.
// Vertices and triangles are sorted by their ids in the whole mesh, so that all ranks decide by ids in the same
// way.
type LocalMesh struct {
	Global     []int32 // id of each vertex in the whole mesh
	Owner      []int32 // rank of each vertex
	X, Y       []float64
	Cells      [][3]int32 // indices in Global
	CellGlobal []int32
	CellGroup  []int32 // as in the mesh
	Groups     []mesh.Group
	Tagged     []mesh.TaggedEdge // with both ends in the part
	Marks      *mesh.Marks       // marks of vertices in the part; a ridge vertex is stored as an edge from it to itself
}

// LocalMeshes cuts a mesh rank by rank, so that not all local meshes need to be in memory.
type LocalMeshes struct {
	mesh   *mesh.Mesh
	owner  []int32
	cells  [][]int32 // of each rank, ascending
	tagged [][]int32
	local  []int32 // of each vertex of the mesh: its index in the local mesh that Of is making, otherwise -1

	held, ridged []bool // marks of vertices
}

// NewLocalMeshes prepares to cut a mesh that has passed its check; owner gives the rank of each vertex. Ranks may be
// empty.
func NewLocalMeshes(m *mesh.Mesh, owner []int32, ranks int) (*LocalMeshes, error) {
	if len(owner) != len(m.X) {
		return nil, fmt.Errorf("%d owners for %d vertices", len(owner), len(m.X))
	}
	p := &LocalMeshes{mesh: m, owner: owner, cells: make([][]int32, ranks), tagged: make([][]int32, ranks),
		local: make([]int32, len(m.X)), held: m.Marks.Held(len(m.X)), ridged: m.Marks.OnRidge(len(m.X))}
	for v, r := range owner {
		if r < 0 || int(r) >= ranks {
			return nil, fmt.Errorf("vertex %d is given to rank %d of %d", v, r, ranks)
		}
		p.local[v] = -1
	}
	count := make([]int, ranks)
	for _, cell := range m.Cells {
		eachOwner(owner, cell[:], func(r int32) { count[r]++ })
	}
	for r, n := range count {
		p.cells[r] = make([]int32, 0, n)
	}
	for id, cell := range m.Cells {
		eachOwner(owner, cell[:], func(r int32) { p.cells[r] = append(p.cells[r], int32(id)) })
	}
	for i, e := range m.Tagged {
		eachOwner(owner, []int32{e.A, e.B}, func(r int32) { p.tagged[r] = append(p.tagged[r], int32(i)) })
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

// Of returns the local mesh of a rank.
func (p *LocalMeshes) Of(rank int) *LocalMesh {
	m := p.mesh
	local := &LocalMesh{Groups: m.Groups, CellGlobal: p.cells[rank], Cells: make([][3]int32, len(p.cells[rank]))}
	for _, id := range local.CellGlobal {
		for _, v := range m.Cells[id] {
			if p.local[v] < 0 {
				p.local[v] = 0
				local.Global = append(local.Global, v)
			}
		}
	}
	slices.Sort(local.Global)
	n := len(local.Global)
	local.Owner, local.X, local.Y = make([]int32, n), make([]float64, n), make([]float64, n)
	for i, v := range local.Global {
		p.local[v] = int32(i)
		local.Owner[i], local.X[i], local.Y[i] = p.owner[v], m.X[v], m.Y[v]
	}
	if p.mesh.Marks != nil {
		local.Marks = &mesh.Marks{}
	}
	for i, v := range local.Global {
		if p.held[v] {
			local.Marks.Vertices = append(local.Marks.Vertices, int32(i))
		}
		if p.ridged[v] {
			local.Marks.Ridges = append(local.Marks.Ridges, mesh.MarkedEdge{A: int32(i), B: int32(i)})
		}
	}
	for k, id := range local.CellGlobal {
		for j, v := range m.Cells[id] {
			local.Cells[k][j] = p.local[v]
		}
		if m.CellGroup != nil {
			local.CellGroup = append(local.CellGroup, m.CellGroup[id])
		}
	}
	for _, i := range p.tagged[rank] {
		if e := m.Tagged[i]; p.local[e.A] >= 0 && p.local[e.B] >= 0 {
			local.Tagged = append(local.Tagged, mesh.TaggedEdge{A: p.local[e.A], B: p.local[e.B], Group: e.Group})
		}
	}
	for _, v := range local.Global {
		p.local[v] = -1
	}
	return local
}
