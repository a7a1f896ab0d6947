package problem

import (
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
)

// memory returns the bytes of the mesh and, if it has one, of the metric's grid.
func memory(c *config.Case, held solvers.Counts) int64 {
	w := c.Sections.(*Sections)
	method, number := &w.Method, solvers.Width(w.Method.Precision)
	return w.Metric.samples(held.Dim)*number + meshMemory(method, held, number)
}

// samples returns how many numbers a metric's grid has.
func (m *Metric) samples(dim int) int64 {
	n := int64(m.Samples)
	if dim == 3 {
		return 6 * n * n * n
	}
	return 4 * n * n // one of four is padding
}

// meshMemory counts for a vertex its position and metric, twice if the smoother may restore positions, and its
// neighbours, and for cells and edges their vertices and measures; in space also the faces of the tetrahedra around a
// vertex, and the frames of boundary vertices. There are three edges to two triangles, seven to six tetrahedra, and
// one and a half more for each boundary vertex.
func meshMemory(method *Method, held solvers.Counts, number int64) int64 {
	vertices, own, cells, copies := int64(held.Held), int64(held.Owned), int64(held.Cells), int64(1)
	if method.Smoother == "barrier" {
		copies = 2
	}
	if method.Cull {
		own += vertices / 4 // the sweeps of each vertex's last move and visit
	}
	if held.Dim == 3 {
		side := math.Cbrt(float64(cells) / 6)
		surface := int64(6 * side * side)
		edges := (7*cells + 9*surface) / 6
		return vertices*10*number*copies + own*8 + cells*(4*12+16+2*number) + edges*(2*4+8+number) +
			surface*(19*number+8) + 2*surface*(12+number)
	}
	return vertices*6*number*copies + own*32 + cells*(12+2*number) + 3*cells/2*(8+2*number)
}

// Host memory for the whole mesh in bytes per cell during set-up, measured on generated meshes of 500,000 triangles
// and of 400,000 tetrahedra.
const (
	firstOfTriangle    = 215
	firstOfTetrahedron = 330
)

// estimate estimates the resources of a case from the counts of its mesh, which for a file are in its header.
func estimate(c *config.Case, ranks int, separate bool) (f solvers.Estimate, err error) {
	m, err := domain.EstimateMesh(c, &c.Sections.(*Sections).Mesh)
	if err != nil || m.Cells == 0 {
		return f, err
	}
	f.Entities, f.SetUpHost = m.Vertices, firstOfTriangle*m.Cells
	if m.Dim == 3 {
		f.SetUpHost = firstOfTetrahedron * m.Cells
	}
	f.Held = solvers.Counts{Dim: m.Dim, SeparateMemory: separate}
	f.Held.Owned, f.Held.Held = domain.Share(m.Vertices, m.Dim, ranks)
	f.Held.Cells = int(m.Cells) / ranks
	f.Host = m.Cells/int64(ranks)*hostOfCell + 8*c.Sections.(*Sections).Metric.samples(m.Dim)
	return f, nil
}

// hostOfCell is the host memory of a rank in bytes per cell, besides its arrays.
const hostOfCell = 60
