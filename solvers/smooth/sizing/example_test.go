package sizing_test

import (
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/medit"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// A metric from the second derivatives of a field at the vertices: for as many triangles as the mesh has, with sizes
// within bounds that grow by at most half from edge to edge, and no larger than a file requests.
func ExampleOnMesh() {
	m, err := mesh.Rectangle(0, 0, 1, 1, 1000, 1)
	if err != nil {
		log.Fatal(err)
	}
	on := metric.FromTriangles(m)
	values := make([]float64, len(m.X))
	for v := range values {
		values[v] = math.Tanh(10 * (m.Y[v] - .5))
	}
	hessian, err := metric.Recovered(on, values)
	if err != nil {
		log.Fatal(err)
	}
	field, report, err := metric.FromHessian(on, hessian, metric.HessianOptions{Norm: 2,
		Complexity: math.Sqrt(3) / 4 * float64(len(m.Cells)), Bounds: metric.Bounds{Min: .005, Max: .1, Aspect: 20}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := field.Graded(on, 1.5); err != nil {
		log.Fatal(err)
	}

	// A file of sizes at the vertices, as other programs write it, and its metric.
	sizes := medit.SolutionField{Kind: medit.Scalar}
	for range m.X {
		sizes.Values = append(sizes.Values, .08)
	}
	dir, err := os.MkdirTemp("", "sizes")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "sizes.solb")
	if err := medit.WriteSolution(path, &medit.Solution{Dim: 2, Vertices: len(m.X),
		Fields: []medit.SolutionField{sizes}}); err != nil {
		log.Fatal(err)
	}
	solution, err := medit.ReadSolution(path)
	if err != nil {
		log.Fatal(err)
	}
	file, err := metric.FromSolution(on, solution)
	if err != nil {
		log.Fatal(err)
	}
	if err := field.Intersect(2, file); err != nil {
		log.Fatal(err)
	}

	of, err := sizing.OnMesh(m, field)
	if err != nil {
		log.Fatal(err)
	}
	m11, _, m22 := of.At(.5, .1)
	n11, _, n22 := of.At(.5, .58)
	fmt.Printf("complexity %.0f\n", report.Complexity)
	fmt.Printf("far from the layer sizes of %.2f and %.2f, in it of %.2f and %.2f\n", 1/math.Sqrt(m11), 1/math.Sqrt(m22),
		1/math.Sqrt(n11), 1/math.Sqrt(n22))
	// Output:
	// complexity 419
	// far from the layer sizes of 0.08 and 0.07, in it of 0.06 and 0.01
}
