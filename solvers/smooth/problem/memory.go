package problem

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// memory returns the bytes of a rank's arrays: of the mesh, of the metric's grid or mesh, and of tiles on a GPU.
func memory(c *config.Case, held solvers.Counts) int64 {
	w := c.Sections.(*Sections)
	method, width := &w.Method, solvers.Width(w.Method.Precision)
	bytes := smooth.SurveyBytes + samples(&w.Metric, held.Dim)*width + meshMemory(method, held, width) +
		w.metricMeshMemory(c, held, width)
	if held.SeparateMemory && held.Dim == 2 {
		cfg := smooth.Config{Smoother: method.Smoother, Guard: method.Guard, Cull: method.Cull}
		bytes += cfg.TileBytes(int64(held.Held), int64(w.Metric.Samples)*int64(w.Metric.Samples), method.Precision)
	}
	return bytes * concurrentRounds(&w.Metric)
}

// copies returns the bytes of the copies for output: of the positions of the vertices and the qualities of cells for a
// frame, and of all that belongs to vertices for a checkpoint.
func copies(c *config.Case, held solvers.Counts) (n solvers.Copies) {
	method := &c.Sections.(*Sections).Method
	width := solvers.Width(method.Precision)
	vertex := int64(6) // numbers in the struct of a vertex: position and metric, padded
	if held.Dim == 3 {
		vertex = 12
	}
	state := vertex * width * int64(held.Held)
	n.Frame, n.Checkpoint = int64(held.Dim)*width*int64(held.Held), state
	if slices.Contains(c.Output.Fields, "quality") {
		n.Frame += width * int64(held.Cells)
	}
	if method.Smoother == "barrier" { // positions to which it may return
		n.Checkpoint += state
	}
	if method.Cull {
		n.Checkpoint += 2 * 4 * int64(held.Owned)
	}
	return n
}

// concurrentRounds returns the largest number of rounds whose arrays exist at the same time, since each round has a
// solver of its own: the current round, and the best of those before it.
func concurrentRounds(m *request.Metric) int64 {
	if m.Field == "hessian" {
		return int64(min(m.Rounds, 2))
	}
	return 1
}

// samples returns the number of values in a metric's grid, or in the table of pieces of a sinusoidal metric.
func samples(m *request.Metric, dim int) int64 {
	n := int64(m.Samples)
	if n == 0 && m.Field == "sinusoidal" {
		return int64(4 * dim * sizing.SinePieces(m.Waves))
	}
	if dim == 3 {
		return 6 * n * n * n
	}
	return 4 * n * n // one of four is padding
}

// metricMeshMemory returns the bytes of a metric at the vertices of a mesh: the vertices, the cells with the three or
// four neighbours of each, and the boxes by which positions are found. There is a box for every two triangles or four
// tetrahedra, with a list of the cells that it intersects: a triangle intersects 3.7 boxes and a tetrahedron 6.8, as
// measured on Delaunay meshes and generated boxes. If ranks share them, it is the share of a rank's vertices. The
// result is 0 if the header of a file has no counts.
func (w *Sections) metricMeshMemory(c *config.Case, held solvers.Counts, width int64) int64 {
	if m := &w.Metric; m.Field != "solution" && m.Field != "hessian" && m.Field != "implied" {
		return 0
	}
	on := w.Mesh
	if w.Metric.Background != "" {
		on = config.Mesh{File: w.Metric.Background}
	}
	m, err := domain.EstimateMesh(c, &on)
	if err != nil { // set-up reports the error
		return 0
	}
	moved := m.Vertices
	if whole, err := domain.EstimateMesh(c, &w.Mesh); err == nil && whole.Vertices > 0 {
		moved = whole.Vertices
	}
	nodes, cells := m.Vertices*6, m.Cells*(2*12+2*4/2+4*37/10)
	if m.Dim == 3 {
		nodes, cells = m.Vertices*10, m.Cells*(2*16+2*4/4+4*68/10)
	}
	if held.SeparateMemory || nodes*8+cells < leastShared || int64(held.Held) >= moved {
		return nodes*width + cells
	}
	share := (nodes*8 + cells) / moved * int64(held.Held)
	if width < 8 { // in this precision each rank has the nodes
		share += nodes * width
	}
	return share
}

// meshMemory returns the bytes of a part: for a vertex its position and metric, twice if the smoother may restore
// positions, and its neighbours; for cells and edges their vertices and results of measurements, and the ids of cells;
// in space also the faces of the tetrahedra around a vertex, and the frames of boundary vertices. There are three edges
// to two triangles, seven to six tetrahedra, and one and a half more for each boundary vertex.
func meshMemory(method *Method, held solvers.Counts, width int64) int64 {
	vertices, own, cells, copies := int64(held.Held), int64(held.Owned), int64(held.Cells), int64(1)
	if method.Smoother == "barrier" {
		copies = 2
	}
	seen := int64(0)
	if method.Cull {
		seen = vertices * 2 * 4 // the sets of each vertex's last move and visit
	}
	if held.Dim == 3 {
		side := math.Cbrt(float64(cells) / 6)
		surface := int64(6 * side * side)
		edges := (7*cells + 9*surface) / 6
		return vertices*10*width*copies + seen + own*8 + cells*(4*12+4+16+2*width) + edges*(2*4+8+width) +
			surface*(19*width+8) + 2*surface*(12+width)
	}
	return vertices*6*width*copies + seen + own*32 + cells*(12+4+2*width) + 3*cells/2*(8+2*width)
}

// Host memory for the whole mesh in bytes per cell during set-up, measured on generated meshes of 500,000 triangles
// and of 400,000 tetrahedra.
const (
	setUpPerTriangle    = 215
	setUpPerTetrahedron = 330
)

// estimate estimates the resources of a case from the counts of its mesh, which for a file are in its header.
func estimate(c *config.Case, ranks int, separate bool) (f solvers.Estimate, err error) {
	m, err := domain.EstimateMesh(c, &c.Sections.(*Sections).Mesh)
	if err != nil || m.Cells == 0 {
		return f, err
	}
	f.Entities, f.SetUpHost = m.Vertices, setUpPerTriangle*m.Cells
	if m.Dim == 3 {
		f.SetUpHost = setUpPerTetrahedron * m.Cells
	}
	f.LargestShare = solvers.Counts{Dim: m.Dim, SeparateMemory: separate}
	f.LargestShare.Owned, f.LargestShare.Held = domain.EstimateShare(m.Vertices, m.Dim, ranks)
	f.LargestShare.Cells = int(m.Cells) / ranks
	f.Host = m.Cells/int64(ranks)*hostPerCell + 8*samples(&c.Sections.(*Sections).Metric, m.Dim)
	return f, nil
}

// hostPerCell is the host memory of a rank in bytes per cell, besides its arrays.
const hostPerCell = 60
