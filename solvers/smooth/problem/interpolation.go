package problem

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// Interpolation is how far a field that a metric follows is from what is linear on the cells and equal to it at the
// vertices, in the L2 norm, before and after. Of an expression it is measured. Data at vertices do not tell what lies
// between them: there it is estimated from their second derivatives, and only the ratio of both counts.
type Interpolation struct {
	Field         string
	Before, After float64
	Estimated     bool
}

// interpolations are those of the fields of a metric from second derivatives, none of others.
func (m *Metric) interpolations(before, after nodes) (all []Interpolation, err error) {
	if m.Field != "hessian" {
		return nil, nil
	}
	for k := range m.Parts {
		f := &m.Parts[k]
		i := Interpolation{Field: f.Expr, Estimated: f.Mesh != ""}
		off := exactly
		if i.Estimated {
			i.Field = f.Mesh
			if off, err = estimated(f, before); err != nil {
				return nil, err
			}
		}
		if i.Before, err = errorOf(f, before, off); err == nil {
			i.After, err = errorOf(f, after, off)
		}
		if err != nil {
			return nil, fmt.Errorf("interpolation of %s: %w", f.Name, err)
		}
		all = append(all, i)
	}
	return all, nil
}

// offAt is how far a field is from what is linear on a cell, at a position that shares of its vertices tell; values are
// those of an expression at all vertices.
type offAt func(f *config.Field, on nodes, values []float64, cell []int32, share []float64) (float64, error)

// lattice is how many positions along an edge of a cell its error is looked at.
const lattice = 4

// errorOf is the L2 norm of a field's error, by the middles of the upright parts into which a cell can be cut.
func errorOf(f *config.Field, on nodes, off offAt) (float64, error) {
	var values []float64
	var err error
	if f.Mesh == "" {
		if values, err = nodalValues(f, on); err != nil {
			return 0, err
		}
	}
	places := shares(on.Dim + 1)
	sum := 0.0
	for c := range len(on.Cells) / (on.Dim + 1) {
		cell := on.Cells[c*(on.Dim+1) : (c+1)*(on.Dim+1)]
		squares := 0.0
		for _, share := range places {
			x, err := off(f, on, values, cell, share)
			if err != nil {
				return 0, err
			}
			squares += x * x
		}
		sum += squares / float64(len(places)) * on.Volume(c)
	}
	return math.Sqrt(sum), nil
}

// shares are those of n corners at the middles of the upright parts.
func shares(n int) (all [][]float64) {
	steps := make([]int, n)
	var place func(k, left int)
	place = func(k, left int) {
		if k < n-1 {
			for steps[k] = 0; steps[k] <= left; steps[k]++ {
				place(k+1, left-steps[k])
			}
			return
		}
		steps[k] = left
		share := make([]float64, n)
		for i, s := range steps {
			share[i] = (float64(s) + 1/float64(n)) / lattice
		}
		all = append(all, share)
	}
	place(0, lattice-1)
	return all
}

// within is the position in a cell that shares of its vertices tell.
func (n nodes) within(cell []int32, share []float64) (p [3]float64) {
	for i, v := range cell {
		for k := range n.Dim {
			p[k] += share[i] * n.X[k][v]
		}
	}
	return p
}

// exactly is the error of an expression.
func exactly(f *config.Field, on nodes, values []float64, cell []int32, share []float64) (float64, error) {
	p := on.within(cell, share)
	x, err := f.Program.Eval(p[0], p[1], p[2], 0)
	for i, v := range cell {
		x -= share[i] * values[v]
	}
	return x, err
}

// estimated is the error of a field with the second derivatives, without their signs, that its values at the vertices
// of a mesh have: a half of Σ λᵢλⱼ e'|H|e over the edges e of a cell for a quadratic, but for a factor.
func estimated(f *config.Field, on nodes) (offAt, error) {
	values, err := nodalValues(f, on)
	if err != nil {
		return nil, err
	}
	second, err := metric.Recovered(on.Mesh, values)
	if err != nil {
		return nil, err
	}
	bend, _, err := metric.FromHessian(on.Mesh, second, metric.Control{Norm: math.Inf(1), Complexity: 1})
	if err != nil {
		return nil, err
	}
	at, err := (&nodalMetric{Mesh: *on.Mesh, At: bend}).lookUp()
	if err != nil {
		return nil, err
	}
	return func(_ *config.Field, on nodes, _ []float64, cell []int32, share []float64) (x float64, err error) {
		p := on.within(cell, share)
		t := at(p[0], p[1], p[2])
		for i := range cell {
			for j := range i {
				a, b := on.at(int(cell[i])), on.at(int(cell[j]))
				length := t.Length(on.Dim, [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]})
				x += share[i] * share[j] * length * length / 2
			}
		}
		return x, nil
	}, nil
}

// lookUp is the metric as a function of the position.
func (n *nodalMetric) lookUp() (func(x, y, z float64) metric.Tensor, error) {
	if n.Dim == 3 {
		m, err := n.inSpace()
		if err != nil {
			return nil, err
		}
		return func(x, y, z float64) metric.Tensor {
			t := m.At(x, y, z)
			return metric.Tensor{t[0], t[1], t[3], t[2], t[4], t[5]}
		}, nil
	}
	m, err := n.inPlane()
	if err != nil {
		return nil, err
	}
	return func(x, y, _ float64) metric.Tensor {
		m11, m12, m22 := m.At(x, y)
		return metric.Tensor{m11, m12, m22}
	}, nil
}
