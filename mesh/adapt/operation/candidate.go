package operation

import (
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// Candidate is an operation that would improve the mesh.
type Candidate struct {
	Kind Kind
	// Split: of the edge from A to B. Collapse, Repair, Thin: of A into B. Swap: of the edge from A to B, or of the face
	// between the vertices A and B, replaced by cells at the vertex C.
	A, B, C int32
	Bid
	Cavity []int32 // the cells that it replaces
	Born   Birth   // of a split
}

// Bid is the priority of a candidate: class and hash, and ids that break ties. No two candidates of a round have the
// same.
type Bid struct {
	Key           uint64
	LowID, HighID int64 // of the ends of the edge or, if A is removed, of A and B
}

// Below reports whether b is lower than o.
func (b *Bid) Below(o *Bid) bool {
	if b.Key != o.Key {
		return b.Key < o.Key
	}
	if b.LowID != o.LowID {
		return b.LowID < o.LowID
	}
	return b.HighID < o.HighID
}

// Birth is the new vertex of a split.
type Birth struct {
	X       measure.Vector
	M, Want measure.Tensor // as in mutable.Mesh
	Freedom int8
	ID      int64

	// If it is on a line:
	Curve, Tag int32
	S          float64 // its parameter
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
	star     star
	cavities []int32 // of the candidates found
}

// Reset forgets the candidates found.
func (w *Worker) Reset() { w.Found, w.cavities = w.Found[:0], w.cavities[:0] }

// keep adds a candidate to those found.
func (w *Worker) keep(c *Candidate) { w.Found = append(w.Found, *c) }

// drop gives the memory of the last cavity back.
func (w *Worker) drop(cavity []int32) { w.cavities = w.cavities[:len(w.cavities)-len(cavity)] }
