package request

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// Interpolation is the error of linear interpolation on the cells, in the L2 norm, of a field that a metric follows,
// before and after smoothing. For an expression it is measured. Data at vertices are unknown between them: the error
// is estimated from their second derivatives, and only the ratio of both numbers is meaningful.
type Interpolation struct {
	Field         string
	Before, After float64
	Estimated     bool
}

// Interpolations returns the errors of the fields of a Hessian metric, and nothing for other metrics.
func (m *Metric) Interpolations(before, after Nodes) (all []Interpolation, err error) {
	if m.Field != "hessian" {
		return nil, nil
	}
	for k := range m.Parts {
		f := &m.Parts[k]
		i := Interpolation{Field: f.Expr, Estimated: f.Mesh != ""}
		errorAt := exactError
		if i.Estimated {
			i.Field = f.Mesh
			if errorAt, err = estimatedError(f, before); err != nil {
				return nil, err
			}
		}
		if i.Before, err = errorOf(f, before, errorAt); err == nil {
			i.After, err = errorOf(f, after, errorAt)
		}
		if err != nil {
			return nil, fmt.Errorf("interpolation of %s: %w", f.Name, err)
		}
		all = append(all, i)
	}
	return all, nil
}

// cellError returns the error of linear interpolation of a field in a cell, at the barycentric coordinates share.
// values are those of an expression at all vertices.
type cellError func(f *config.Field, on Nodes, values []float64, cell []int32, share []float64) (float64, error)

// pointsPerEdge is the number of sub-cells along an edge of a cell, at whose centres the error is evaluated.
const pointsPerEdge = 4

// errorOf is the L2 norm of the interpolation error, by a midpoint rule on the sub-cells of each cell that have its
// shape and orientation.
func errorOf(f *config.Field, on Nodes, errorAt cellError) (float64, error) {
	var values []float64
	var err error
	if f.Mesh == "" {
		if values, err = nodalValues(f, on); err != nil {
			return 0, err
		}
	}
	points := Midpoints(on.Dim + 1)
	sum := 0.0
	for c := range len(on.Cells) / (on.Dim + 1) {
		cell := on.Cells[c*(on.Dim+1) : (c+1)*(on.Dim+1)]
		squares := 0.0
		for _, share := range points {
			x, err := errorAt(f, on, values, cell, share)
			if err != nil {
				return 0, err
			}
			squares += x * x
		}
		sum += squares / float64(len(points)) * on.Volume(c)
	}
	return math.Sqrt(sum), nil
}

// Midpoints returns the barycentric coordinates of the centres of these sub-cells, for cells with n corners.
func Midpoints(n int) (all [][]float64) {
	steps := make([]int, n)
	var add func(k, left int)
	add = func(k, left int) {
		if k < n-1 {
			for steps[k] = 0; steps[k] <= left; steps[k]++ {
				add(k+1, left-steps[k])
			}
			return
		}
		steps[k] = left
		share := make([]float64, n)
		for i, s := range steps {
			share[i] = (float64(s) + 1/float64(n)) / pointsPerEdge
		}
		all = append(all, share)
	}
	add(0, pointsPerEdge-1)
	return all
}

// position returns the position in a cell with the barycentric coordinates share.
func (n Nodes) position(cell []int32, share []float64) (p [3]float64) {
	for i, v := range cell {
		for k := range n.Dim {
			p[k] += share[i] * n.X[k][v]
		}
	}
	return p
}

// exactError is the cellError of an expression.
func exactError(f *config.Field, on Nodes, values []float64, cell []int32, share []float64) (float64, error) {
	p := on.position(cell, share)
	x, err := f.Program.Eval(p[0], p[1], p[2], 0)
	for i, v := range cell {
		x -= share[i] * values[v]
	}
	return x, err
}

// estimatedError returns the cellError of a field that is known at vertices, from its absolute second derivatives
// |H|: ½ Σ λᵢλⱼ e'|H|e over the edges e of a cell, with the barycentric coordinates λ. It is exact for a quadratic,
// up to a factor.
func estimatedError(f *config.Field, on Nodes) (cellError, error) {
	values, err := nodalValues(f, on)
	if err != nil {
		return nil, err
	}
	second, err := metric.Recovered(on.Mesh, values)
	if err != nil {
		return nil, err
	}
	hessian, _, err := metric.FromHessian(on.Mesh, second, metric.HessianOptions{Norm: math.Inf(1), Complexity: 1})
	if err != nil {
		return nil, err
	}
	hessianAt, err := (&Nodal{Mesh: *on.Mesh, Tensors: hessian}).lookUp()
	if err != nil {
		return nil, err
	}
	return func(_ *config.Field, on Nodes, _ []float64, cell []int32, share []float64) (x float64, err error) {
		p := on.position(cell, share)
		t := hessianAt(p[0], p[1], p[2])
		for i := range cell {
			for j := range i {
				a, b := on.vertex(int(cell[i])), on.vertex(int(cell[j]))
				length := t.Length(on.Dim, [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]})
				x += share[i] * share[j] * length * length / 2
			}
		}
		return x, nil
	}, nil
}

// lookUp returns the metric as a function of the position.
func (n *Nodal) lookUp() (func(x, y, z float64) metric.Tensor, error) {
	if n.Dim == 3 {
		m, err := n.InSpace()
		if err != nil {
			return nil, err
		}
		return func(x, y, z float64) metric.Tensor {
			t := m.At(x, y, z)
			return metric.Tensor{t[0], t[1], t[3], t[2], t[4], t[5]}
		}, nil
	}
	m, err := n.InPlane()
	if err != nil {
		return nil, err
	}
	return func(x, y, _ float64) metric.Tensor {
		m11, m12, m22 := m.At(x, y)
		return metric.Tensor{m11, m12, m22}
	}, nil
}
