package solvers

import "context"

// Outliner is a solver in the plane with regions whose outlines are written as polygons at the end of a run.
type Outliner interface {
	// Outlines returns the regions. They do not change during a run.
	Outlines() []Outline
}

// Outline is a region: a subset of the entities of a space whose geometry is a mesh.
type Outline struct {
	Name, Doc string
	Space     *Space
	// Inside tells for each owned entity whether it is in the region. All ranks call it at the same steps.
	Inside func(ctx context.Context) ([]bool, error)
}
