package domain

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
)

// Estimate returns the sizes of the largest block when a grid is divided over a number of ranks. It allocates nothing
// of the size of the grid.
func Estimate(s *config.Grid, ghost, ranks int, separate bool) (f solvers.Estimate, err error) {
	g, err := gridOf(s)
	if err != nil {
		return f, err
	}
	parts, err := partition.Blocks(g.N, g.Dim, ranks, s.Blocks)
	if err != nil {
		return f, fmt.Errorf("[grid] blocks: %w", err)
	}
	boxes := halo.Boxes{Dim: g.Dim, Cuts: partition.BoxCuts(g.N, parts), Periodic: g.Periodic}
	var most *grid.Block
	for rank := range ranks {
		lo, n := boxes.Box(rank)
		b, err := g.Block(lo, n, ghost)
		if err != nil {
			return f, fmt.Errorf("[grid] %w", err)
		}
		if most == nil || b.Len() > most.Len() {
			most = b
		}
	}
	f.Entities, f.Held = int64(g.Cells()), (&Block{Block: most}).counts()
	f.Held.SeparateMemory = separate
	return f, nil
}

// MeshCounts are the approximate numbers of vertices and cells of a mesh, and its dimension; all are 0 if a file does
// not contain them in its header.
type MeshCounts struct {
	Dim             int
	Vertices, Cells int64
}

// EstimateMesh returns the counts of a case's mesh without generating or reading it.
func EstimateMesh(c *config.Case, s *config.Mesh) (m MeshCounts, err error) {
	switch {
	case s.File != "":
		counted, err := meshio.Count(c.Path(s.File))
		if err != nil {
			return m, err
		}
		m = MeshCounts{counted.Dim, counted.Vertices, counted.Cells}
	case s.Generate == "box":
		n, err := mesh.BoxCounts([3]float64(s.Box[:3]), [3]float64(s.Box[3:]), s.Cells)
		if err != nil {
			return m, err
		}
		m = MeshCounts{3, int64(n[0]+1) * int64(n[1]+1) * int64(n[2]+1), 6 * int64(n[0]) * int64(n[1]) * int64(n[2])}
	default:
		b := s.Bounds
		nx, ny, err := mesh.RectangleCounts(b[0], b[1], b[2], b[3], s.Cells)
		if err != nil {
			return m, err
		}
		m = MeshCounts{2, int64(nx+1) * int64(ny+1), 2 * int64(nx) * int64(ny)}
	}
	if s.Refine > 0 {
		m.Cells <<= 2 * s.Refine
		m.Vertices = m.Cells/2 + 1
	}
	return m, nil
}

// Share estimates how many entities the largest rank owns, and how many it holds with ghosts, in a space
// of dim dimensions.
func Share(entities int64, dim, ranks int) (owned, held int) {
	own := (entities + int64(ranks) - 1) / int64(ranks)
	if ranks == 1 {
		return int(own), int(own)
	} // of a compact part in the plane
	side := 1.0
	for side*side < float64(own) {
		side *= 1.1
	}
	around := 4 * side // of a compact part in the plane
	if dim == 3 {
		for side = 1; side*side*side < float64(own); {
			side *= 1.1
		}
		around = 6 * side * side
	}
	return int(own), int(own + min(int64(around), entities-own))
}
