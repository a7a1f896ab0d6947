package mesh

import "errors"

// IsTetrahedra reports whether a reader of triangle meshes has refused a file because the file has tetrahedra.
func IsTetrahedra(err error) bool {
	var e tetrahedraError
	return errors.As(err, &e)
}

type tetrahedraError struct{ error }

func (e tetrahedraError) Unwrap() error { return e.error }

// TetrahedraError marks an error of a reader of triangle meshes that has found tetrahedra, for IsTetrahedra.
func TetrahedraError(err error) error { return tetrahedraError{err} }
