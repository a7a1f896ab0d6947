package grid

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOperators checks the ids in the drawing at type Topology, of 2×2 cells.
func TestOperators(t *testing.T) {
	g, err := New(2, [3]int{2, 2, 1}, [3]float64{}, [3]float64{2, 4, 0}, [3]bool{true, true, false})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := g.Whole(0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := whole.Topology()
	if err != nil {
		t.Fatal(err)
	}
	if m.Cells() != 4 || m.Edges() != 12 || m.Vertices() != 9 {
		t.Errorf("got %d cells, %d edges, %d vertices; want 4, 12, 9", m.Cells(), m.Edges(), m.Vertices())
	}
	for name, c := range map[string]struct{ got, want []int }{
		"edges of cell 3":                  {four(m.CellEdges(3)), []int{3, 11, 5, 10}},
		"vertices of cell 1":               {four(m.CellVertices(1)), []int{1, 2, 4, 5}},
		"von Neumann neighbours of cell 0": {four(m.CellVonNeumann(0)), []int{-1, 1, -1, 2}},
		"Moore neighbours of cell 1":       {eight(m.CellMoore(1)), []int{0, -1, -1, 3, -1, -1, 2, -1}},
		"vertices of edge 4":               {two(m.EdgeVertices(4)), []int{6, 7}},
		"vertices of edge 11":              {two(m.EdgeVertices(11)), []int{5, 8}},
		"cells at edge 3":                  {two(m.EdgeCells(3)), []int{1, 3}},
		"cells at edge 6":                  {two(m.EdgeCells(6)), []int{-1, 0}},
		"cells at edge 10":                 {two(m.EdgeCells(10)), []int{2, 3}},
		"edges at vertex 4":                {four(m.VertexEdges(4)), []int{2, 3, 7, 10}},
		"edges at vertex 8":                {four(m.VertexEdges(8)), []int{5, -1, 11, -1}},
		"cells at vertex 4":                {four(m.VertexCells(4)), []int{0, 1, 2, 3}},
		"cells at vertex 1":                {four(m.VertexCells(1)), []int{-1, -1, 0, 1}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	type point [2]float64
	p := func(x, y float64) point { return point{x, y} }
	for name, c := range map[string]struct{ got, want point }{
		"vertex 5":          {p(m.VertexPosition(5)), point{2, 2}},
		"centre of cell 2":  {p(m.CellCentre(2)), point{0.5, 3}},
		"centre of edge 4":  {p(m.EdgeCentre(4)), point{0.5, 4}},
		"centre of edge 11": {p(m.EdgeCentre(11)), point{2, 3}},
		"normal of edge 4":  {p(m.EdgeNormal(4)), point{0, -1}},
		"normal of edge 11": {p(m.EdgeNormal(11)), point{2, 0}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

func two(a [2]int) []int   { return a[:] }
func four(a [4]int) []int  { return a[:] }
func eight(a [8]int) []int { return a[:] }

func drawTopology(t *rapid.T) (*Block, *Topology) {
	b := drawBlock(t, drawGrid(t, 2))
	m, err := b.Topology()
	if err != nil {
		t.Fatal(err)
	}
	return b, m
}

// checkTransposed checks that two operators are transposes of each other: b occurs in ofA(a) as often as a in ofB(b).
func checkTransposed(t *rapid.T, name string, na, nb int, ofA, ofB func(int) []int) {
	t.Helper()
	type pair struct{ a, b int }
	count := map[pair]int{}
	for a := range na {
		for _, b := range ofA(a) {
			if b >= 0 {
				count[pair{a, b}]++
			}
		}
	}
	for b := range nb {
		for _, a := range ofB(b) {
			if a < 0 {
				continue
			}
			if count[pair{a, b}]--; count[pair{a, b}] != 0 {
				t.Fatalf("%s: the second operator maps %d to %d, but the first does not map %d to %d", name, b, a, a, b)
			}
			delete(count, pair{a, b})
		}
	}
	if len(count) > 0 {
		t.Fatalf("%s: only the first operator has the pairs %v", name, count)
	}
}

// TestBoundariesAndCoboundariesAreTransposed: boundary and coboundary operators are transposes of each other; the
// operators of neighbours are symmetric; and the Euler characteristic is 1.
func TestBoundariesAndCoboundariesAreTransposed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, m := drawTopology(t)
		cells, edges, vertices := m.Cells(), m.Edges(), m.Vertices()
		checkTransposed(t, "cells and edges", cells, edges,
			func(c int) []int { return four(m.CellEdges(c)) }, func(e int) []int { return two(m.EdgeCells(e)) })
		checkTransposed(t, "edges and vertices", edges, vertices,
			func(e int) []int { return two(m.EdgeVertices(e)) }, func(v int) []int { return four(m.VertexEdges(v)) })
		checkTransposed(t, "cells and vertices", cells, vertices,
			func(c int) []int { return four(m.CellVertices(c)) }, func(v int) []int { return four(m.VertexCells(v)) })
		vonNeumann := func(c int) []int { return four(m.CellVonNeumann(c)) }
		checkTransposed(t, "von Neumann neighbours", cells, cells, vonNeumann, vonNeumann)
		moore := func(c int) []int { return eight(m.CellMoore(c)) }
		checkTransposed(t, "Moore neighbours", cells, cells, moore, moore)
		if cells-edges+vertices != 1 {
			t.Fatalf("got Euler characteristic %d, want 1", cells-edges+vertices)
		}
	})
}

// TestDirectionsOfNeighbours: a cell is the east neighbour of its west neighbour, and so on for each direction; and
// edges are between the cell and the neighbour of that direction.
func TestDirectionsOfNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, m := drawTopology(t)
		opposite := [8]int{1, 0, 3, 2, 7, 6, 5, 4}
		for c := range m.Cells() {
			moore := m.CellMoore(c)
			if vonNeumann := m.CellVonNeumann(c); !slices.Equal(vonNeumann[:], moore[:4]) {
				t.Fatalf("cell %d: the von Neumann neighbours %v are not the first of %v", c, vonNeumann, moore)
			}
			edges := m.CellEdges(c)
			for n, edge := range [4]int{edges[3], edges[1], edges[0], edges[2]} {
				if cells := m.EdgeCells(edge); cells[1-n%2] != c || cells[n%2] != moore[n] {
					t.Fatalf("cell %d: edge %d is between %v, want %d on the other side", c, edge, cells, moore[n])
				}
			}
			for n, other := range moore {
				if other >= 0 && m.CellMoore(other)[opposite[n]] != c {
					t.Fatalf("cell %d has neighbour %d in direction %d, but is not its neighbour in direction %d", c, other,
						n, opposite[n])
				}
			}
		}
	})
}

// TestBoundaryOfBoundaryIsZero: the signed boundaries of a cell's edges cancel at each vertex.
func TestBoundaryOfBoundaryIsZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, m := drawTopology(t)
		for c := range m.Cells() {
			ends := map[int]int{}
			for n, edge := range m.CellEdges(c) {
				sign := [4]int{1, 1, -1, -1}[n]
				v := m.EdgeVertices(edge)
				ends[v[0]] -= sign
				ends[v[1]] += sign
			}
			for v, sum := range ends {
				if sum != 0 {
					t.Fatalf("cell %d: the sum at vertex %d is %d, want 0", c, v, sum)
				}
			}
			if len(ends) != 4 {
				t.Fatalf("cell %d has %d vertices, want 4", c, len(ends))
			}
		}
	})
}

// TestNormals: the outward normals of a cell sum to zero, and with the centres of the edges they give the cell's area
// (the divergence theorem for the field (x, y)/2). A normal is the edge's vector rotated by -90°.
func TestNormals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, m := drawTopology(t)
		hx, hy := b.Grid.Spacing(0), b.Grid.Spacing(1)
		for c := range m.Cells() {
			var sumX, sumY, area float64
			cx, cy := m.CellCentre(c)
			for n, edge := range m.CellEdges(c) {
				sign := [4]float64{1, 1, -1, -1}[n]
				nx, ny := m.EdgeNormal(edge)
				x, y := m.EdgeCentre(edge)
				sumX, sumY = sumX+sign*nx, sumY+sign*ny
				area += sign * (nx*(x-cx) + ny*(y-cy)) / 2
			}
			// The round-off error of positions is relative to the bounds, which are at most 30 in these grids.
			if sumX != 0 || sumY != 0 || math.Abs(area-hx*hy) > 1e-13*(hx+hy) {
				t.Fatalf("cell %d: normals sum to (%g, %g), area %g, want %g", c, sumX, sumY, area, hx*hy)
			}
		}
		for e := range m.Edges() {
			v := m.EdgeVertices(e)
			ax, ay := m.VertexPosition(v[0])
			bx, by := m.VertexPosition(v[1])
			nx, ny := m.EdgeNormal(e)
			if math.Abs(nx-(by-ay)) > 1e-13 || math.Abs(ny+(bx-ax)) > 1e-13 {
				t.Fatalf("edge %d from (%g, %g) to (%g, %g) has the normal (%g, %g)", e, ax, ay, bx, by, nx, ny)
			}
		}
	})
}

// TestCellIdsAreIndices: the id of a cell is its index in an array of the block, and both have the same positions.
func TestCellIdsAreIndices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, m := drawTopology(t)
		if m.Cells() != b.Len() {
			t.Fatalf("got %d cells, want %d", m.Cells(), b.Len())
		}
		for c := range m.Cells() {
			i, j, k := b.Cell(c)
			x, y, _ := b.Centre(i, j, k)
			if mx, my := m.CellCentre(c); mx != x || my != y {
				t.Fatalf("cell %d has its centre at (%g, %g), in the block at (%g, %g)", c, mx, my, x, y)
			}
			lx, ly, _ := b.Vertex(i, j, k)
			if vx, vy := m.VertexPosition(m.CellVertices(c)[0]); vx != lx || vy != ly {
				t.Fatalf("cell %d has its first vertex at (%g, %g), in the block at (%g, %g)", c, vx, vy, lx, ly)
			}
		}
	})
}

func TestIdsOutOfRangePanic(t *testing.T) {
	g, _ := New(2, [3]int{2, 2, 1}, [3]float64{}, [3]float64{1, 1, 0}, [3]bool{})
	whole, _ := g.Whole(0)
	m, err := whole.Topology()
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"cell":   func() { m.CellEdges(4) },
		"edge":   func() { m.EdgeCells(12) },
		"vertex": func() { m.VertexCells(-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for a %s's id out of range", name)
				}
			}()
			f()
		}()
	}
}

func TestTopologyRefuses3D(t *testing.T) {
	g, err := New(3, [3]int{2, 2, 1}, [3]float64{}, [3]float64{1, 1, 1}, [3]bool{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := g.Whole(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := whole.Topology(); err == nil {
		t.Error("got no error for a grid in 3D")
	}
}
