// Package other is imported by kernels that are refused.
package other

// Table is a package variable.
var Table = [2]float64{1, 2}

// List holds a slice.
type List struct{ At []float64 }

// First returns the first of a pair of any type.
func First[T any](a, b T) T { return a }

// Ask calls through an interface.
func Ask(v interface{ Value() float64 }) float64 { return v.Value() } // want: kernels have no interfaces // want: is a method of an interface
