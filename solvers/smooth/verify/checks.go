// Package verify holds the checks of mesh smoothing.
package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

func init() { verify.Register(suite) }

// suite holds the checks, the fast ones first.
var suite = verify.Suite{Name: "smooth", TwinRanks: roughMeshRanks, Checks: []verify.Check{
	{Name: "gradients", About: "Analytic gradients against differences", Run: gradients},
	{Name: "affine", About: "A mesh and its image in the frame of the metric", Run: affine},
	{Name: "strip", About: "A strip: where the steps converge", Run: strip},
	{Name: "monotone", About: "Smoothers that never make the worst triangle worse", Run: monotone},
	{Name: "relaxation", About: "Sweeps to convergence by over-relaxation", Run: relaxation},
	{Name: "sizes", About: "Linear and sinusoidal metrics of G. Rokos (2010)", Run: sizes},
	{Name: "refine", About: "Analytic metrics of the suite of refine, NASA", Run: refineMetrics},
	{Name: "cube", About: "Tetrahedra: a cube in the linear metric of the UGAWG", Run: cubes},
	{Name: "kinds", About: "Mean and worst quality compared with Mmg's by moving vertices", Run: kinds},
	{Name: "harm", About: "Rough meshes: neither the mean nor the worst quality falls, and bits are the same",
		Run: roughMeshes},
	{Name: "large", About: "Mean and worst quality of a mesh of 16,641 vertices", Run: large},
	{Name: "interpolation", About: "The error of interpolation that metrics from second derivatives leave",
		Run: interpolations},
	{Name: "hessian", About: "Metrics from second derivatives: the error of interpolation", Run: hessians},
}}

// unitSquare is the domain of the metrics of most checks.
var unitSquare = sizing.Bounds{X0: 0, Y0: 0, X1: 1, Y1: 1}

// smoothing sets up a solver on one rank and passes it to f, with the part, which is the whole mesh.
func smoothing(ctx context.Context, p *verify.Page, m *mesh.Mesh, metric *sizing.Metric, cfg smooth.Config,
	f func(part *layout.Part, s *smooth.Solver) error) error {
	layout, err := layout.New(m, layout.Options{Boundary: layout.Slide, Ridge: ridgeOf(cfg),
		Colouring: colouring.JonesPlassmann, Order: partition.Hilbert})
	if err != nil {
		return err
	}
	parts, err := layout.Parts(make([]int32, len(m.X)), 1)
	if err != nil {
		return err
	}
	comm := local.New(1)[0]
	dev := cpu.New(p.Options.Threads)
	defer dev.Close()
	s, err := smooth.New(ctx, solvers.Env{Comm: comm, Device: dev}, "float64", cfg, parts[0], metric)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := f(parts[0], s); err != nil {
		return err
	}
	return comm.Close()
}

// ridgeOf is the angle in degrees up to which a boundary may turn at a vertex that still slides along it: only the
// smoother barrier slides along curved boundaries.
func ridgeOf(cfg smooth.Config) float64 {
	if cfg.Smoother == "barrier" {
		return 45
	}
	return 0
}

// coordinates returns the positions of the vertices, by their ids in the mesh.
func coordinates(part *layout.Part, s *smooth.Solver) (x, y []float64, err error) {
	at, err := s.Coordinates()
	if err != nil {
		return nil, nil, err
	}
	lx, ly := at[0], at[1]
	x, y = make([]float64, len(lx)), make([]float64, len(ly))
	for i := range lx {
		x[part.Global[i]], y[part.Global[i]] = lx[i], ly[i]
	}
	return x, y, nil
}

// guardOf returns the guard of pain and pain-exact against inverted cells: none, except on the coarse meshes of
// quick runs, in which adjacent cells differ much in size.
func guardOf(p *verify.Page) string {
	if p.Options.Quick {
		return "halve"
	}
	return "none"
}

// converge sweeps until no vertex moves by more than a length in the metric, and returns the number of sweeps. It
// checks after every `every` sweeps, and returns an error after maxSweeps.
func converge(ctx context.Context, s *smooth.Solver, length float64, every, maxSweeps int) (int, error) {
	for s.Sweeps() < maxSweeps {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		move, err := s.Sweep(ctx, min(every, maxSweeps-s.Sweeps()))
		if err != nil {
			return 0, err
		}
		if move <= length {
			return s.Sweeps(), nil
		}
	}
	return 0, fmt.Errorf("vertices still move by more than %g after %d sweeps", length, maxSweeps)
}

// alternatingMesh divides a rectangle into nx × ny boxes, and these by alternating diagonals into triangles, so
// that opposite sides of the mesh look the same.
func alternatingMesh(nx, ny int, width, height float64) *mesh.Mesh {
	m := &mesh.Mesh{}
	for j := 0; j <= ny; j++ {
		for i := 0; i <= nx; i++ {
			m.X, m.Y = append(m.X, width*float64(i)/float64(nx)), append(m.Y, height*float64(j)/float64(ny))
		}
	}
	at := func(i, j int) int32 { return int32(j*(nx+1) + i) }
	for j := range ny {
		for i := range nx {
			a, b, c, d := at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1)
			if (i+j)%2 == 0 {
				m.Cells = append(m.Cells, [3]int32{a, b, c}, [3]int32{a, c, d})
			} else {
				m.Cells = append(m.Cells, [3]int32{a, b, d}, [3]int32{b, c, d})
			}
		}
	}
	return m
}

// ratio returns the ratio of the largest to the smallest value.
func ratio(values []float64) float64 {
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	return most / least
}
