package domain

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/lattice"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/solvers"
)

// Estimate returns the sizes of the largest block of a grid that is divided among ranks, without allocating arrays.
// ghost is the number of ghost layers; separate is true for devices with separate memory.
func Estimate(s *config.Grid, ghost, ranks int, separate bool) (f solvers.Estimate, err error) {
	return EstimateDivided(s, ghost, ranks, separate, func(*grid.Grid) Division { return Division{} })
}

// EstimateDivided is Estimate for a division without weights.
func EstimateDivided(s *config.Grid, ghost, ranks int, separate bool, divide func(*grid.Grid) Division) (
	f solvers.Estimate, err error) {
	g, err := gridOf(s)
	if err != nil {
		return f, err
	}
	d := divide(g)
	boxes, err := d.boxes(g, ranks, s.Blocks, ghost)
	if err != nil {
		return f, err
	}
	var largest *grid.Block
	for rank := range ranks {
		lo, n := boxes.Box(rank)
		b, err := g.Block(lo, n, ghost)
		if err != nil {
			return f, fmt.Errorf("[grid] %w", err)
		}
		if largest == nil || b.Len() > largest.Len() {
			largest = b
		}
	}
	f.Entities, f.LargestShare = int64(g.Cells()), (&Block{Block: largest}).Counts()
	f.LargestShare.SeparateMemory = separate
	return f, nil
}

// MeshCounts are the approximate numbers of vertices and cells of a mesh, and its dimension; all are 0 if a file does
// not contain them in its header.
type MeshCounts struct {
	Dim             int
	Vertices, Cells int64
	InSlices        bool // ranks can have slices of it (ReadInSlices)
}

// EstimateMesh returns the counts of a case's mesh without generating or reading it.
func EstimateMesh(c *config.Case, s *config.Mesh) (m MeshCounts, err error) {
	switch {
	case s.File != "":
		counted, err := meshio.Count(c.Path(s.File))
		if err != nil {
			return m, err
		}
		m = MeshCounts{counted.Dim, counted.Vertices, counted.Cells, counted.InSlices}
	case s.Generate == "box":
		n, err := mesh.BoxCounts([3]float64(s.Box[:3]), [3]float64(s.Box[3:]), s.Cells)
		if err != nil {
			return m, err
		}
		m.Dim, m.Vertices = 3, int64(n[0]+1)*int64(n[1]+1)*int64(n[2]+1)
		m.Cells = 6 * int64(n[0]) * int64(n[1]) * int64(n[2])
	default:
		b := s.Bounds
		nx, ny, err := lattice.Boxes(b[0], b[1], b[2], b[3], s.Cells)
		if err != nil {
			return m, err
		}
		m.Dim, m.Vertices, m.Cells = 2, int64(nx+1)*int64(ny+1), 2*int64(nx)*int64(ny)
		m.InSlices = s.Generate == "rectangle"
	}
	if s.Refine > 0 { // every triangle becomes four, each time; a triangle mesh has half as many vertices
		m.Cells <<= 2 * s.Refine
		m.Vertices = m.Cells/2 + 1
	}
	return m, nil
}

// EstimateShare estimates how many entities the rank with the most owns, and how many it holds with ghosts. The part
// is taken as a square of cells, or with dim = 3 as a cube, with one layer of ghosts around it.
func EstimateShare(entities int64, dim, ranks int) (owned, held int) {
	ownedCount := (entities + int64(ranks) - 1) / int64(ranks)
	if ranks == 1 {
		return int(ownedCount), int(ownedCount)
	}
	side := 1.0 // in cells
	for side*side < float64(ownedCount) {
		side *= 1.1
	}
	ghosts := 4 * side
	if dim == 3 {
		for side = 1; side*side*side < float64(ownedCount); {
			side *= 1.1
		}
		ghosts = 6 * side * side
	}
	return int(ownedCount), int(ownedCount + min(int64(ghosts), entities-ownedCount))
}
