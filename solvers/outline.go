package solvers

import "context"

// Outliner is a solver in the plane of whose cells some areas are drawn as polygons at the end of a run.
type Outliner interface {
	// Outlines are those areas. They do not change.
	Outlines() []Outline
}

// Outline is an area: all entities of a space, whose geometry is a mesh, that are inside.
type Outline struct {
	Name, Doc string
	On        *Space
	// Inside tells of each owned entity whether it is. All ranks call it at the same moments.
	Inside func(ctx context.Context) ([]bool, error)
}
