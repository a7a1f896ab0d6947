package plane

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// squares returns a mesh of n by n squares, of two triangles each, and which triangles are in the squares that picture
// marks by #.
func squares(t *testing.T, picture []string) (*vtk.Grid, []bool) {
	t.Helper()
	n := len(picture)
	m := &mesh.Mesh{}
	for row := range n + 1 {
		for column := range n + 1 {
			m.X, m.Y = append(m.X, float64(column)), append(m.Y, float64(row))
		}
	}
	var inside []bool
	for row := range n {
		for column := range n {
			a := int32(row*(n+1) + column)
			b, c, d := a+1, a+int32(n)+2, a+int32(n)+1
			m.Cells = append(m.Cells, [3]int32{a, b, c}, [3]int32{a, c, d})
			in := picture[n-1-row][column] == '#'
			inside = append(inside, in, in)
		}
	}
	return vtk.Triangles(m.X, m.Y, m.Cells), inside
}

// TestPolygons checks areas with holes, islands in holes, and parts that touch in corners: rings visit each corner
// once, outer rings run anticlockwise and holes clockwise, and areas add up, for any distribution over ranks.
func TestPolygons(t *testing.T) {
	for name, c := range map[string]struct {
		picture  []string
		polygons int
		holes    int
	}{
		"nothing":            {[]string{"..", ".."}, 0, 0},
		"all":                {[]string{"##", "##"}, 1, 0},
		"corner to corner":   {[]string{"#.", ".#"}, 2, 0},
		"an island in a bay": {[]string{"#####", "#...#", "#.#.#", "#...#", "#####"}, 2, 1},
		"holes that touch":   {[]string{"####", "#.##", "##.#", "####"}, 1, 2},
		"around a corner":    {[]string{".##.", "#..#", "#.##", "####"}, 2, 0},
		"a ring that closes": {[]string{"####", "#..#", "#.#.", "####"}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			m, inside := squares(t, c.picture)
			want := 0.0
			shares := make([][]bool, 3)
			for i, in := range inside {
				for k := range shares {
					shares[k] = append(shares[k], in && i%3 == k)
				}
				if in {
					want += .5
				}
			}
			single := Polygons(SidesOf([][]float64{NumbersOf(Boundary(m, inside))}))
			shared := Polygons(SidesOf([][]float64{NumbersOf(Boundary(m, shares[2])), NumbersOf(Boundary(m, shares[0])),
				NumbersOf(Boundary(m, shares[1]))}))
			got, holes := 0.0, 0
			for i, p := range single {
				holes += len(p.holes)
				for k, r := range p.Rings() {
					visited := map[[2]float64]bool{}
					for _, corner := range r[1:] {
						if visited[corner] {
							t.Errorf("polygon %d visits corner %v twice", i, corner)
						}
						visited[corner] = true
					}
					size := ring(r[1:]).area()
					if got += size; (size > 0) != (k == 0) || r[0] != r[len(r)-1] || shared[i].Rings()[k][1] != r[1] {
						t.Errorf("polygon %d, ring %d: area %g, %v", i, k, size, r)
					}
				}
			}
			if len(single) != c.polygons || holes != c.holes || math.Abs(got-want) > 1e-12 || len(shared) != len(single) {
				t.Errorf("%d polygons, %d holes, area %g; want %d, %d, %g", len(single), holes, got, c.polygons, c.holes, want)
			}
		})
	}
}
