// Package other has the name of another package that the same kernels import.
package other

// First returns the second.
func First[T any](a, b T) T { return b }
