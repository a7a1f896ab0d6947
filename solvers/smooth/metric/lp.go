package metric

import (
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// Control says what metric is made from second derivatives.
type Control struct {
	// Norm p makes the metric that is best for the Lp norm of the interpolation error; large p favour where derivatives
	// are large, and +Inf keeps the metric as the derivatives are.
	Norm float64
	// Complexity is ∫√det M over the mesh. A mesh of equilateral triangles of sides 1 in the metric has 4/√3 as many
	// triangles, and one of tetrahedra 12/√2 as many (there are no such meshes in space).
	Complexity float64
	// Floor is the share of the largest second derivative in the mesh that smaller ones are raised to: without it cells
	// are as large as they can be where the field is almost linear, and others have to make up for them. 0 for 1e-10,
	// since a metric must be positive definite.
	Floor float64
	Bounds
}

// Report counts what was limited.
type Report struct {
	Complexity float64 // as reached
	Bounded    int     // vertices at which Bounds hold sizes back
	Raised     int     // vertices with a derivative so small that it was replaced
}

// least is the smallest Floor.
const least = 1e-10

// FromHessian makes the metric that is best for linear interpolation of a field with the given second derivatives,
// M ∝ det|H|^(-1/(2p+d)) |H| (A. Loseille and F. Alauzet, "Continuous mesh framework part I", SIAM J. Numer. Anal. 49,
// 2011), with the sizes kept within bounds and the complexity reached by scaling.
func FromHessian(m *Mesh, hessian []Tensor, c Control) (Field, Report, error) {
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
	volumes := m.volumes()
	for v, s := range shapes {
		free := s.Values
		for k := range dim {
			free[k] *= scale
			s.Values[k] = free[k]
		}
		c.limit(s.Values[:dim])
		if s.Values != free {
			r.Bounded++
		}
		f[v] = s.Tensor(dim)
		r.Complexity += volumes[v] * root(s.Values[:dim])
	}
	return f, r, f.Check(m)
}

// check refuses numbers that ask for no metric.
func (c *Control) check(m *Mesh, hessian []Tensor) error {
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

// shapes are the tensors that the least error asks for but for one factor, and how many second derivatives were raised
// to the floor.
func (c *Control) shapes(m *Mesh, hessian []Tensor) (shapes []Spectrum, held int, err error) {
	dim, floor := m.Dim, max(c.Floor, least)
	shapes = make([]Spectrum, len(hessian))
	top := 0.0
	for v, h := range hessian {
		for _, x := range h[:Components(dim)] {
			if x-x != 0 {
				return nil, 0, fmt.Errorf("vertex %d at %v: the second derivatives %v are not finite", v, m.coordinates(v),
					h[:Components(dim)])
			}
		}
		shapes[v] = h.mapped(dim, math.Abs).Eigen(dim)
		top = max(top, shapes[v].Values[dim-1])
	}
	if top == 0 {
		return nil, 0, errors.New("all second derivatives are zero: the field is linear, and asks for no metric")
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
			held++
		}
		by := portable.Pow(det, -1/(2*c.Norm+float64(dim)))
		for k := range values {
			values[k] *= by
		}
	}
	return shapes, held, nil
}

// root is √det.
func root(values []float64) float64 {
	det := 1.0
	for _, x := range values {
		det *= math.Sqrt(x)
	}
	return det
}

// scale finds the factor with which the bounded metric has the complexity asked for, which grows with it, by bisection
// of its logarithm.
func (c Control) scale(m *Mesh, shapes []Spectrum) (float64, error) {
	volumes := m.volumes()
	total := func(scale float64) float64 {
		sum := 0.0
		for v := range shapes {
			values := shapes[v].Values
			for k := range m.Dim {
				values[k] *= scale
			}
			c.limit(values[:m.Dim])
			sum += volumes[v] * root(values[:m.Dim])
		}
		return sum
	}
	low, high := -650.0, 650.0
	least, most := total(portable.Exp(low)), total(portable.Exp(high))
	if !(least <= c.Complexity && c.Complexity <= most) {
		return 0, fmt.Errorf("a complexity of %g cannot be had with sizes from %g to %g, which give %g to %g; change one",
			c.Complexity, c.Min, c.Max, least, most)
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

// Complexity is ∫√det M over the mesh, by the values at vertices.
func (f Field) Complexity(m *Mesh) float64 {
	sum := 0.0
	for v, volume := range m.volumes() {
		sum += volume * f[v].Density(m.Dim)
	}
	return sum
}
