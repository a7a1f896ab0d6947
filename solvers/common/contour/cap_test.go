package contour

import (
	"math"
	"testing"
)

// TestCappedSurfacesAreClosed proves that a capped surface encloses the part of a body in the grid: each edge belongs
// to two triangles that have it in opposite directions, and the volume is that of the body, also if it fills the grid,
// and from parts of the grid.
func TestCappedSurfacesAreClosed(t *testing.T) {
	const n = 12
	for _, c := range []struct {
		name   string
		phi    func(x, y, z float64) float64
		volume float64
	}{
		{"inside", func(x, y, z float64) float64 { return math.Sqrt(x*x+y*y+z*z) - .3 }, 4. / 3 * math.Pi * .027},
		{"through a side", func(x, _, _ float64) float64 { return x - .1 }, .6},
		{"in a corner", func(x, y, z float64) float64 { return max(-.2-x, -.1-y, .15-z) }, .7 * .6 * .35},
		{"everything", func(_, _, _ float64) float64 { return -1 }, 1},
		{"nothing", func(_, _, _ float64) float64 { return 1 }, 0},
		{"oblique", func(x, y, z float64) float64 { return (x + y + z) / math.Sqrt(3) }, .5},
	} {
		total, edges := 0.0, map[[2]int64]int{}
		for _, part := range [][2]int{{0, 5}, {5, n}} { // two blocks, along x
			nodes := &Nodes{Dim: 3, N: [3]int{part[1] - part[0] + 1, n + 1, n + 1}, Lo: [3]int{part[0], 0, 0},
				Whole:      [3]int{n + 1, n + 1, n + 1},
				Coordinate: func(_, node int) float64 { return float64(node)/n - .5 }}
			size := nodes.N[0] * nodes.N[1]
			nodes.Layers = LayersBy(size, func(layer int, values []float64) {
				for i := range values {
					x, y, z := nodes.Coordinate(0, part[0]+i%nodes.N[0]), nodes.Coordinate(1, i/nodes.N[0]),
						nodes.Coordinate(2, layer)
					if values[i] = c.phi(x, y, z); math.Abs(values[i]) < MinDistance/n {
						values[i] = MinDistance / n
					}
				}
			})
			s := nodes.Capped([3][2]bool{{part[0] == 0, part[1] == n}, {true, true}, {true, true}}, [3]bool{}, 4).Surface()
			for k := 0; k < len(s.Simplices); k += 3 {
				var p [3][]float64
				for v := range p {
					i, j := s.Simplices[k+v], s.Simplices[k+(v+1)%3]
					p[v] = s.Points[3*i:]
					edges[[2]int64{s.ID[i], s.ID[j]}]++
				}
				total += (p[0][0]*(p[1][1]*p[2][2]-p[1][2]*p[2][1]) + p[0][1]*(p[1][2]*p[2][0]-p[1][0]*p[2][2]) +
					p[0][2]*(p[1][0]*p[2][1]-p[1][1]*p[2][0])) / 6
			}
		}
		for e, count := range edges {
			if count != 1 || edges[[2]int64{e[1], e[0]}] != 1 {
				t.Fatalf("%s: an edge is in %d and %d triangles", c.name, count, edges[[2]int64{e[1], e[0]}])
			}
		}
		if math.Abs(total-c.volume) > .05*c.volume {
			t.Errorf("%s: got volume %g, want %g", c.name, total, c.volume)
		}
	}
}
