package smooth

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/solid"
)

// SolidLayout says which vertices of a mesh of tetrahedra move, how, and in which set. It is made once, of the whole
// mesh, so that nothing in it depends on ranks.
type SolidLayout struct {
	solid *mesh.Solid
	links *mesh.Links
	skin  []mesh.SkinFace
	free  []mesh.Freedom
	plan  *Layout // classes and sets
}

// NewSolidLayout finds out what the vertices of a mesh may do: those on flat parts of the boundary slide in their
// plane, those on straight edges along them, as mesh.Freedom has it. It refuses a mesh that does not pass its Check,
// such as one with tetrahedra that are turned over, unless that is told. An order by places goes by x and y.
func NewSolidLayout(s *mesh.Solid, o LayoutOptions) (*SolidLayout, error) {
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
	l := &SolidLayout{solid: s}
	var err error
	if l.links, err = s.Links(); err != nil {
		return nil, err
	}
	if l.skin, err = s.Skin(); err != nil {
		return nil, err
	}
	if l.free, err = freedoms(); err != nil {
		return nil, err
	}
	l.plan = &Layout{options: o, rings: &mesh.Rings{Start: l.links.Start, At: l.links.At}, class: make([]int8, len(s.X))}
	for v, f := range l.free {
		switch {
		case f.Axes == 3:
			l.plan.class[v] = free
		case f.Axes == 0 || o.Boundary == Fixed:
			l.plan.class[v] = fixed
		default:
			l.plan.class[v] = sliding
		}
	}
	if err := l.plan.divide(s.X, s.Y, s.Z); err != nil {
		return nil, err
	}
	return l, l.plan.arrangeBy(s.X, s.Y)
}

// Graph joins the vertices that share an edge.
func (l *SolidLayout) Graph() partition.Graph {
	return partition.Graph{Start: l.links.Start, Adj: l.links.At}
}

// frame is how a vertex slides.
func (l *SolidLayout) frame(v int32) solid.Frame[float64] {
	f, p := &l.free[v], l.solid.At(v)
	t, u := f.T[0], f.T[1]
	return solid.Frame[float64]{X: p[0], Y: p[1], Z: p[2], Tx: t[0], Ty: t[1], Tz: t[2], Ux: u[0], Uy: u[1], Uz: u[2],
		Axes: int32(f.Axes)}
}
