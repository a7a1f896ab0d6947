package remesh

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
)

// Fields implements solvers.Solver.
func (s *Solver) Fields() []solvers.Field {
	return append(slices.Clip(s.stable.Fields()), s.meshFields()...)
}

// Flows implements solvers.Flowing.
func (s *Solver) Flows() []solvers.Flow { return s.stable.Flows() }

// Outlines implements solvers.Outliner.
func (s *Solver) Outlines() []solvers.Outline { return s.stable.Outlines() }

// Names of the saved fields of the mesh, which rank 0 has.
const (
	vertexField = "mesh_vertices"
	cellField   = "mesh_cells"
	edgeField   = "mesh_edges"
)

// savedCell has the vertices of a cell and its group, and savedEdge those of a tagged edge.
type (
	savedVertex struct{ X, Y float64 }
	savedCell   struct{ A, B, C, Group int32 }
	savedEdge   struct{ A, B, Group int32 }
)

// meshFields are the fields of the mesh, for a restart.
func (s *Solver) meshFields() []solvers.Field {
	m := &mesh.Mesh{}
	if s.mesh != nil {
		m = s.mesh.Mesh
	}
	return []solvers.Field{
		meshField[float64](vertexField, []string{"x", "y"}, len(m.X), func(v int) savedVertex {
			return savedVertex{m.X[v], m.Y[v]}
		}),
		meshField[int32](cellField, []string{"a", "b", "c", "group"}, len(m.Cells), func(i int) savedCell {
			v, group := m.Cells[i], int32(-1)
			if m.CellGroup != nil {
				group = m.CellGroup[i]
			}
			return savedCell{v[0], v[1], v[2], group}
		}),
		meshField[int32](edgeField, []string{"a", "b", "group"}, len(m.Tagged), func(i int) savedEdge {
			e := m.Tagged[i]
			return savedEdge{e.A, e.B, e.Group}
		})}
}

// meshField is a field of what rank 0 has n of.
func meshField[N solvers.Number, T any](name string, components []string, n int, of func(i int) T) solvers.Field {
	list := sync.OnceValue(func() []T {
		list := make([]T, n)
		for i := range list {
			list[i] = of(i)
		}
		return list
	})
	return solvers.Field{Name: name, Doc: "a part of the mesh, for a restart", Saved: true, Components: components,
		Space: &solvers.Space{Name: name, Owned: n, Changing: true, OnRoot: true, Key: func(i int) int64 { return int64(i) }},
		View:  func() solvers.View { return solvers.ViewOf[N](nil, list(), 0) }}
}

// readMesh reads, for rank 0, a mesh whose groups are known from a saved state. All ranks call it; others get a mesh
// without cells.
func readMesh(ctx context.Context, from solvers.Source, groups []mesh.Group) (*mesh.Mesh, error) {
	m := &mesh.Mesh{Groups: groups}
	vertices, err := readAll[savedVertex](ctx, from, vertexField)
	if err != nil {
		return nil, err
	}
	cells, err := readAll[savedCell](ctx, from, cellField)
	if err != nil {
		return nil, err
	}
	edges, err := readAll[savedEdge](ctx, from, edgeField)
	if err != nil {
		return nil, err
	}
	for _, v := range vertices {
		m.X, m.Y = append(m.X, v.X), append(m.Y, v.Y)
	}
	grouped := false
	for _, c := range cells {
		m.Cells, m.CellGroup = append(m.Cells, [3]int32{c.A, c.B, c.C}), append(m.CellGroup, c.Group)
		grouped = grouped || c.Group >= 0
	}
	if !grouped {
		m.CellGroup = nil
	}
	for _, e := range edges {
		m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: e.A, B: e.B, Group: e.Group})
	}
	return m, nil
}

// readAll reads a field of the mesh for rank 0.
func readAll[T any](ctx context.Context, from solvers.Source, name string) ([]T, error) {
	size := binary.Size(*new(T))
	keys, err := from.Select(ctx, name, size, func([]byte) int { return 0 })
	if err != nil {
		return nil, err
	}
	slices.Sort(keys)
	read, err := from.Locate(ctx, name, keys)
	if err != nil {
		return nil, err
	}
	list := make([]T, len(keys))
	err = read(ctx, name, size, func(i int, numbers []byte) {
		_, _ = binary.Decode(numbers, binary.NativeEndian, &list[i]) // as many bytes as needed
	})
	return list, err
}

func packed(keys []int64) []byte {
	b := make([]byte, 0, 8*len(keys))
	for _, k := range keys {
		b = binary.LittleEndian.AppendUint64(b, uint64(k))
	}
	return b
}

func unpacked(b []byte) []int64 {
	keys := make([]int64, len(b)/8)
	for i := range keys {
		keys[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return keys
}
