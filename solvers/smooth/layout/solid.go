package layout

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/curved"
	"github.com/atoll-hpc/atoll/partition"
)

// Solid tells which vertices of a mesh of tetrahedra move, how, and in which set. It is made once, from the whole
// mesh, so that it does not depend on ranks.
type Solid struct {
	solid *mesh.Solid
	links *mesh.VertexAdjacency
	skin  []mesh.SkinFace
	free  []mesh.Freedom
	plan  *Layout // classes and sets

	curved map[int32]curved.Surface // of vertices that slide on curved boundaries, and of some next to them
}

// NewSolid decides what the vertices of a mesh may do: those on flat parts of the boundary slide in their plane,
// those on straight edges along them (mesh.Freedom), and on request those on curved parts on the surface. It refuses
// a mesh that does not pass its Check, such as one with inverted tetrahedra, unless o.Tangled. An order by positions
// uses x and y.
func NewSolid(s *mesh.Solid, o Options) (*Solid, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	check, freedoms := s.Check, s.Freedoms
	if o.Tangled {
		check, freedoms = s.CheckTangled, s.FreedomsTangled
	}
	if err := check(); err != nil {
		return nil, err
	}
	l := &Solid{solid: s}
	var err error
	if l.links, err = s.VertexAdjacency(); err != nil {
		return nil, err
	}
	if l.skin, err = s.Skin(); err != nil {
		return nil, err
	}
	if l.free, err = freedoms(); err != nil {
		return nil, err
	}
	if o.Ridge > 0 {
		if l.curved, err = curved.Surfaces(s, l.free, o.Ridge); err != nil {
			return nil, err
		}
	}
	l.plan = &Layout{options: o, rings: &mesh.Rings{Start: l.links.Start, At: l.links.At}, Class: make([]int8, len(s.X))}
	for v, f := range l.free {
		switch {
		case f.Axes == 3:
			l.plan.Class[v] = free
		case o.Boundary == Fixed || f.Axes == 0 && l.curved[int32(v)].Axes == 0:
			l.plan.Class[v] = fixed
		default:
			l.plan.Class[v] = sliding
		}
	}
	if err := l.plan.divide(); err != nil {
		return nil, err
	}
	return l, l.plan.arrangeBy(s.X, s.Y)
}

// Graph returns the graph of vertices that share an edge.
func (l *Solid) Graph() partition.Graph {
	return partition.Graph{Start: l.links.Start, Adj: l.links.At}
}
