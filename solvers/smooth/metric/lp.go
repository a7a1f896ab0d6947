package metric

import (
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// HessianOptions has the parameters of a metric from second derivatives.
type HessianOptions struct {
	// Norm is the p of the Lp norm of the interpolation error that the metric minimizes; a large p favours large
	// derivatives, and +Inf is the metric of the derivatives themselves.
	Norm float64
	// Complexity is ∫√det M over the mesh. A mesh of equilateral triangles with sides 1 in the metric has 4/√3 times
	// as many triangles, one of regular tetrahedra 12/√2 times as many (such a mesh does not exist in space).
	Complexity float64
	// Floor is a lower bound of the second derivatives, relative to the largest in the mesh; smaller ones are
	// raised to it. Without it cells become very large where the field is almost linear, and too many are in other
	// regions. A Floor below 1e-10, also 0, is raised to that, since a metric must be positive definite.
	Floor float64
	Bounds
}

// Report says how the metric of FromHessian differs from the optimal one.
type Report struct {
	Complexity float64 // of the metric, within bounds
	Bounded    int     // vertices at which Bounds limit sizes
	Raised     int     // vertices with a second derivative raised to the floor
}

// minFloor is the least Floor; smaller ones, also 0, are raised to it.
const minFloor = 1e-10

// FromHessian returns the optimal metric for linear interpolation of a field with the given second derivatives, M ∝
// det|H|^(-1/(2p+d)) |H| (A. Loseille and F. Alauzet, "Continuous mesh framework part I", SIAM J. Numer. Anal. 49,
// 2011), with sizes limited by bounds, scaled to the complexity.
func FromHessian(m *Mesh, hessian []Tensor, c HessianOptions) (Field, Report, error) {
	var r Report
	if err := m.Check(); err != nil {
		return nil, r, err
	}
	if err := c.check(m, hessian); err != nil {
		return nil, r, err
	}
	dim := m.Dim
	shapes, raised, err := c.shapes(m, hessian)
	if err != nil {
		return nil, r, err
	}
	r.Raised = raised
	scale, err := c.scale(m, shapes)
	if err != nil {
		return nil, r, err
	}
	f := make(Field, len(shapes))
	volumes := m.dualVolumes()
	for v, s := range shapes {
		unbounded := s.Values
		for k := range dim {
			unbounded[k] *= scale
			s.Values[k] = unbounded[k]
		}
		c.limit(s.Values[:dim])
		if s.Values != unbounded {
			r.Bounded++
		}
		f[v] = s.Tensor(dim)
		r.Complexity += volumes[v] * sqrtDet(s.Values[:dim])
	}
	return f, r, f.Check(m)
}

// check refuses parameters out of range.
func (c *HessianOptions) check(m *Mesh, hessian []Tensor) error {
	if err := c.Bounds.Check(); err != nil {
		return err
	}
	switch {
	case len(hessian) != m.Vertices():
		return fmt.Errorf("second derivatives at %d vertices, for a mesh of %d", len(hessian), m.Vertices())
	case !(c.Norm >= 1):
		return fmt.Errorf("an Lp norm with p = %g: give one from 1 on", c.Norm)
	case !(c.Floor >= 0 && c.Floor <= 1):
		return fmt.Errorf("a floor of %g under second derivatives: give a share of the largest, from 0 to 1", c.Floor)
	case !(c.Complexity > 0) || math.IsInf(c.Complexity, 0):
		return fmt.Errorf("a complexity of %g: give one above 0", c.Complexity)
	}
	return nil
}

// shapes returns the optimal tensors up to a common factor, and the number of second derivatives that were raised to
// the floor.
func (c *HessianOptions) shapes(m *Mesh, hessian []Tensor) (shapes []Spectrum, raisedCount int, err error) {
	dim, floor := m.Dim, max(c.Floor, minFloor)
	shapes = make([]Spectrum, len(hessian))
	top := 0.0
	for v, h := range hessian {
		for _, x := range h[:Components(dim)] {
			if x-x != 0 {
				return nil, 0, fmt.Errorf("vertex %d at %v: the second derivatives %v are not finite", v, m.coordinates(v),
					h[:Components(dim)])
			}
		}
		shapes[v] = h.withEigenvalues(dim, math.Abs).Eigen(dim)
		top = max(top, shapes[v].Values[dim-1])
	}
	if top == 0 {
		return nil, 0, errors.New("all second derivatives are zero: a linear field determines no metric")
	}
	for v := range shapes {
		values := shapes[v].Values[:dim]
		det, raised := 1.0, false
		for k := range values {
			values[k] /= top
			raised = raised || values[k] < floor
			values[k] = max(values[k], floor)
			det *= values[k]
		}
		if raised {
			raisedCount++
		}
		factor := portable.Pow(det, -1/(2*c.Norm+float64(dim)))
		for k := range values {
			values[k] *= factor
		}
	}
	return shapes, raisedCount, nil
}

// sqrtDet is the square root of the determinant of a tensor with these eigenvalues.
func sqrtDet(values []float64) float64 {
	det := 1.0
	for _, x := range values {
		det *= math.Sqrt(x)
	}
	return det
}

// scale finds the factor for which the bounded metric has the requested complexity, which increases with it, by
// bisection of its logarithm.
func (c HessianOptions) scale(m *Mesh, shapes []Spectrum) (float64, error) {
	volumes := m.dualVolumes()
	total := func(scale float64) float64 {
		sum := 0.0
		for v := range shapes {
			values := shapes[v].Values
			for k := range m.Dim {
				values[k] *= scale
			}
			c.limit(values[:m.Dim])
			sum += volumes[v] * sqrtDet(values[:m.Dim])
		}
		return sum
	}
	low, high := -650.0, 650.0 // logarithms of the factor; float64 holds numbers up to about exp(709)
	lowest, highest := total(portable.Exp(low)), total(portable.Exp(high))
	if !(lowest <= c.Complexity && c.Complexity <= highest) {
		return 0, fmt.Errorf("a complexity of %g is impossible with sizes from %g to %g, which give %g to %g; change one",
			c.Complexity, c.Min, c.Max, lowest, highest)
	}
	for range 64 {
		middle := (low + high) / 2
		if total(portable.Exp(middle)) < c.Complexity {
			low = middle
		} else {
			high = middle
		}
	}
	return portable.Exp(high), nil
}

// Complexity is ∫√det M over the mesh, by quadrature with the values at vertices.
func (f Field) Complexity(m *Mesh) float64 {
	sum := 0.0
	for v, volume := range m.dualVolumes() {
		sum += volume * f[v].Density(m.Dim)
	}
	return sum
}
