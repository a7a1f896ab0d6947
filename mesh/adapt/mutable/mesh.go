package mutable

import (
	"cmp"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// Unborn stands for the new vertex of a split until that is applied.
const Unborn = kernels.Unborn

// Cell is a triangle or tetrahedron.
type Cell = kernels.Cell

// LineEnd is an edge of a line, as seen from one of its vertices.
type LineEnd = kernels.LineEnd

// Kind is what distinguishes facets (edges in the plane, faces in space) and, in space, lines: groups, in
// ascending order, and whether they are required or ridges of the input. Those of the boundary and of interfaces that
// belong to no group have a kind without groups.
type Kind struct {
	Groups   []int32
	Ridge    bool
	Required bool
}

// Mesh is a mesh that changes locally. Vertices and cells have local indices; indices of removed cells are used
// again, those of vertices are not.
type Mesh struct {
	Common
	kernels.Mesh
	Want   []measure.Tensor // metric of the field; M is in stages a softened one
	unused []int32          // dead cells
	blocks blocks           // of the lists of cells around vertices
}

// Common is what all parts of a mesh have.
type Common struct {
	Dim       int
	Facets    []Kind // kinds of facets; that of ordinary ones is the first
	LineKinds []Kind // kinds of lines; in the plane those of facets
	NextID    int64
	Inputs    int // number of vertices of the input, whose ids are their indices in it
}

// Empty returns a mesh without vertices, with what all parts of a mesh have in common.
func (c *Common) Empty(curves *kernels.Curves) *Mesh {
	return &Mesh{Common: *c, Mesh: kernels.Mesh{Curves: *curves, Held: held(c.Facets)}}
}

// held says which kinds of facets stay as they are.
func held(kinds []Kind) (list []bool) {
	for k := range kinds {
		list = append(list, kinds[k].Required)
	}
	return list
}

// Line returns the edges of lines at a vertex.
func (t *Mesh) Line(v int32) []LineEnd {
	at := t.Lines[v]
	return t.Ends[at.Start : at.Start+at.N]
}

// SetLine replaces the edges of lines at a vertex.
func (t *Mesh) SetLine(v int32, ends ...LineEnd) {
	t.Lines[v] = kernels.Span{Start: int32(len(t.Ends)), N: int32(len(ends))}
	t.Ends = append(t.Ends, ends...)
}

// Ball returns the cells around a vertex.
func (t *Mesh) Ball(v int32) []int32 {
	at := t.Balls[v]
	return t.Around[at.Start : at.Start+at.N]
}

// Parameter returns the parameter, on the curve of a line edge at v, of the other end.
func (t *Mesh) Parameter(v int32, l *LineEnd) float64 {
	ends := t.Line(l.To)
	for i := range ends {
		if o := &ends[i]; o.To == v && o.Curve == l.Curve {
			return o.S
		}
	}
	panic("mesh: a line edge has one end only")
}

func (t *Mesh) Vertices() (n int) {
	for v := range t.Balls {
		if t.Balls[v].N > 0 {
			n++
		}
	}
	return n
}

// cellID returns the id of a vertex in a cell that may be unborn.
func (t *Mesh) idOf(v int32) int64 {
	if v == Unborn {
		return 1<<63 - 1
	}
	return t.ID[v]
}

// Arrange puts the vertices of a cell into canonical order, with the same orientation: the lowest id first, and in
// space the lowest of the others second. The bits of its quality then do not depend on how the cell came about.
func (t *Mesh) Arrange(c *Cell) {
	first := 0
	for i := 1; i <= t.Dim; i++ {
		if t.idOf(c.V[i]) < t.idOf(c.V[first]) {
			first = i
		}
	}
	if t.Dim == 2 {
		c.V = [4]int32{c.V[first], c.V[(first+1)%3], c.V[(first+2)%3], c.V[3]}
		c.Tag = [4]int32{c.Tag[first], c.Tag[(first+1)%3], c.Tag[(first+2)%3], 0}
		return
	}
	if first > 0 { // two exchanges keep the orientation
		others := [4][2]int{1: {2, 3}, 2: {1, 3}, 3: {1, 2}}[first]
		for _, p := range [2][2]int{{0, first}, others} {
			c.V[p[0]], c.V[p[1]] = c.V[p[1]], c.V[p[0]]
			c.Tag[p[0]], c.Tag[p[1]] = c.Tag[p[1]], c.Tag[p[0]]
		}
	}
	second := 1
	for i := 2; i <= 3; i++ {
		if t.idOf(c.V[i]) < t.idOf(c.V[second]) {
			second = i
		}
	}
	for ; second > 1; second-- { // a cyclic exchange of the last three
		c.V[1], c.V[2], c.V[3] = c.V[2], c.V[3], c.V[1]
		c.Tag[1], c.Tag[2], c.Tag[3] = c.Tag[2], c.Tag[3], c.Tag[1]
	}
}

// Corners returns the positions and metrics of the vertices of a cell; x and m are those of an unborn vertex.
func (t *Mesh) Corners(c *Cell, x *measure.Vector, m *measure.Tensor) (at [4]*measure.Vector,
	metric [4]*measure.Tensor) {
	for i := range t.Dim + 1 {
		if v := c.V[i]; v == Unborn {
			at[i], metric[i] = x, m
		} else {
			at[i], metric[i] = &t.X[v], &t.M[v]
		}
	}
	return at, metric
}

func (t *Mesh) QualityOf(c *Cell) float64 {
	x, m := t.Corners(c, nil, nil)
	return measure.Quality(t.Dim, &x, &m)
}

func (t *Mesh) VolumeOf(c *Cell) float64 {
	x, _ := t.Corners(c, nil, nil)
	return measure.Volume(t.Dim, &x)
}

// Length of an edge in the metric, the same for both directions.
func (t *Mesh) Length(a, b int32) float64 {
	if t.ID[a] > t.ID[b] {
		a, b = b, a
	}
	return measure.EdgeLength(t.Dim, &t.X[a], &t.M[a], &t.X[b], &t.M[b])
}

// WantedLength is the length in the metric of the field.
func (t *Mesh) WantedLength(a, b int32) float64 {
	if t.ID[a] > t.ID[b] {
		a, b = b, a
	}
	return measure.EdgeLength(t.Dim, &t.X[a], &t.Want[a], &t.X[b], &t.Want[b])
}

// Worst is the worst quality of cells.
func (t *Mesh) Worst(cells []int32) float64 {
	worst := 1.0
	for _, k := range cells {
		worst = min(worst, t.Cells[k].Quality)
	}
	return worst
}

func (t *Mesh) AddVertex(x measure.Vector, m, want measure.Tensor, id int64, freedom uint8) int32 {
	t.X, t.M, t.Want = append(t.X, x), append(t.M, m), append(t.Want, want)
	t.ID, t.Freedom, t.Lines = append(t.ID, id), append(t.Freedom, freedom), append(t.Lines, kernels.Span{})
	t.blocks.grow(&t.Mesh, len(t.X))
	return int32(len(t.X) - 1)
}

func (t *Mesh) AddCell(c Cell) int32 {
	c.Dead = false
	var k int32
	if n := len(t.unused); n > 0 {
		k, t.unused = t.unused[n-1], t.unused[:n-1]
		t.Cells[k] = c
	} else {
		k = int32(len(t.Cells))
		t.Cells = append(t.Cells, c)
	}
	for i := range t.Dim + 1 {
		t.blocks.add(&t.Mesh, c.V[i], k)
	}
	return k
}

func (t *Mesh) RemoveCell(k int32) {
	c := &t.Cells[k]
	c.Dead = true
	for i := range t.Dim + 1 {
		t.blocks.remove(&t.Mesh, c.V[i], k)
	}
	t.unused = append(t.unused, k)
}

// Refill replaces the vertices, lines and cells of a mesh of triangles by others, of which lists of cells around
// vertices are made.
func Refill(t *Mesh, m *kernels.Mesh, nextID int64) {
	t.X, t.M, t.ID, t.Freedom, t.Lines, t.Ends = m.X, m.M, m.ID, m.Freedom, m.Lines, m.Ends
	t.Want, t.NextID = slices.Clone(m.M), nextID
	t.Balls, t.Around, t.Cells, t.unused, t.blocks = nil, nil, nil, nil, blocks{}
	t.blocks.grow(&t.Mesh, len(t.X))
	for _, c := range m.Cells {
		if !c.Dead {
			t.AddCell(c)
		}
	}
}

// LineTo returns the line edge from a to b, nil for none.
func (t *Mesh) LineTo(a, b int32) *LineEnd {
	ends := t.Line(a)
	for i := range ends {
		if ends[i].To == b {
			return &ends[i]
		}
	}
	return nil
}

// Shell appends to cells those around the edge from a to b.
func (t *Mesh) Shell(a, b int32, cells []int32) []int32 {
	for _, k := range t.Ball(a) {
		if t.Cells[k].Has(t.Dim, b) {
			cells = append(cells, k)
		}
	}
	return cells
}

// compare orders cells by the ids of their vertices.
func (t *Mesh) compare(a, b int32) int {
	for i, v := range t.Cells[a].V[:t.Dim+1] {
		if u := t.Cells[b].V[i]; u != v {
			return cmp.Compare(t.ID[v], t.ID[u])
		}
	}
	return 0
}

// InOrder sorts cells by the ids of their vertices. Those around a vertex are few, and sorted by insertion: slices
// would take four times as long.
func (t *Mesh) InOrder(cells []int32) {
	if len(cells) > 64 {
		slices.SortFunc(cells, t.compare)
		return
	}
	for i := 1; i < len(cells); i++ {
		k, j := cells[i], i
		for ; j > 0 && t.compare(k, cells[j-1]) < 0; j-- {
			cells[j] = cells[j-1]
		}
		cells[j] = k
	}
}

// EachEdge calls f for each edge of a cell, from its lower index in the cell.
func (t *Mesh) EachEdge(c *Cell, f func(a, b int32)) {
	for i := range t.Dim + 1 {
		for j := i + 1; j <= t.Dim; j++ {
			f(c.V[i], c.V[j])
		}
	}
}

// LowestFirst returns the ids of two vertices, the lower first.
func (t *Mesh) LowestFirst(a, b int32) (low, high int64) {
	return min(t.ID[a], t.ID[b]), max(t.ID[a], t.ID[b])
}

// OnFace reports whether an edge of a mesh of tetrahedra is on a tagged face, and whether one of these is required.
// shell are the cells around the edge.
func (t *Mesh) OnFace(shell []int32, a, b int32) (on, required bool) {
	for _, k := range shell {
		c := &t.Cells[k]
		for i := range 4 {
			if c.Tag[i] != 0 && c.V[i] != a && c.V[i] != b {
				on, required = true, required || t.Facets[c.Tag[i]].Required
			}
		}
	}
	return on, required
}

// Ordered returns the vertices and cells that exist, in the order of their ids.
func (t *Mesh) Ordered() (vertices, cells []int32) {
	for v := range t.X {
		if t.Balls[v].N > 0 {
			vertices = append(vertices, int32(v))
		}
	}
	for k := range t.Cells {
		if !t.Cells[k].Dead {
			cells = append(cells, int32(k))
		}
	}
	slices.SortFunc(vertices, t.ByID)
	t.InOrder(cells)
	return vertices, cells
}
