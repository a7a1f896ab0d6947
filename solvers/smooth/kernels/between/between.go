// Package between has the metric between the vertices at which it is given, as an adaptation needs it: the tensors
// M^-½, whose eigenvalues are the sizes, are linear on the triangles of a mesh. For similar tensors this is near
// their log-Euclidean mean, and needs no logarithms.
package between

import "github.com/atoll-hpc/atoll/solvers/smooth/kernels"

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

// At returns scale times M at a position, of which sizes has M^-½.
func At(sizes *kernels.Field[float64], scale, x, y float64) (m11, m12, m22 float64) {
	s := sizes.At(x, y)
	a, b, c := s.M11*s.M11+s.M12*s.M12, s.M12*s.M11+s.M22*s.M12, s.M12*s.M12+s.M22*s.M22 // M⁻¹
	det := a*c - b*b
	return scale * (c / det), scale * (-b / det), scale * (a / det)
}

// Evaluate sets want[i] to the metric at x[i], in the order of mesh/adapt/measure.Tensor.
//
//atoll:kernel
func Evaluate(i int, sizes *kernels.Field[float64], scale float64, x [][3]float64, want [][6]float64) {
	m11, m12, m22 := At(sizes, scale, x[i][0], x[i][1])
	want[i] = [6]float64{m11, m12, m22}
}
