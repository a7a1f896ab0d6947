package kernels

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// Unborn stands for the new vertex of a split until that is applied; its id is larger than all others.
const Unborn = int32(-1)

// Cell is a triangle or tetrahedron.
type Cell struct {
	V       [4]int32 // vertices in canonical order: in the plane counter-clockwise from the lowest id
	Tag     [4]int32 // kind of the facet opposite to each vertex; 0 for an ordinary one
	Ref     int32    // material
	Dead    bool
	Quality float64
}

// Find returns the index of a vertex in the cell, -1 if the cell does not have it.
func (c *Cell) Find(dim int, v int32) int {
	for i := range dim + 1 {
		if c.V[i] == v {
			return i
		}
	}
	return -1
}

func (c *Cell) Has(dim int, v int32) bool { return c.Find(dim, v) >= 0 }

// Facet returns the index of the vertex opposite to the facet of a cell with the given vertices, -1 if it is none.
func (c *Cell) Facet(dim int, v *[3]int32) int {
	sum := 0
	for _, u := range v[:dim] {
		i := c.Find(dim, u)
		if i < 0 {
			return -1
		}
		sum += i
	}
	return dim*(dim+1)/2 - sum
}

// apex returns the index of the vertex of a triangle that is neither a nor b.
func (c *Cell) apex(a, b int32) int {
	for i := range 2 {
		if c.V[i] != a && c.V[i] != b {
			return i
		}
	}
	return 2
}

// Span is a place in an array: N elements from Start.
type Span struct{ Start, N int32 }

// LineEnd is an edge of a line, as seen from one of its vertices.
type LineEnd struct {
	To, Curve int32
	Tag       int32   // kind of the line, in the plane that of the edge
	S         float64 // parameter of this vertex on the curve
}

// Mesh has the arrays of a mesh that changes. In the plane third coordinates and the last three components of tensors
// are 0.
type Mesh struct {
	X       []measure.Vector
	M       []measure.Tensor // metric to be reached
	ID      []int64          // global ids
	Freedom []uint8          // dimension of the corner (0), line, surface or space in which a vertex lies and may move
	Balls   []Span           // of each vertex, the cells around it in Around, in any order; none if it was removed
	Around  []int32
	Cells   []Cell
	Lines   []Span // of each vertex, its edges of lines in Ends
	Ends    []LineEnd
	Held    []bool // of each kind of facets, whether those stay as they are
	Curves  Curves
}

// Rules are the parameters of operations.
//
//atoll:constant
type Rules struct {
	Hausdorff    float64 // largest distance of new edges and faces from those of the input
	Probe        float64 // the metric also counts in the middle of longer edges
	LeastNew     float64 // least length of edges that a split creates
	Gain         float64 // least relative gain of a move
	Round        uint64  // makes hashes differ from round to round
	KeepBoundary bool    // boundaries and interfaces stay as they are
	Sharp        bool    // moves reduce Σ q⁻⁴ instead of Σ 1/q
}

// Limits of the lengths of edges, and other thresholds of acceptance.
const (
	Longest       = math.Sqrt2     // longer edges are split
	Shortest      = 1 / math.Sqrt2 // shorter edges are collapsed
	SplitFloor    = 0.15           // a split leaves no cell below this, or below half of the worst before
	CollapseFloor = 0.3            // a collapse leaves no cell below this, or below the worst before
	SwapGain      = 1.02           // least factor by which a swap or repair raises the worst quality
	RepairBelow   = 0.3            // bad cells are removed below this quality
	thinBelow     = 0.9            // vertices are removed where the mean size of the cells around them is below this
	thinFloor     = 0.25           // a removal leaves no cell below this, or below the worst before
	thinLongest   = 1.7            // longest new edge of a removal, which swaps and moves shorten
	fewLeft       = 0.59           // least share of cells that a removal leaves, or the others would be too large
)

// Bid is the priority of a candidate: class and hash, and ids that break ties. No two candidates of a round have the
// same.
type Bid struct {
	Key           uint64
	LowID, HighID int64 // of the ends of the edge or, if a vertex is removed, of that and the one that it becomes
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

// Key is the priority of a candidate of a class, of which higher ones go first.
func (r *Rules) Key(class int, a, b int64) uint64 {
	return uint64(class)<<56 | measure.Mix(measure.Mix(uint64(a)^r.Round<<40)+uint64(b))>>8
}

// Hash is a hash of a vertex and the round.
func (r *Rules) Hash(id int64) uint64 { return measure.Mix(uint64(id) + r.Round<<44) }

// LengthClass is the class of a length: quarters of octaves, nearly.
func LengthClass(l float64) int {
	bits := int(math.Float64bits(l) >> 50) // the exponent, and the two bits below the first one
	return min(255, max(0, 128+(bits-1022<<2)))
}

// GainClass is the class of an operation that raises the worst quality of its cavity from q to r.
func GainClass(q, r float64) int {
	if q < 0.05 {
		return 31
	}
	return min(15, max(0, int((r-q)*16)))
}

// edge is the bid for an edge.
func (r *Rules) edge(m *Mesh, class int, a, b int32) (bid Bid) {
	bid.LowID, bid.HighID = min(m.ID[a], m.ID[b]), max(m.ID[a], m.ID[b])
	bid.Key = r.Key(class, bid.LowID, bid.HighID)
	return bid
}

// Degree is the number of cells around a vertex.
func (m *Mesh) Degree(v int32) int32 { return m.Balls[v].N }

// Whether an edge is longer than another length is nearly always known from squares, without a root or quotient: its
// length is between those in the metrics of its ends, with rounding errors far below the margin.
const (
	surelyBelow = 1 - 1e-12
	surelyAbove = 1 + 1e-12
)

// squares returns the squares of the length of an edge in the metrics of its ends, the lesser first.
func (m *Mesh) squares(a, b int32) (least, most float64) {
	ux, uy := m.X[b][0]-m.X[a][0], m.X[b][1]-m.X[a][1]
	p, q := &m.M[a], &m.M[b]
	s := ux*(p[0]*ux+p[1]*uy) + uy*(p[1]*ux+p[2]*uy)
	t := ux*(q[0]*ux+q[1]*uy) + uy*(q[1]*ux+q[2]*uy)
	return min(s, t), max(s, t)
}

// isBetween reports whether an edge is longer than low and shorter than high.
func (m *Mesh) isBetween(a, b int32, low, high float64) bool {
	least, most := m.squares(a, b)
	if most < surelyBelow*(low*low) || least > surelyAbove*(high*high) {
		return false
	}
	if least > surelyAbove*(low*low) && most < surelyBelow*(high*high) {
		return true
	}
	l := m.EdgeLength(a, b)
	return l > low && l < high
}

// EdgeLength is the length of an edge of triangles in the metric, the same for both directions.
func (m *Mesh) EdgeLength(a, b int32) float64 {
	if m.ID[a] > m.ID[b] {
		return measure.EdgeLength(2, &m.X[b], &m.M[b], &m.X[a], &m.M[a])
	}
	return measure.EdgeLength(2, &m.X[a], &m.M[a], &m.X[b], &m.M[b])
}

// worstAround is the worst quality of the triangles around a vertex.
func (m *Mesh) worstAround(v int32) float64 {
	worst, ball := 1.0, m.Balls[v]
	for i := range ball.N {
		worst = min(worst, m.Cells[m.Around[ball.Start+i]].Quality)
	}
	return worst
}

// Shell are the triangles at an edge: N of them, one or two.
type Shell struct {
	K [2]int32
	N int32
}

// ShellOf returns the triangles at the edge between two vertices.
func (m *Mesh) ShellOf(a, b int32) (s Shell) {
	ball := m.Balls[a]
	for i := range ball.N {
		k := m.Around[ball.Start+i]
		if m.Cells[k].Has(2, b) && s.N < 2 {
			s.K[s.N] = k
			s.N++
		}
	}
	return s
}

// worst is the worst quality of the triangles of a shell.
func (s *Shell) worst(m *Mesh) float64 {
	worst := m.Cells[s.K[0]].Quality
	if s.N == 2 {
		worst = min(worst, m.Cells[s.K[1]].Quality)
	}
	return min(1, worst)
}

// lineTo returns the index of the line edge from a to b, -1 for none.
func (m *Mesh) lineTo(a, b int32) int32 {
	at := m.Lines[a]
	for i := range at.N {
		if m.Ends[at.Start+i].To == b {
			return at.Start + i
		}
	}
	return -1
}

// parameter returns the parameter, on the curve of a line edge at v, of the other end.
func (m *Mesh) parameter(v int32, e *LineEnd) float64 {
	at := m.Lines[e.To]
	for i := range at.N {
		if o := &m.Ends[at.Start+i]; o.To == v && o.Curve == e.Curve {
			return o.S
		}
	}
	return math.NaN() // a line edge has two ends
}

// Birth is the new vertex of a split.
type Birth struct {
	X    measure.Vector
	M    measure.Tensor // metric to be reached there
	Want measure.Tensor // metric of the field
	ID   int64

	// If it is on a line:
	Curve, Tag int32
	S          float64 // its parameter

	Freedom uint8
}

// quality of a triangle with corners at a, b and c, of which the metrics are p, q and r.
func quality(a *measure.Vector, p *measure.Tensor, b *measure.Vector, q *measure.Tensor, c *measure.Vector,
	r *measure.Tensor) float64 {
	const third = 1.0 / 3
	return measure.PlaneQuality(a[0], a[1], b[0], b[1], c[0], c[1],
		(p[0]+q[0]+r[0])*third, (p[1]+q[1]+r[1])*third, (p[2]+q[2]+r[2])*third)
}

// qualityFrom is the quality of a triangle of vertices in any cyclic order.
func (m *Mesh) qualityFrom(a, b, c int32) float64 {
	i, j, k := m.ID[a], m.ID[b], m.ID[c]
	if j < i && j < k {
		a, b, c = b, c, a
	} else if k < i {
		a, b, c = c, a, b
	}
	return quality(&m.X[a], &m.M[a], &m.X[b], &m.M[b], &m.X[c], &m.M[c])
}

// Measure sets the quality of a triangle.
func (m *Mesh) Measure(c *Cell) {
	a, b, d := c.V[0], c.V[1], c.V[2]
	c.Quality = quality(&m.X[a], &m.M[a], &m.X[b], &m.M[b], &m.X[d], &m.M[d])
}

// turn turns a triangle by so many of its corners, so that the one of that index becomes the first.
func turn(c *Cell, first int) {
	v, tag := c.V, c.Tag
	c.V = [4]int32{v[first], v[(first+1)%3], v[(first+2)%3], v[3]}
	c.Tag = [4]int32{tag[first], tag[(first+1)%3], tag[(first+2)%3], 0}
}

// arrange puts a triangle into canonical order.
func (m *Mesh) arrange(c *Cell) {
	a, b, d := m.ID[c.V[0]], m.ID[c.V[1]], m.ID[c.V[2]]
	if b < a && b < d {
		turn(c, 1)
	} else if d < a {
		turn(c, 2)
	}
}
