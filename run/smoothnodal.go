package run

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run/config"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// nodalMetric is a metric at the vertices of a mesh, between which it is linear. Every rank holds it whole.
type nodalMetric struct {
	X, Y  []float64
	Cells [][3]int32
	At    metric.Field
}

// metric is what the solver takes.
func (n *nodalMetric) metric() (*smooth.Metric, error) {
	return smooth.OnMesh(&mesh.Mesh{X: n.X, Y: n.Y, Cells: n.Cells}, n.At)
}

// newNodalMetric makes the metric of a case at the vertices of m, the mesh to be smoothed, or of a background mesh.
func newNodalMetric(c *config.Case, w *config.Metric, m *mesh.Mesh) (*nodalMetric, error) {
	if w.Background != "" {
		var err error
		if m, err = meshio.Read(c.Path(w.Background)); err != nil {
			return nil, err
		}
		if err := m.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", w.Background, err)
		}
	}
	on := metric.Of(m)
	field, err := nodalField(c, w, m, on)
	if err != nil {
		return nil, err
	}
	if limits := boundsOf(w); limits != (metric.Bounds{}) {
		if err := field.Within(2, limits); err != nil {
			return nil, err
		}
	}
	if w.Gradation > 0 {
		if _, err := field.Graded(on, w.Gradation); err != nil {
			return nil, err
		}
	}
	return &nodalMetric{X: m.X, Y: m.Y, Cells: m.Cells, At: field}, nil
}

func nodalField(c *config.Case, w *config.Metric, m *mesh.Mesh, on *metric.Mesh) (metric.Field, error) {
	switch w.Field {
	case "solution":
		s, err := mesh.ReadSolution(c.Path(w.Solution))
		if err != nil {
			return nil, err
		}
		f, err := metric.FromSolution(on, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Solution, err)
		}
		return f, nil
	case "hessian":
		values, err := nodalValues(&w.Parts[0], m)
		if err != nil {
			return nil, fmt.Errorf("hessian: %w", err)
		}
		second, err := metric.Recovered(on, values)
		if err != nil {
			return nil, err
		}
		complexity := w.Complexity
		if complexity == 0 {
			complexity = math.Sqrt(3) / 4 * float64(len(m.Cells))
		}
		f, _, err := metric.FromHessian(on, second, metric.Control{Norm: w.Norm, Complexity: complexity, Bounds: boundsOf(w)})
		return f, err
	}
	var first error
	f, err := metric.Sample(on, func(x, y, _ float64) metric.Tensor {
		t, err := tensorAt(w, x, y)
		if err != nil && first == nil {
			first = err
		}
		return t
	})
	if first != nil {
		return nil, first
	}
	return f, err
}

// nodalValues are those of an expression or of the mesh's own data at its vertices.
func nodalValues(f *config.Field, m *mesh.Mesh) ([]float64, error) {
	if f.Mesh != "" {
		values, ok := m.VertexData[f.Mesh]
		if !ok {
			return nil, fmt.Errorf("the mesh has no vertex data %q; it has %s", f.Mesh,
				strings.Join(append(slices.Sorted(maps.Keys(m.VertexData)), "nothing else"), ", "))
		}
		return values, nil
	}
	values := make([]float64, len(m.X))
	for v := range values {
		var err error
		if values[v], err = f.Program.Eval(m.X[v], m.Y[v], 0, 0); err != nil {
			return nil, fmt.Errorf("vertex %d: %w", v, err)
		}
	}
	return values, nil
}
