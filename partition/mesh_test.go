package partition

import "testing"

// triangles is a triangle mesh for tests.
type triangles struct {
	x, y  []float64
	cells [][3]int32
}

// lattice cuts each of nx × ny unit squares into two triangles along a random diagonal, and moves each interior vertex
// by up to 0.2 along each axis.
func lattice(nx, ny int, seed uint64) triangles {
	random := splitMix(seed)
	jitter := func() float64 { return (float64(random.below(1<<20))/(1<<20) - 0.5) * 0.4 }
	var m triangles
	for j := range ny + 1 {
		for i := range nx + 1 {
			x, y := float64(i), float64(j)
			if i > 0 && i < nx && j > 0 && j < ny {
				x, y = x+jitter(), y+jitter()
			}
			m.x, m.y = append(m.x, x), append(m.y, y)
		}
	}
	for j := range int32(ny) {
		for i := range int32(nx) {
			a := j*int32(nx+1) + i
			b, c, d := a+1, a+int32(nx)+2, a+int32(nx)+1
			if random.below(2) == 0 {
				m.cells = append(m.cells, [3]int32{a, b, c}, [3]int32{a, c, d})
			} else {
				m.cells = append(m.cells, [3]int32{a, b, d}, [3]int32{b, c, d})
			}
		}
	}
	return m
}

// structured is the lattice with all diagonals in one direction, without jitter.
func structured(n int) triangles {
	m := lattice(n, n, 0)
	m.cells = m.cells[:0]
	for j := range int32(n) {
		for i := range int32(n) {
			a := j*int32(n+1) + i
			b, c, d := a+1, a+int32(n)+2, a+int32(n)+1
			m.cells = append(m.cells, [3]int32{a, b, c}, [3]int32{a, c, d})
		}
	}
	return m
}

// refined cuts each triangle into four, numbered as refinemesh of MATLAB does: the children of triangle t, of N, are t,
// t+N and t+2N at the corners and t+3N in the middle.
func (m triangles) refined() triangles {
	n := int32(len(m.cells))
	fine := triangles{append([]float64{}, m.x...), append([]float64{}, m.y...), make([][3]int32, 4*n)}
	middles := map[[2]int32]int32{}
	middle := func(a, b int32) int32 {
		edge := [2]int32{min(a, b), max(a, b)}
		v, ok := middles[edge]
		if !ok {
			v = int32(len(fine.x))
			fine.x = append(fine.x, (m.x[a]+m.x[b])/2)
			fine.y = append(fine.y, (m.y[a]+m.y[b])/2)
			middles[edge] = v
		}
		return v
	}
	for t, c := range m.cells {
		ab, bc, ca := middle(c[0], c[1]), middle(c[1], c[2]), middle(c[2], c[0])
		fine.cells[t] = [3]int32{c[0], ab, ca}
		fine.cells[int32(t)+n] = [3]int32{ab, c[1], bc}
		fine.cells[int32(t)+2*n] = [3]int32{ca, bc, c[2]}
		fine.cells[int32(t)+3*n] = [3]int32{ab, bc, ca}
	}
	return fine
}

// dual is the dual graph, in which cells that share an edge are neighbours, with the centroids of the cells.
func (m triangles) dual(t testing.TB) (g Graph, x, y []float64) {
	t.Helper()
	type cellEdge struct{ cell, edge int32 }
	unmatched := make(map[[2]int32]cellEdge, 2*len(m.cells))
	neighbours := make([][3]int32, len(m.cells))
	for cell, c := range m.cells {
		neighbours[cell] = [3]int32{-1, -1, -1}
		for edge := range int32(3) {
			a, b := c[edge], c[(edge+1)%3]
			key := [2]int32{min(a, b), max(a, b)}
			if other, ok := unmatched[key]; ok {
				neighbours[cell][edge] = other.cell
				neighbours[other.cell][other.edge] = int32(cell)
				delete(unmatched, key)
			} else {
				unmatched[key] = cellEdge{int32(cell), edge}
			}
		}
		x = append(x, (m.x[c[0]]+m.x[c[1]]+m.x[c[2]])/3)
		y = append(y, (m.y[c[0]]+m.y[c[1]]+m.y[c[2]])/3)
	}
	g, err := FromNeighbours(neighbours)
	if err != nil {
		t.Fatal(err)
	}
	return g, x, y
}

func fromEdges(t rapidOrTB, n int, edges [][2]int32) Graph {
	g, err := FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// rapidOrTB is the method of *testing.T, *testing.B and *rapid.T that the helpers need.
type rapidOrTB interface {
	Fatal(args ...any)
}

// grid is the graph of nx × ny vertices joined in rows and columns; its bandwidth is min(nx, ny) (J. Chvátalová,
// "Optimal labelling of a product of two paths", Discrete Math. 11 (1975) 249).
func grid(t rapidOrTB, nx, ny int) Graph {
	var edges [][2]int32
	for v := range int32(nx * ny) {
		if int(v)%nx+1 < nx {
			edges = append(edges, [2]int32{v, v + 1})
		}
		if int(v)/nx+1 < ny {
			edges = append(edges, [2]int32{v, v + int32(nx)})
		}
	}
	return fromEdges(t, nx*ny, edges)
}

// relabelled returns g with vertex v renumbered to newID[v].
func relabelled(t rapidOrTB, g Graph, newID []int32) Graph {
	var edges [][2]int32
	for v := range int32(g.N()) {
		for _, u := range g.Neighbours(v) {
			if u < v {
				edges = append(edges, [2]int32{newID[v], newID[u]})
			}
		}
	}
	return fromEdges(t, g.N(), edges)
}
