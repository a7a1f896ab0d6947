package metric

import (
	"fmt"
	"math"
	"slices"
)

// Recovered returns the second derivatives of a field, given by its values at the vertices: those of the quadratic
// through each vertex that is the least-squares fit to its neighbours. For a quadratic they are exact up to
// round-off; where they contribute less than round-off to the field around a vertex they are zero. Neighbours of
// neighbours are included if there are fewer neighbours than unknowns, as at boundaries.
func Recovered(m *Mesh, values []float64) ([]Tensor, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if len(values) != m.Vertices() {
		return nil, fmt.Errorf("%d values for %d vertices", len(values), m.Vertices())
	}
	for v, x := range values {
		if x-x != 0 {
			return nil, fmt.Errorf("vertex %d at %v has the value %g", v, m.coordinates(v), x)
		}
	}
	fit := &fit{mesh: m, values: values, adjacent: m.neighbours(), mark: make([]int32, m.Vertices())}
	for v := range fit.mark {
		fit.mark[v] = -1
	}
	all := make([]Tensor, m.Vertices())
	for v := range all {
		var err error
		if all[v], err = fit.hessianAt(int32(v)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// maxRings is the largest number of layers of neighbours for a fit.
const maxRings = 5

// fit fits quadratics to the values around each vertex.
type fit struct {
	mesh     *Mesh
	values   []float64
	adjacent *adjacency
	mark     []int32 // of each vertex, the last one whose stencil contained it
	stencil  []int32 // a vertex and those to which the quadratic around it is fitted
	rows     []float64
}

func (f *fit) hessianAt(v int32) (Tensor, error) {
	f.stencil = append(f.stencil[:0], v)
	f.mark[v] = v
	begin := 0
	for range maxRings {
		end := len(f.stencil)
		for _, a := range f.stencil[begin:end] {
			for _, b := range f.adjacent.of(a) {
				if f.mark[b] != v {
					f.mark[b] = v
					f.stencil = append(f.stencil, b)
				}
			}
		}
		slices.Sort(f.stencil[end:])
		begin = end
		if t, ok := f.solve(v, f.stencil[1:]); ok {
			return t, nil
		}
	}
	return Tensor{}, fmt.Errorf("vertex %d at %v: its %d nearest vertices do not determine a quadratic", v,
		f.mesh.coordinates(int(v)), len(f.stencil)-1)
}

// minIndependent is the smallest length of the part of a column that is independent of the previous columns,
// relative to the length of the column, for which the fit is determined.
const minIndependent = 1e-7

// minCurvature is the smallest change of a field around a vertex by its second derivatives, relative to its values,
// that is not round-off.
const minCurvature = 1e-12

// solve fits g·d + ½d'Hd to the differences of values. Columns are normalized, so that neither units nor thin cells
// matter.
func (f *fit) solve(v int32, stencil []int32) (Tensor, bool) {
	dim := f.mesh.Dim
	n := dim + Components(dim)
	if len(stencil) < n {
		return Tensor{}, false
	}
	f.rows = f.rows[:0]
	for _, b := range stencil {
		d := f.mesh.edgeVector(v, b)
		f.rows = append(f.rows, d[:dim]...)
		for i := range dim {
			for j := range i + 1 {
				x := d[i] * d[j]
				if i == j {
					x /= 2
				}
				f.rows = append(f.rows, x)
			}
		}
		f.rows = append(f.rows, f.values[b]-f.values[v])
	}
	x, ok := leastSquares(f.rows, n)
	var t Tensor
	copy(t[:], x[dim:n])
	return f.withoutRoundOff(v, stencil, t), ok
}

// withoutRoundOff returns zero for second derivatives that are only round-off.
func (f *fit) withoutRoundOff(v int32, stencil []int32, t Tensor) Tensor {
	size, change := math.Abs(f.values[v]), 0.0
	absolute := t
	for k, x := range t {
		absolute[k] = math.Abs(x)
	}
	for _, b := range stencil {
		d := f.mesh.edgeVector(v, b)
		for k, x := range d {
			d[k] = math.Abs(x)
		}
		u := absolute.Length(f.mesh.Dim, d)
		size, change = max(size, math.Abs(f.values[b])), max(change, u*u/2)
	}
	if change <= minCurvature*size {
		return Tensor{}
	}
	return t
}

// leastSquares solves rows of n coefficients and a right-hand side for n ≤ 9 unknowns, by Householder reflections. It
// overwrites the rows, and fails if columns are linearly dependent.
func leastSquares(rows []float64, n int) (x [9]float64, ok bool) {
	w := n + 1
	m := len(rows) / w
	var scale [9]float64
	for k := range n {
		for i := range m {
			scale[k] = math.Hypot(scale[k], rows[i*w+k])
		}
		if scale[k] == 0 {
			return x, false
		}
		for i := range m {
			rows[i*w+k] /= scale[k]
		}
	}
	for k := range n {
		length := 0.0
		for i := k; i < m; i++ {
			length = math.Hypot(length, rows[i*w+k])
		}
		if length < minIndependent {
			return x, false
		}
		if rows[k*w+k] > 0 {
			length = -length
		}
		// The reflection's vector overwrites the column below the diagonal, and the diagonal for the moment.
		rows[k*w+k] -= length
		norm := -length * rows[k*w+k]
		for j := k + 1; j < w; j++ {
			dot := 0.0
			for i := k; i < m; i++ {
				dot += rows[i*w+k] * rows[i*w+j]
			}
			dot /= norm
			for i := k; i < m; i++ {
				rows[i*w+j] -= dot * rows[i*w+k]
			}
		}
		rows[k*w+k] = length
	}
	for k := n - 1; k >= 0; k-- {
		x[k] = rows[k*w+n]
		for j := k + 1; j < n; j++ {
			x[k] -= rows[k*w+j] * x[j]
		}
		x[k] /= rows[k*w+k]
	}
	for k := range n {
		x[k] /= scale[k]
	}
	return x, true
}
