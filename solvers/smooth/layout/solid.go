package layout

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/curved"
	"github.com/atoll-hpc/atoll/partition"
)

// Solid says which vertices of a mesh of tetrahedra move, how, and in which set. It does not depend on the ranks.
type Solid struct {
	solid         *mesh.Solid
	adjacency     *mesh.VertexAdjacency
	boundaryFaces []mesh.SkinFace
	freedoms      []mesh.Freedom
	layout        *Layout // classes, sets and order of the vertices

	curved map[int32]curved.Surface // of vertices that slide on curved boundaries, and of some next to them
}

// NewSolid decides how the vertices of a mesh may move: those on flat parts of the boundary slide in their plane,
// those on straight edges along them (mesh.Freedom), and on request those on curved parts on the surface. It
// refuses a mesh that does not pass its Check, such as one with inverted tetrahedra, unless o.Tangled. An order by
// positions uses all three coordinates.
func NewSolid(s *mesh.Solid, o Options) (*Solid, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	check := s.Check
	if o.Tangled {
		check = s.CheckTangled
	}
	if err := check(); err != nil {
		return nil, err
	}
	l, err := newSolid(s, o)
	if err != nil {
		return nil, err
	}
	if err := l.layout.assignSets(); err != nil {
		return nil, err
	}
	return l, l.layout.orderBy(s.X, s.Y, s.Z)
}

// newSolid decides how the vertices of a mesh that has passed its check may move, and leaves their sets and order.
func newSolid(s *mesh.Solid, o Options) (l *Solid, err error) {
	l = &Solid{solid: s}
	if l.adjacency, err = s.VertexAdjacency(); err != nil {
		return nil, err
	}
	if l.boundaryFaces, err = s.Skin(); err != nil {
		return nil, err
	}
	freedoms := s.Freedoms
	if o.Tangled {
		freedoms = s.FreedomsTangled
	}
	if l.freedoms, err = freedoms(); err != nil {
		return nil, err
	}
	if o.Ridge > 0 {
		if l.curved, err = curved.Surfaces(s, l.freedoms, o.Ridge); err != nil {
			return nil, err
		}
	}
	l.layout = &Layout{options: o, rings: &mesh.Rings{Start: l.adjacency.Start, At: l.adjacency.At}, Class: make([]int8,
		len(s.X))}
	for v, f := range l.freedoms {
		switch {
		case f.Axes == 3:
			l.layout.Class[v] = free
		case o.Boundary == Fixed || f.Axes == 0 && l.curved[int32(v)].Axes == 0:
			l.layout.Class[v] = fixed
		default:
			l.layout.Class[v] = sliding
		}
	}
	return l, nil
}

// Graph returns the graph of vertices that share an edge.
func (l *Solid) Graph() partition.Graph {
	return partition.Graph{Start: l.adjacency.Start, Adj: l.adjacency.At}
}
