package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// MarkAll marks a vertex for all operations.
const MarkAll = 1<<Kinds - 1

// Candidate is an operation that would improve the mesh.
type Candidate struct {
	Bid
	Kind    int32
	A, B, C int32    // as in operation.Candidate
	Shell            // the cells that a split or swap replaces
	Extra   [2]int32 // cells that a split adds
	Taken   bool
	Placed  bool // of a split: the metric has been evaluated where the new vertex is
	Length  float64
}

// removes reports whether the candidate removes a vertex, with all cells around it.
func (c *Candidate) removes() bool { return c.Kind != Split && c.Kind != Swap }

// cavity is the number of cells that a candidate replaces.
func (c *Candidate) cavity(m *Mesh) int32 {
	if c.removes() {
		return m.Balls[c.A].N
	}
	return c.N
}

// replaced returns a cell that a candidate replaces.
func (c *Candidate) replaced(m *Mesh, i int32) int32 {
	if c.removes() {
		return m.Around[m.Balls[c.A].Start+i]
	}
	return c.K[i]
}

// Round is a round of an operation.
//
//atoll:constant
type Round struct {
	Kind     int32
	Share    uint64 // one in so many vertices may be removed
	Vertices int32  // before the round
	Cells    int32
	Ends     int32
	Unused   int32 // number of dead cells
	NextID   int64
	Width    int32 // elements of a list of cells around a vertex
}

// visits reports whether a vertex is marked for the operation and to be visited in the round.
func (n *Round) visits(v int32, m *Mesh, r *Rules, marks []int32) bool {
	return marks[v]>>n.Kind&1 != 0 && m.Balls[v].N > 0 && (n.Share == 1 || r.Hash(m.ID[v])%n.Share == 0)
}

// FindVertices sets keep[v] to whether vertex v is visited.
//
//atoll:kernel
func FindVertices(v int, n *Round, m *Mesh, r *Rules, marks []int32, keep []uint8) {
	keep[v] = 0
	if n.visits(int32(v), m, r, marks) {
		keep[v] = 1
	}
}

// edgeOf returns the ends of the edge of a cell opposite to its vertex e % 3, the lower id first.
func (m *Mesh) edgeOf(e int) (a, b int32) {
	c := &m.Cells[e/3]
	a, b = c.V[(e+1)%3], c.V[(e+2)%3]
	if m.ID[b] < m.ID[a] {
		return b, a
	}
	return a, b
}

// FindEdges sets keep[e] to whether edge e%3 of cell e/3 may be split or swapped: its end with the lower id is visited,
// and no cell of a lower index has it.
//
//atoll:kernel
func FindEdges(e int, n *Round, m *Mesh, r *Rules, marks []int32, keep []uint8) {
	keep[e] = 0
	k := int32(e / 3)
	if m.Cells[k].Dead {
		return
	}
	a, b := m.edgeOf(e)
	if !n.visits(a, m, r, marks) {
		return
	}
	if n.Kind == Swap {
		s := m.ShellOf(a, b)
		if s.N == 2 && min(s.K[0], s.K[1]) == k && m.Cells[k].Tag[e%3] == 0 {
			keep[e] = 1
		}
		return
	}
	l, probe := m.SplitLength(a, b, r)
	if !(l > Longest) && !probe {
		return
	}
	s := m.ShellOf(a, b)
	if s.N == 1 || min(s.K[0], s.K[1]) == k {
		keep[e] = 1
	}
}

// PlaceSplits begins the candidates of the given edges, and sets where the metric is to be evaluated: where the new
// vertex is, or in the middle of the edge to probe its length.
//
//atoll:kernel
func PlaceSplits(i int, m *Mesh, r *Rules, edges []int32, all []Candidate, births []Birth, x []measure.Vector) {
	var c Candidate
	c.A, c.B = m.edgeOf(int(edges[i]))
	c.Kind, c.C, c.Shell = Split, -1, m.ShellOf(c.A, c.B)
	l, probe := m.SplitLength(c.A, c.B, r)
	c.Length = l
	x[i] = m.Middle(c.A, c.B)
	if !probe {
		c.placeSplit(i, m, r, births, x)
	}
	all[i] = c
}

// placeSplit sets where the new vertex of a split is. C is -2 if the edge stays as it is.
func (c *Candidate) placeSplit(i int, m *Mesh, r *Rules, births []Birth, x []measure.Vector) {
	born, ok := m.Place(c.A, c.B, r)
	c.Placed = true
	if !ok {
		c.C = -2
		return
	}
	births[i] = born
	x[i] = born.X
}

// ProbeSplits sets where the new vertices of edges are that are too long with the metric in their middle.
//
//atoll:kernel
func ProbeSplits(i int, m *Mesh, r *Rules, all []Candidate, births []Birth, x []measure.Vector, want []measure.Tensor) {
	c := all[i]
	if c.Placed {
		return
	}
	c.Length = m.ProbedLength(c.A, c.B, c.Length, &want[i])
	if c.Length > Longest {
		c.placeSplit(i, m, r, births, x)
	} else {
		c.C, c.Placed = -2, true
	}
	all[i] = c
}

// JudgeSplits sets keep to whether splits are accepted.
//
//atoll:kernel
func JudgeSplits(i int, m *Mesh, r *Rules, all []Candidate, births []Birth, want []measure.Tensor, keep []uint8) {
	keep[i] = 0
	c := all[i]
	if c.C == -2 {
		return
	}
	born := births[i]
	born.M = want[i]
	bid, ok := m.Split(c.A, c.B, c.Length, &c.Shell, &born, r)
	if ok {
		all[i].Bid = bid
		births[i].M = want[i]
		keep[i] = 1
	}
}

// JudgeSwaps sets keep to whether the swaps of the given edges are accepted.
//
//atoll:kernel
func JudgeSwaps(i int, m *Mesh, r *Rules, edges []int32, all []Candidate, keep []uint8) {
	var c Candidate
	c.A, c.B = m.edgeOf(int(edges[i]))
	c.Kind, c.Shell = Swap, m.ShellOf(c.A, c.B)
	bid, at, ok := m.Swap(c.A, c.B, &c.Shell, r)
	keep[i] = 0
	if ok {
		c.Bid, c.C = bid, at
		all[i] = c
		keep[i] = 1
	}
}

// JudgeCollapses sets keep to whether the collapses of the given vertices are accepted.
//
//atoll:kernel
func JudgeCollapses(i int, n *Round, m *Mesh, r *Rules, vertices []int32, all []Candidate, keep []uint8) {
	var c Candidate
	c.A = vertices[i]
	bid, into := m.Collapse(c.A, n.Kind, r)
	keep[i] = 0
	if into >= 0 {
		c.Bid, c.Kind, c.B, c.C = bid, n.Kind, into, -1
		all[i] = c
		keep[i] = 1
	}
}

// NotePivots notes the vertices with a candidate.
//
//atoll:kernel
func NotePivots(i int, open []int32, all []Candidate, found []int32) {
	atomics.Max(&found[all[open[i]].A], 1)
}

// Unmark unmarks the vertices that were visited and have no candidate, until something around them changes.
//
//atoll:kernel
func Unmark(v int, n *Round, m *Mesh, r *Rules, found, marks []int32) {
	if found[v] == 0 && n.visits(int32(v), m, r, marks) {
		marks[v] &^= 1 << n.Kind
	}
	found[v] = 0
}

// Claims are of each cell the highest bid in a pass of the choice, and the candidate that has taken it, -1 for none.
type Claims struct {
	Key       []uint64
	Low, High []int64
	By        []int32
}

// ClearClaims clears the bids.
//
//atoll:kernel
func ClearClaims(k int, to *Claims) { to.Key[k], to.Low[k], to.High[k] = 0, -1, -1 }

// FreeCells makes all cells free to be taken.
//
//atoll:kernel
func FreeCells(k int, to *Claims) { to.By[k] = -1 }

// RaiseKeys raises the bids for the cells that open candidates replace.
//
//atoll:kernel
func RaiseKeys(i int, m *Mesh, open []int32, all []Candidate, to *Claims) {
	c := &all[open[i]]
	for j := range c.cavity(m) {
		atomics.Max(&to.Key[c.replaced(m, j)], c.Key)
	}
}

// RaiseLows raises the first ids of those with the highest key.
//
//atoll:kernel
func RaiseLows(i int, m *Mesh, open []int32, all []Candidate, to *Claims) {
	c := &all[open[i]]
	for j := range c.cavity(m) {
		if k := c.replaced(m, j); to.Key[k] == c.Key {
			atomics.Max(&to.Low[k], c.LowID)
		}
	}
}

// RaiseHighs raises the second ids of those with the highest key and first id.
//
//atoll:kernel
func RaiseHighs(i int, m *Mesh, open []int32, all []Candidate, to *Claims) {
	c := &all[open[i]]
	for j := range c.cavity(m) {
		if k := c.replaced(m, j); to.Key[k] == c.Key && to.Low[k] == c.LowID {
			atomics.Max(&to.High[k], c.HighID)
		}
	}
}

// Take takes the candidates with the highest bid for all their cells.
//
//atoll:kernel
func Take(i int, m *Mesh, open []int32, all []Candidate, to *Claims) {
	c := &all[open[i]]
	for j := range c.cavity(m) {
		if k := c.replaced(m, j); to.Key[k] != c.Key || to.Low[k] != c.LowID || to.High[k] != c.HighID {
			return
		}
	}
	for j := range c.cavity(m) {
		to.By[c.replaced(m, j)] = open[i]
	}
	all[open[i]].Taken = true
}

// Drop sets keep to whether open candidates share no cell with one that is taken.
//
//atoll:kernel
func Drop(i int, m *Mesh, open []int32, all []Candidate, to *Claims, keep []uint8) {
	c := &all[open[i]]
	keep[i] = 1
	for j := range c.cavity(m) {
		if to.By[c.replaced(m, j)] >= 0 {
			keep[i] = 0
		}
	}
}

// FindTaken sets keep to whether candidates are taken.
//
//atoll:kernel
func FindTaken(i int, found []int32, all []Candidate, keep []uint8) {
	keep[i] = 0
	if all[found[i]].Taken {
		keep[i] = 1
	}
}
