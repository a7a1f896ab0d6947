package mesh

import "errors"

// InSpace tells whether a reader of triangles has refused a file because it has tetrahedra.
func InSpace(err error) bool {
	var s inSpace
	return errors.As(err, &s)
}

type inSpace struct{ error }

func (e inSpace) Unwrap() error { return e.error }

// NotPlane marks an error of a reader of triangles that has come to tetrahedra, for InSpace.
func NotPlane(err error) error { return inSpace{err} }
