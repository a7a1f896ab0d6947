package problem

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// The differences between triangles and tetrahedra in a rank's share.

// dim is the number of coordinates of a vertex.
func (s *rankShare) dim() int {
	if s.Solid != nil {
		return 3
	}
	return 2
}

func (s *rankShare) subdomain() *layout.Subdomain {
	if s.Solid != nil {
		return &s.Solid.Subdomain
	}
	return &s.Part.Subdomain
}

// cellIDs returns the global ids of the cells that this rank, and no other, counts in diagnostics and output.
func (s *rankShare) cellIDs() []int32 {
	if s.Solid != nil {
		return s.Solid.CellGlobal
	}
	return s.Part.CellGlobal
}

// setUpSolver sets up the solver of a case.
func (s *rankShare) setUpSolver(ctx context.Context, w *Sections, metric sharedMetric, env solvers.Env) (*smooth.Solver,
	error) {
	m := w.Method
	cfg := smooth.Config{Smoother: m.Smoother, Relax: m.Relax, Guard: m.Guard, Cull: m.Cull, Settled: m.Settled,
		Gain: m.Gain, Floor: m.Floor, Untangle: m.Untangle, Rescale: w.Metric.Rescale, Shared: metric.shared,
		KeepShape: w.Metric.Field == "implied" && !m.Untangle}
	if s.Solid != nil {
		return smooth.NewSolid(ctx, env, m.Precision, cfg, s.Solid, metric.Space)
	}
	return smooth.New(ctx, env, m.Precision, cfg, s.Part, metric.Plane)
}

// cellsOfFrame returns the cells in cellIDs, as a grid without points, and the number of vertices that they use: the
// first ones of the part.
func (s *rankShare) cellsOfFrame() (g *vtk.Grid, used int) {
	if s.Solid != nil {
		g = vtk.Simplices(len(s.Solid.Cells), func(i int) []int32 { return s.Solid.Cells[i].At[:] }, nil, nil, nil)
	} else {
		g = vtk.Simplices(len(s.Part.Cells), func(i int) []int32 { return s.Part.Cells[i].At[:] }, nil, nil)
	}
	n := len(g.Connectivity)
	counts := make([]int64, parallel.Parts(n, 1<<14))
	parallel.Ranges(n, len(counts), func(part, lo, hi int) {
		count := int64(0)
		for _, v := range g.Connectivity[lo:hi] {
			count = max(count, v+1)
		}
		counts[part] = count
	})
	return g, int(slices.Max(counts))
}

// points returns the points of a frame, which are the first n vertices of the part.
func (s *rankShare) points(positions [][]float64, n int) []float64 {
	if s.Solid != nil {
		return vtk.Tetrahedra(positions[0][:n], positions[1][:n], positions[2][:n], nil).Points
	}
	return vtk.Triangles(positions[0][:n], positions[1][:n], nil).Points
}

// sizes returns the areas or volumes of the cells in cellIDs.
func (s *rankShare) sizes(positions [][]float64) []float64 {
	size := make([]float64, len(s.cellIDs()))
	edge := func(from, to int32) (u [3]float64) {
		for k := range positions {
			u[k] = positions[k][to] - positions[k][from]
		}
		return u
	}
	for i := range size {
		if s.Solid != nil {
			v := s.Solid.Cells[i].At
			a, b, c := edge(v[0], v[1]), edge(v[0], v[2]), edge(v[0], v[3])
			size[i] = (a[0]*(b[1]*c[2]-b[2]*c[1]) + a[1]*(b[2]*c[0]-b[0]*c[2]) + a[2]*(b[0]*c[1]-b[1]*c[0])) / 6
			continue
		}
		v := s.Part.Cells[i].At
		a, b := edge(v[0], v[1]), edge(v[0], v[2])
		size[i] = (a[0]*b[1] - b[0]*a[1]) / 2
	}
	return size
}

// counts returns how many vertices and cells the rank holds.
func (s *rankShare) counts() solvers.Counts {
	d := s.subdomain()
	return solvers.Counts{Dim: s.dim(), Owned: d.Owned, Held: len(d.Global), Cells: len(s.cellIDs())}
}

// checkDimension refuses keys of a case that do not apply to meshes of a dimension.
func checkDimension(w *Sections, fields []string, dim int) error {
	m := &w.Metric
	expressions := m.Field == "sizes" || m.Field == "tensor"
	switch {
	case dim == 3 && expressions && !m.Space():
		return fmt.Errorf("[metric] the mesh is of tetrahedra: give %s too", map[string]string{"sizes": "depth, along z",
			"tensor": "m33, and m13 and m23 if they are not 0"}[m.Field])
	case dim == 2 && (m.Space() || m.Field == "ugawg-linear"):
		return fmt.Errorf("[metric] depth, m13, m23, m33 and ugawg-linear are for tetrahedra, and the mesh is of triangles")
	case dim == 3 && slices.Contains(fields, "area"), dim == 2 && slices.Contains(fields, "volume"):
		return fmt.Errorf("[output] fields: triangles have an area and tetrahedra a volume; this mesh is in %d dimensions",
			dim)
	case dim == 3 && m.Samples > sizing.MaxSolidSamples:
		return fmt.Errorf("[metric] samples: %d nodes a side in space; at most %d", m.Samples, sizing.MaxSolidSamples)
	}
	return nil
}

// solidMetric makes the metric of a case over the box of its mesh. It returns early when ctx is cancelled.
func solidMetric(ctx context.Context, m *request.Metric, b sizing.Box, adjusted *request.Adjusted) (*sizing.SolidMetric,
	error) {
	grid := gridded[*sizing.SolidMetric]{dim: 3, low: b.Low, high: b.High}
	grid.make = func(at func(x, y, z float64) sizing.Six) (*sizing.SolidMetric, error) {
		return sizing.SolidDiscrete(b, m.Samples, at)
	}
	grid.evaluate = func(made *sizing.SolidMetric, x, y, z float64) metric.Tensor {
		t := made.At(x, y, z)
		return metric.Tensor{t[0], t[1], t[3], t[2], t[4], t[5]}
	}
	var made *sizing.SolidMetric
	var err error
	switch m.Field {
	case "uniform":
		made, err = sizing.SolidLinear(b, 1, 1)
	case "linear":
		made, err = sizing.SolidLinear(b, m.Low, m.High)
	case "sinusoidal":
		made, err = sizing.SolidSinusoidal(b, m.Low, m.High, m.Waves)
	case "ugawg-linear":
		made, err = sizing.UGAWGLinear(b)
	case "sizes", "tensor":
		return grid.expressions(ctx, m, adjusted)
	default:
		return nil, fmt.Errorf("field %q is not known", m.Field)
	}
	if err != nil || m.Samples == 0 {
		return made, err
	}
	return grid.sampled(m.Samples, metric.Bounds{}, adjusted, func(x, y, z float64) (metric.Tensor, error) {
		return grid.evaluate(made, x, y, z), nil
	})
}

// six reorders the components of a tensor for the solver; after an error they are those of no valid metric.
func six(t [6]float64, err error) sizing.Six {
	if err != nil {
		return sizing.Six{math.NaN()}
	}
	return sizing.Six{t[0], t[1], t[3], t[2], t[4], t[5]}
}
