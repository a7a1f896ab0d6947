package request

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/medit"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// Nodal is a metric at the vertices of a mesh, linear on its cells.
type Nodal struct {
	metric.Mesh
	Tensors  metric.Field
	Cracked  []int32 // vertices at cracks, as in mesh.Marks
	Adjusted Adjusted
}

// InPlane returns the metric for the solver of triangles.
func (n *Nodal) InPlane() (*sizing.Metric, error) {
	m := &mesh.Mesh{X: n.X[0], Y: n.X[1], Marks: &mesh.Marks{Cracked: n.Cracked},
		Cells: make([][3]int32, 0, len(n.Cells)/3)}
	for c := range slices.Chunk(n.Cells, 3) {
		m.Cells = append(m.Cells, [3]int32(c))
	}
	return sizing.OnMesh(m, n.Tensors)
}

// InSpace returns the metric for the solver of tetrahedra.
func (n *Nodal) InSpace() (*sizing.SolidMetric, error) {
	s := &mesh.Solid{X: n.X[0], Y: n.X[1], Z: n.X[2], Marks: &mesh.Marks{Cracked: n.Cracked}}
	for c := range slices.Chunk(n.Cells, 4) {
		s.Cells = append(s.Cells, [4]int32(c))
	}
	return sizing.OnSolid(s, n.Tensors)
}

// Nodes are the vertices and cells of a mesh, with the fields of its vertices.
type Nodes struct {
	*metric.Mesh
	Data, CellData map[string][]float64
	inFile         []int32     // id of each vertex in the file of the mesh, nil if it is the same
	marks          *mesh.Marks // of the mesh, may be nil
}

// OfTriangles returns the vertices and cells of a mesh of triangles. inFile is the id of each vertex in its file, nil
// if that is the same.
func OfTriangles(m *mesh.Mesh, inFile []int32) Nodes {
	return Nodes{metric.FromTriangles(m), m.VertexData, m.CellData, inFile, m.Marks}
}

// OfTetrahedra returns those of a mesh of tetrahedra.
func OfTetrahedra(s *mesh.Solid, inFile []int32) Nodes {
	return Nodes{metric.FromTetrahedra(s), s.VertexData, s.CellData, inFile, s.Marks}
}

// Centre returns the mean of the vertices of a cell.
func (n Nodes) Centre(c int) (p [3]float64) {
	corners := n.Dim + 1
	for _, v := range n.Cells[c*corners : (c+1)*corners] {
		for k := range n.Dim {
			p[k] += n.X[k][v] / float64(corners)
		}
	}
	return p
}

// vertex returns the position of a vertex.
func (n Nodes) vertex(v int) (p [3]float64) {
	for k := range n.Dim {
		p[k] = n.X[k][v]
	}
	return p
}

// covers refuses a mesh that extends beyond its background, where the metric is undefined, by more than a hundredth
// of the background's extent, since curved boundaries are discretized differently.
func (n Nodes) covers(other Nodes) error {
	for k := range n.Dim {
		low, high := slices.Min(n.X[k]), slices.Max(n.X[k])
		from, to := slices.Min(other.X[k]), slices.Max(other.X[k])
		if slack := (high - low) / 100; from < low-slack || to > high+slack {
			return fmt.Errorf("it extends from %g to %g along %s, and the mesh to be smoothed from %g to %g: give a "+
				"background that covers the mesh, in the same units", low, high, []string{"x", "y", "z"}[k], from, to)
		}
	}
	return nil
}

// NewNodal makes the metric of a case at the vertices of the mesh to be smoothed, or of a background mesh.
func NewNodal(c *config.Case, w *Metric, on Nodes) (*Nodal, error) {
	if w.Background != "" {
		m, s, err := meshio.ReadAny(c.Path(w.Background))
		if err != nil {
			return nil, err
		}
		var background Nodes
		if s != nil {
			background, err = OfTetrahedra(s, s.Mend()), s.Check()
		} else {
			background, err = OfTriangles(m, m.Mend()), m.Check()
		}
		if err == nil && background.Dim != on.Dim {
			err = fmt.Errorf("it has %d dimensions, and the mesh that is smoothed %d", background.Dim, on.Dim)
		}
		if err == nil {
			err = background.covers(on)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Background, err)
		}
		on = background
	}
	n := &Nodal{Mesh: *on.Mesh, Adjusted: Adjusted{Samples: on.Vertices()}}
	if on.marks != nil {
		n.Cracked = on.marks.Cracked
	}
	var err error
	if n.Tensors, err = nodalField(c, w, on, &n.Adjusted); err != nil {
		return nil, err
	}
	if limits := BoundsOf(w); limits != (metric.Bounds{}) {
		bounded, err := n.Tensors.Within(on.Dim, limits)
		if err != nil {
			return nil, err
		}
		if w.Field != "hessian" { // nodalField has counted these already
			n.Adjusted.Bounded = bounded
		}
	}
	if w.Gradation > 0 {
		if n.Adjusted.Graded, err = n.Tensors.Graded(on.Mesh, w.Gradation); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func nodalField(c *config.Case, w *Metric, on Nodes, adjusted *Adjusted) (metric.Field, error) {
	switch w.Field {
	case "solution":
		s, err := medit.ReadSolution(c.Path(w.Solution))
		if err != nil {
			return nil, err
		}
		f, err := metric.FromSolution(on.Mesh, on.OfFile(s))
		if err != nil {
			return nil, fmt.Errorf("%s: %w: give the solution of this mesh, or its own mesh as background; a solution file "+
				"with the name of the mesh is used unless another metric is given, such as --metric uniform", w.Solution, err)
		}
		return f, nil
	case "implied":
		return metric.Implied(on.Mesh)
	case "hessian":
		f, err := hessianField(w, &w.Parts[0], on, adjusted)
		for k := 1; k < len(w.Parts) && err == nil; k++ {
			var other metric.Field
			if other, err = hessianField(w, &w.Parts[k], on, adjusted); err == nil {
				err = f.Intersect(on.Dim, other)
			}
		}
		return f, err
	}
	var first error
	f, err := metric.Sample(on.Mesh, func(x, y, z float64) metric.Tensor {
		t, err := TensorAt(w, x, y, z)
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

// hessianField returns the metric of a field's second derivatives, with which its interpolation error is smallest.
func hessianField(w *Metric, of *config.Field, on Nodes, adjusted *Adjusted) (metric.Field, error) {
	values, err := nodalValues(of, on)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", of.Name, err)
	}
	second, err := metric.Recovered(on.Mesh, values)
	if err != nil {
		return nil, err
	}
	complexity := w.Complexity
	if complexity == 0 { // that of as many regular cells with edges of length 1 as the mesh has
		unit := []float64{2: math.Sqrt(3) / 4, 3: math.Sqrt2 / 12}[on.Dim]
		complexity = unit * float64(len(on.Cells)/(on.Dim+1))
	}
	f, r, err := metric.FromHessian(on.Mesh, second, metric.HessianOptions{Norm: w.Norm, Complexity: complexity,
		Floor: w.Curvature, Bounds: BoundsOf(w)})
	adjusted.Fields++
	adjusted.Bounded += r.Bounded
	adjusted.Raised += r.Raised
	return f, err
}

// field returns the values of a field of the mesh at its vertices.
func (n Nodes) field(name string) ([]float64, error) {
	values, ok := n.Data[name]
	if ofCells, found := n.CellData[name]; !ok && found {
		values, ok = n.fromCells(ofCells), true
	}
	if !ok {
		known := "there are none"
		if len(n.Data)+len(n.CellData) > 0 {
			known = "there are " + strings.Join(slices.Concat(slices.Sorted(maps.Keys(n.Data)),
				slices.Sorted(maps.Keys(n.CellData))), ", ")
		}
		return nil, fmt.Errorf("the mesh has no data %q of one number a vertex or cell; %s", name, known)
	}
	for v, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%q is %g at vertex %d at %v: give a field with a number at every vertex or cell", name, x,
				v, n.vertex(v))
		}
	}
	return values, nil
}

// Function returns an expression, or data of the mesh interpolated linearly, as a function of the position.
func (n Nodes) Function(f *config.Field) (func(p [3]float64) (float64, error), error) {
	if f.Mesh == "" {
		return func(p [3]float64) (float64, error) { return f.Program.Eval(p[0], p[1], p[2], 0) }, nil
	}
	values, err := n.field(f.Mesh)
	return n.Interpolant(values), err
}

// Interpolant returns the function that is linear between values at vertices.
func (n Nodes) Interpolant(values []float64) func(p [3]float64) (float64, error) {
	find := NewFinder(n.Mesh)
	return func(p [3]float64) (float64, error) {
		c, share := find.Find(p)
		value, _ := find.mean(values, c, share)
		return value, nil
	}
}

// OfFile returns the values at the vertices of the mesh, of a solution for those of its file.
func (n Nodes) OfFile(s *medit.Solution) *medit.Solution { return s.Of(n.inFile) }

// nodalValues returns the values of an expression, or of data of the mesh.
func nodalValues(f *config.Field, on Nodes) ([]float64, error) {
	if f.Mesh != "" {
		return on.field(f.Mesh)
	}
	values := make([]float64, on.Vertices())
	for v := range values {
		p := on.vertex(v)
		var err error
		if values[v], err = f.Program.Eval(p[0], p[1], p[2], 0); err != nil {
			return nil, fmt.Errorf("vertex %d: %w", v, err)
		}
	}
	return values, nil
}
