package grid

import "fmt"

// Topology is the two-dimensional mesh data structure of Francois, Lo and Sewell (ASME 2014, LA-UR-14-20777, code
// PINION): the cells, edges and vertices of a block in 2D, each numbered from 0 so that data on them are plain
// arrays, and the operators between them. Ghost cells are numbered too: the id of a cell is its index in an array of
// the block.
//
// Ids are row by row, x fastest. A block of nx×ny cells has first nx×(ny+1) edges along x, in ny+1 rows of nx, and then
// (nx+1)×ny edges along y, in ny rows of nx+1. The vertex at a column and row is the lower left vertex of the cell at
// the same column and row.
//
//	6────e4────7────e5────8
//	│          │          │
//	e9  c2    e10  c3    e11
//	│          │          │
//	3────e2────4────e3────5
//	│          │          │
//	e6  c0    e7   c1    e8
//	│          │          │
//	0────e0────1────e1────2
//
// An operator returns -1 for neighbours outside the block, also at periodic sides, where ghosts have the cells of the
// opposite side. Operators panic for ids that the block does not have.
type Topology struct {
	block  *Block
	nx, ny int
}

// Topology returns the topology of a block of a 2D grid, and an error in 3D.
func (b *Block) Topology() (*Topology, error) {
	if b.Grid.Dim != 2 {
		return nil, fmt.Errorf("grid: a topology needs a grid of 2 dimensions, and this one has %d", b.Grid.Dim)
	}
	nx, ny, _ := b.Shape()
	return &Topology{block: b, nx: nx, ny: ny}, nil
}

// Cells, Edges and Vertices return the number of each.
func (t *Topology) Cells() int    { return t.nx * t.ny }
func (t *Topology) Edges() int    { return t.edgesAlongX() + (t.nx+1)*t.ny }
func (t *Topology) Vertices() int { return (t.nx + 1) * (t.ny + 1) }

// edgesAlongX returns the number of edges along x, which is the id of the first edge along y.
func (t *Topology) edgesAlongX() int { return t.nx * (t.ny + 1) }

// CellEdges is the boundary operator of cells: it returns {bottom, right, top, left}, counter-clockwise. The normals of
// the first two edges point out of the cell, the normals of the others into it.
func (t *Topology) CellEdges(cell int) [4]int {
	i, j := t.cell(cell)
	return [4]int{t.edgeX(i, j), t.edgeY(i+1, j), t.edgeX(i, j+1), t.edgeY(i, j)}
}

// CellVertices is the second-order boundary operator of cells: it returns {lower left, lower right, upper left, upper
// right}.
func (t *Topology) CellVertices(cell int) [4]int {
	i, j := t.cell(cell)
	return [4]int{t.vertexAt(i, j), t.vertexAt(i+1, j), t.vertexAt(i, j+1), t.vertexAt(i+1, j+1)}
}

// CellVonNeumann returns the cells across the edges of a cell: {west, east, south, north}.
func (t *Topology) CellVonNeumann(cell int) [4]int {
	i, j := t.cell(cell)
	return [4]int{t.cellAt(i-1, j), t.cellAt(i+1, j), t.cellAt(i, j-1), t.cellAt(i, j+1)}
}

// CellMoore returns all cells around a cell: {west, east, south, north, south-west, south-east, north-west,
// north-east}.
func (t *Topology) CellMoore(cell int) [8]int {
	i, j := t.cell(cell)
	return [8]int{t.cellAt(i-1, j), t.cellAt(i+1, j), t.cellAt(i, j-1), t.cellAt(i, j+1),
		t.cellAt(i-1, j-1), t.cellAt(i+1, j-1), t.cellAt(i-1, j+1), t.cellAt(i+1, j+1)}
}

// EdgeVertices is the boundary operator of edges: it returns {left, right} or {bottom, top}.
func (t *Topology) EdgeVertices(edge int) [2]int {
	i, j, alongY := t.edge(edge)
	if alongY {
		return [2]int{t.vertexAt(i, j), t.vertexAt(i, j+1)}
	}
	return [2]int{t.vertexAt(i, j), t.vertexAt(i+1, j)}
}

// EdgeCells is the coboundary operator of edges: it returns the cells on both sides, {left, right} of an edge along y,
// {below, above} of an edge along x.
func (t *Topology) EdgeCells(edge int) [2]int {
	i, j, alongY := t.edge(edge)
	if alongY {
		return [2]int{t.cellAt(i-1, j), t.cellAt(i, j)}
	}
	return [2]int{t.cellAt(i, j-1), t.cellAt(i, j)}
}

// VertexEdges is the coboundary operator of vertices: it returns the edges that meet there, {left, right, bottom, top}.
func (t *Topology) VertexEdges(vertex int) [4]int {
	i, j := t.vertex(vertex)
	return [4]int{t.edgeX(i-1, j), t.edgeX(i, j), t.edgeY(i, j-1), t.edgeY(i, j)}
}

// VertexCells is the second-order coboundary operator of vertices: it returns the cells that meet there, {lower left,
// lower right, upper left, upper right}.
func (t *Topology) VertexCells(vertex int) [4]int {
	i, j := t.vertex(vertex)
	return [4]int{t.cellAt(i-1, j-1), t.cellAt(i, j-1), t.cellAt(i-1, j), t.cellAt(i, j)}
}

// VertexPosition returns the position of a vertex.
func (t *Topology) VertexPosition(vertex int) (x, y float64) {
	i, j := t.vertex(vertex)
	return t.x(i), t.y(j)
}

// CellCentre returns the centre of a cell.
func (t *Topology) CellCentre(cell int) (x, y float64) {
	i, j := t.cell(cell)
	return t.midX(i), t.midY(j)
}

// EdgeCentre returns the midpoint of an edge.
func (t *Topology) EdgeCentre(edge int) (x, y float64) {
	i, j, alongY := t.edge(edge)
	if alongY {
		return t.x(i), t.midY(j)
	}
	return t.midX(i), t.y(j)
}

// EdgeNormal returns the normal of an edge, with the length of the edge. It points to the right of the direction from
// the first vertex to the second: along -y for an edge along x, along +x for an edge along y.
func (t *Topology) EdgeNormal(edge int) (x, y float64) {
	if _, _, alongY := t.edge(edge); alongY {
		return t.block.Grid.Spacing(1), 0
	}
	return 0, -t.block.Grid.Spacing(0)
}

func (t *Topology) x(i int) float64    { return t.block.Grid.Face(0, t.first(0)+i) }
func (t *Topology) y(j int) float64    { return t.block.Grid.Face(1, t.first(1)+j) }
func (t *Topology) midX(i int) float64 { return t.block.Grid.Centre(0, t.first(0)+i) }
func (t *Topology) midY(j int) float64 { return t.block.Grid.Centre(1, t.first(1)+j) }

// first returns the global index of the first cell, or ghost, of the block along an axis.
func (t *Topology) first(axis int) int { return t.block.Lo[axis] - t.block.Ghost }

// cell, edge and vertex return the column and row of an id.
func (t *Topology) cell(id int) (i, j int) {
	if id < 0 || id >= t.Cells() {
		panic("grid: the cell's id is out of range")
	}
	return id % t.nx, id / t.nx
}

func (t *Topology) vertex(id int) (i, j int) {
	if id < 0 || id >= t.Vertices() {
		panic("grid: the vertex's id is out of range")
	}
	return id % (t.nx + 1), id / (t.nx + 1)
}

func (t *Topology) edge(id int) (i, j int, alongY bool) {
	if id < 0 || id >= t.Edges() {
		panic("grid: the edge's id is out of range")
	}
	if indexAlongY := id - t.edgesAlongX(); indexAlongY >= 0 {
		return indexAlongY % (t.nx + 1), indexAlongY / (t.nx + 1), true
	}
	return id % t.nx, id / t.nx, false
}

// cellAt, edgeX, edgeY and vertexAt return the id at a column and row, -1 outside the block.
func (t *Topology) cellAt(i, j int) int   { return idAt(i, j, t.nx, t.ny, 0) }
func (t *Topology) vertexAt(i, j int) int { return idAt(i, j, t.nx+1, t.ny+1, 0) }
func (t *Topology) edgeX(i, j int) int    { return idAt(i, j, t.nx, t.ny+1, 0) }
func (t *Topology) edgeY(i, j int) int    { return idAt(i, j, t.nx+1, t.ny, t.edgesAlongX()) }

func idAt(i, j, columns, rows, first int) int {
	if i < 0 || j < 0 || i >= columns || j >= rows {
		return -1
	}
	return first + i + columns*j
}
