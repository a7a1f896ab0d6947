package remesh

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
)

// stable has the fields, flows and outlines of a solver whose mesh changes, as others know them: they and their spaces
// stay, and read those of the solver on the present mesh.
type stable struct {
	spaces   map[*solvers.Space]*solvers.Space // by that of the present solver
	order    []*solvers.Space                  // in the order of their first field
	fields   []solvers.Field
	flows    []solvers.Flow
	outlines []solvers.Outline
	now      present
}

// present is what the solver on the present mesh has.
type present struct {
	fields   []solvers.Field
	flows    []solvers.Flow
	outlines []solvers.Outline
}

func presentOf(s Inner) present { return present{s.Fields(), s.Flows(), s.Outlines()} }

// spacesOf returns the spaces of all that a solver has, in the order of their first use.
func (p *present) spacesOf() (list []*solvers.Space) {
	add := func(s *solvers.Space) {
		if s != nil && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for k := range p.fields {
		add(p.fields[k].Space)
		if from := p.fields[k].From; from != nil {
			add(from.Space)
		}
	}
	for k := range p.flows {
		add(p.flows[k].Space)
	}
	for k := range p.outlines {
		add(p.outlines[k].Space)
	}
	return list
}

func newStable(of Inner) *stable {
	s := &stable{now: presentOf(of)}
	s.spaces = map[*solvers.Space]*solvers.Space{}
	for _, space := range s.now.spacesOf() {
		known := *space
		known.Changing = true
		s.order = append(s.order, &known)
		s.spaces[space] = &known
	}
	froms := map[*solvers.Field]*solvers.Field{}
	for k := range s.now.fields {
		f := s.field(k)
		if from := s.now.fields[k].From; from != nil {
			if froms[from] == nil {
				known := *from
				known.Space = s.spaces[from.Space]
				known.View = func() solvers.View { return s.now.fields[k].From.View() }
				froms[from] = &known
			}
			f.From = froms[from]
			f.Value = func(entity int, bytes []byte) float64 { return s.now.fields[k].Value(entity, bytes) }
		}
		s.fields = append(s.fields, f)
	}
	s.flows, s.outlines = slices.Clone(s.now.flows), slices.Clone(s.now.outlines)
	for k := range s.flows {
		s.flows[k].Space = s.spaces[s.flows[k].Space]
		s.flows[k].ValuesAt = func(ctx context.Context, entities []int, values []float64) error {
			return s.now.flows[k].ValuesAt(ctx, entities, values)
		}
	}
	for k := range s.outlines {
		s.outlines[k].Space = s.spaces[s.outlines[k].Space]
		s.outlines[k].Inside = func(ctx context.Context) ([]bool, error) { return s.now.outlines[k].Inside(ctx) }
	}
	return s
}

// field returns the k-th field without From and Value.
func (s *stable) field(k int) solvers.Field {
	f := s.now.fields[k]
	f.Space = s.spaces[f.Space]
	if f.View != nil {
		f.View = func() solvers.View { return s.now.fields[k].View() }
	}
	if f.Values != nil {
		f.Values = func(ctx context.Context) ([]float64, error) { return s.now.fields[k].Values(ctx) }
	}
	if f.ValuesAt != nil {
		f.ValuesAt = func(ctx context.Context, entities []int, values []float64) error {
			return s.now.fields[k].ValuesAt(ctx, entities, values)
		}
	}
	return f
}

// follow makes the fields and spaces those of a solver on another mesh, which has as many of them in the same order.
func (s *stable) follow(of Inner) {
	s.now = presentOf(of)
	s.spaces = map[*solvers.Space]*solvers.Space{}
	for k, space := range s.now.spacesOf() {
		known := s.order[k]
		*known = *space
		known.Changing = true
		s.spaces[space] = known
	}
}

// Fields implements solvers.Solver.
func (s *Solver) Fields() []solvers.Field {
	return append(slices.Clip(s.stable.fields), s.meshFields()...)
}

// Flows implements solvers.Flowing.
func (s *Solver) Flows() []solvers.Flow { return s.stable.flows }

// Outlines implements solvers.Outliner.
func (s *Solver) Outlines() []solvers.Outline { return s.stable.outlines }

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

// readMesh reads a mesh whose groups are known from a saved state.
func readMesh(from solvers.Source, groups []mesh.Group) (*mesh.Mesh, error) {
	m := &mesh.Mesh{Groups: groups}
	vertices, err := readAll[savedVertex](from, vertexField)
	if err != nil {
		return nil, err
	}
	cells, err := readAll[savedCell](from, cellField)
	if err != nil {
		return nil, err
	}
	edges, err := readAll[savedEdge](from, edgeField)
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
	return m, m.Check()
}

// readAll reads a field of the mesh.
func readAll[T any](from solvers.Source, name string) ([]T, error) {
	size := binary.Size(*new(T))
	keys, err := from.Select(name, size, func([]byte) bool { return true })
	if err != nil {
		return nil, err
	}
	slices.Sort(keys)
	list := make([]T, len(keys))
	err = from.Read(name, size, keys, func(i int, numbers []byte) {
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
