package grid

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOperatorsTranscript is the 2×2 board of the documentation.
func TestOperatorsTranscript(t *testing.T) {
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
		t.Errorf("%d cells, %d edges, %d vertices", m.Cells(), m.Edges(), m.Vertices())
	}
	for name, c := range map[string]struct{ got, want []int }{
		"edges of cell 3":        {ids(m.CellEdges(3)), []int{3, 11, 5, 10}},
		"vertices of cell 1":     {ids(m.CellVertices(1)), []int{1, 2, 4, 5}},
		"across edges of cell 0": {ids(m.CellVonNeumann(0)), []int{-1, 1, -1, 2}},
		"all round cell 1":       {eight(m.CellMoore(1)), []int{0, -1, -1, 3, -1, -1, 2, -1}},
		"vertices of edge 4":     {two(m.EdgeVertices(4)), []int{6, 7}},
		"vertices of edge 11":    {two(m.EdgeVertices(11)), []int{5, 8}},
		"cells at edge 3":        {two(m.EdgeCells(3)), []int{1, 3}},
		"cells at edge 6":        {two(m.EdgeCells(6)), []int{-1, 0}},
		"cells at edge 10":       {two(m.EdgeCells(10)), []int{2, 3}},
		"edges at vertex 4":      {ids(m.VertexEdges(4)), []int{2, 3, 7, 10}},
		"edges at vertex 8":      {ids(m.VertexEdges(8)), []int{5, -1, 11, -1}},
		"cells at vertex 4":      {ids(m.VertexCells(4)), []int{0, 1, 2, 3}},
		"cells at vertex 1":      {ids(m.VertexCells(1)), []int{-1, -1, 0, 1}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	type point [2]float64
	of := func(x, y float64) point { return point{x, y} }
	for name, c := range map[string]struct{ got, want point }{
		"vertex 5":          {of(m.VertexPosition(5)), point{2, 2}},
		"centre of cell 2":  {of(m.CellCentre(2)), point{0.5, 3}},
		"centre of edge 4":  {of(m.EdgeCentre(4)), point{0.5, 4}},
		"centre of edge 11": {of(m.EdgeCentre(11)), point{2, 3}},
		"normal of edge 4":  {of(m.EdgeNormal(4)), point{0, -1}},
		"normal of edge 11": {of(m.EdgeNormal(11)), point{2, 0}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

func two(a [2]int) []int   { return a[:] }
func ids(a [4]int) []int   { return a[:] }
func eight(a [8]int) []int { return a[:] }

func someTopology(t *rapid.T) (*Block, *Topology) {
	b := someBlock(t, someGrid(t, 2))
	m, err := b.Topology()
	if err != nil {
		t.Fatal(err)
	}
	return b, m
}

// dual fails unless a lists b exactly where b lists a, each as often as the other: one is the transpose of the other.
func dual(t *rapid.T, name string, na, nb int, ofA, ofB func(int) []int) {
	t.Helper()
	type pair struct{ a, b int }
	seen := map[pair]int{}
	for a := range na {
		for _, b := range ofA(a) {
			if b >= 0 {
				seen[pair{a, b}]++
			}
		}
	}
	for b := range nb {
		for _, a := range ofB(b) {
			if a < 0 {
				continue
			}
			if seen[pair{a, b}]--; seen[pair{a, b}] != 0 {
				t.Fatalf("%s: %d has %d, not the other way round", name, b, a)
			}
			delete(seen, pair{a, b})
		}
	}
	if len(seen) > 0 {
		t.Fatalf("%s: one way only: %v", name, seen)
	}
}

// TestBoundariesAndCoboundariesAreDual: an edge is at the boundary of a cell where the cell is at the coboundary of the
// edge, and so on for each pair of operators; what is next to a cell has that cell next to it.
func TestBoundariesAndCoboundariesAreDual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, m := someTopology(t)
		cells, edges, vertices := m.Cells(), m.Edges(), m.Vertices()
		dual(t, "cells and edges", cells, edges,
			func(c int) []int { return ids(m.CellEdges(c)) }, func(e int) []int { return two(m.EdgeCells(e)) })
		dual(t, "edges and vertices", edges, vertices,
			func(e int) []int { return two(m.EdgeVertices(e)) }, func(v int) []int { return ids(m.VertexEdges(v)) })
		dual(t, "cells and vertices", cells, vertices,
			func(c int) []int { return ids(m.CellVertices(c)) }, func(v int) []int { return ids(m.VertexCells(v)) })
		near := func(c int) []int { return ids(m.CellVonNeumann(c)) }
		dual(t, "von Neumann neighbours", cells, cells, near, near)
		round := func(c int) []int { return eight(m.CellMoore(c)) }
		dual(t, "Moore neighbours", cells, cells, round, round)
		if cells-edges+vertices != 1 {
			t.Fatalf("Euler's number of a rectangle is %d", cells-edges+vertices)
		}
	})
}

// TestOppositesOfNeighbours: the neighbour to the west has the cell to its east, and so on in each direction.
func TestOppositesOfNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, m := someTopology(t)
		opposite := [8]int{1, 0, 3, 2, 7, 6, 5, 4}
		for c := range m.Cells() {
			round := m.CellMoore(c)
			if four := m.CellVonNeumann(c); !slices.Equal(four[:], round[:4]) {
				t.Fatalf("cell %d: %v are not the first of %v", c, four, round)
			}
			edges := m.CellEdges(c)
			for n, edge := range [4]int{edges[3], edges[1], edges[0], edges[2]} {
				if across := m.EdgeCells(edge); across[1-n%2] != c || across[n%2] != round[n] {
					t.Fatalf("cell %d: edge %d is between %v, want %d on the other side", c, edge, across, round[n])
				}
			}
			for n, other := range round {
				if other >= 0 && m.CellMoore(other)[opposite[n]] != c {
					t.Fatalf("cell %d has %d in direction %d, which does not have it opposite", c, other, n)
				}
			}
		}
	})
}

// TestBoundaryOfBoundaryIsEmpty: going round a cell along its edges, as their normals are signed, each vertex is left
// as often as it is entered.
func TestBoundaryOfBoundaryIsEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, m := someTopology(t)
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
					t.Fatalf("cell %d: vertex %d is entered %d times more than left", c, v, sum)
				}
			}
			if len(ends) != 4 {
				t.Fatalf("cell %d has the vertices %v", c, ends)
			}
		}
	})
}

// TestNormalsClose: the normals of a cell, outward, sum to zero, and with the centres of its edges they give its area
// (the divergence theorem for the field (x, y)/2). A normal is at right angles to its edge, on the right, and as long.
func TestNormalsClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, m := someTopology(t)
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
			// Positions are rounded at the size of the bounds, at most 30 in these grids.
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

// TestCellIdsAreIndices: a cell's id is its position in an array of the block, ghosts included, with the same centre.
func TestCellIdsAreIndices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, m := someTopology(t)
		if m.Cells() != b.Len() {
			t.Fatalf("%d cells, arrays of %d", m.Cells(), b.Len())
		}
		for c := range m.Cells() {
			i, j, k := b.Cell(c)
			x, y, _ := b.Centre(i, j, k)
			if mx, my := m.CellCentre(c); mx != x || my != y {
				t.Fatalf("cell %d is at (%g, %g), by its block at (%g, %g)", c, mx, my, x, y)
			}
			lx, ly, _ := b.Vertex(i, j, k)
			if vx, vy := m.VertexPosition(m.CellVertices(c)[0]); vx != lx || vy != ly {
				t.Fatalf("cell %d has its first vertex at (%g, %g), by its block at (%g, %g)", c, vx, vy, lx, ly)
			}
		}
	})
}

func TestIdsOfNothingPanic(t *testing.T) {
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
					t.Errorf("no panic for a %s that is not there", name)
				}
			}()
			f()
		}()
	}
}

func TestTopologyIsForThePlane(t *testing.T) {
	g, err := New(3, [3]int{2, 2, 1}, [3]float64{}, [3]float64{1, 1, 1}, [3]bool{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := g.Whole(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := whole.Topology(); err == nil {
		t.Error("a topology of a grid in 3D")
	}
}
