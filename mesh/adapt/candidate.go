package adapt

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// candidate is an operation that would improve the mesh.
type candidate struct {
	op operation
	// split: of the edge from a to b. collapse, repair, thin: of a into b. swap: of the edge from a to b, or of the
	// face between the vertices a and b, replaced by cells at the vertex c.
	a, b, c int32
	bid
	cavity []int32 // the cells that it replaces
	born   birth   // of a split
}

// bid is the priority of a candidate: class and hash, and ids that break ties. No two candidates of a round have the
// same.
type bid struct {
	key      uint64
	ida, idb int64
}

// below reports whether b is lower than o.
func (b *bid) below(o *bid) bool {
	if b.key != o.key {
		return b.key < o.key
	}
	if b.ida != o.ida {
		return b.ida < o.ida
	}
	return b.idb < o.idb
}

// birth is the new vertex of a split.
type birth struct {
	x       measure.Vector
	m, want measure.Tensor
	freedom int8
	id      int64

	// If it is on a line:
	curve, tag int32
	s          float64 // its parameter
}

// worker has the memory with which one goroutine evaluates candidates.
type worker struct {
	cells    []mutable.Cell // that would replace a cavity
	near     []int32        // vertices around one
	lengths  []float64
	ring     []int32
	ordered  []int32
	numbers  []float64
	quality  []float64
	star     star
	found    []candidate
	cavities []int32 // of the candidates found
}

// keep adds a candidate to those found.
func (w *worker) keep(c *candidate) { w.found = append(w.found, *c) }

// shell returns the cells around an edge, in memory that lasts for the round.
func (e *engine) shell(w *worker, a, b int32) []int32 {
	from := len(w.cavities)
	w.cavities = e.Mesh.Shell(a, b, w.cavities)
	return w.cavities[from:len(w.cavities):len(w.cavities)]
}

// drop gives the memory of the last cavity back.
func (w *worker) drop(cavity []int32) { w.cavities = w.cavities[:len(w.cavities)-len(cavity)] }

// keyOf is the priority of a candidate of a class, of which higher ones go first.
func (e *engine) keyOf(class int, a, b int64) uint64 {
	return uint64(class)<<56 | measure.Mix(measure.Mix(uint64(a)^e.round<<40)+uint64(b))>>8
}

// lengthClass is the class of a length: eighths of octaves, nearly.
func lengthClass(l float64) int {
	f, exponent := math.Frexp(l)
	return min(255, max(0, 128+4*exponent+int((f-0.5)*8)))
}

// gainClass is the class of an operation that raises the worst quality of its cavity from q to r.
func gainClass(q, r float64) int {
	if q < 0.05 {
		return 31
	}
	return min(15, max(0, int((r-q)*16)))
}

// finish completes a new cell, and reports whether its quality is above floor.
func (e *engine) finish(n *mutable.Cell, born *birth, floor float64) bool {
	e.Arrange(n)
	var x [4]*measure.Vector
	var m [4]*measure.Tensor
	if born == nil {
		x, m = e.Corners(n, nil, nil)
	} else {
		x, m = e.Corners(n, &born.x, &born.m)
	}
	n.Quality = measure.Quality(e.Dim, &x, &m)
	return n.Quality > floor
}

// replaced is the cell with vertex `to` instead of `from`.
func replaced(dim int, k *mutable.Cell, from, to int32) mutable.Cell {
	n := mutable.Cell{V: k.V, Tag: k.Tag, Ref: k.Ref}
	n.V[k.Find(dim, from)] = to
	return n
}

// leastOf is the worst quality of new cells.
func leastOf(cells []mutable.Cell) float64 {
	worst := 1.0
	for i := range cells {
		worst = min(worst, cells[i].Quality)
	}
	return worst
}
