package operation

import (
	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// Candidate is an operation that would improve the mesh.
type Candidate struct {
	Kind Kind
	// Split: of the edge from A to B. Collapse, Repair, Thin: of A into B. Swap: of the edge from A to B, or of the
	// face between the vertices A and B, replaced by cells at the vertex C.
	A, B, C int32
	kernels.Bid
	Cavity []int32        // the cells that it replaces
	Born   kernels.Birth  // of a split
	Cells  []mutable.Cell // that replace these, once they are built
}

// Worker has the memory with which one goroutine evaluates candidates.
type Worker struct {
	Found []Candidate    // since Reset
	Cells []mutable.Cell // that would replace a cavity

	near     []int32 // vertices around one
	lengths  []float64
	ring     []int32
	ordered  []int32
	numbers  []float64
	quality  []float64
	cavities []int32 // of the candidates found
	built    []mutable.Cell
}

// Reset forgets the candidates found.
func (w *Worker) Reset() { w.Found, w.cavities, w.built = w.Found[:0], w.cavities[:0], w.built[:0] }

// keep adds a candidate to those found.
func (w *Worker) keep(c *Candidate) { w.Found = append(w.Found, *c) }

// cavity copies cells, to memory that lasts for the round.
func (w *Worker) cavity(cells ...int32) []int32 {
	from := len(w.cavities)
	w.cavities = append(w.cavities, cells...)
	return w.cavities[from:len(w.cavities):len(w.cavities)]
}

// drop gives the memory of the last cavity back.
func (w *Worker) drop(cavity []int32) { w.cavities = w.cavities[:len(w.cavities)-len(cavity)] }
