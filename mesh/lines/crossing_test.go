package lines

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// TestCrossingsCoverTheLine checks that the crossings of a line inside a square add up to its length and normal, to
// round-off, also along edges and through corners.
func TestCrossingsCoverTheLine(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 800, 3)
	if err != nil {
		t.Fatal(err)
	}
	g := vtk.Triangles(m.X, m.Y, m.Cells)
	corner := func(i int32) []float64 { return []float64{m.X[i], m.Y[i]} }
	lines := [][][]float64{
		{{0, 0}, {0, 1}}, {{1, 1}, {1, 0}}, {{.5, 0}, {.5, 1}}, {{0, 0}, {1, 1}, {1, 0}},
		{corner(m.Cells[300][0]), corner(m.Cells[300][1]), corner(m.Cells[300][2])},
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		lines = append(lines, [][]float64{{random.Float64(), random.Float64()}, {random.Float64(), random.Float64()},
			{random.Float64(), random.Float64()}})
	}
	for _, line := range lines {
		var x, y, length, want float64
		for _, c := range Crossings(line, g, len(m.Cells)) {
			x, y, length = x+c.X, y+c.Y, length+math.Hypot(c.X, c.Y)
		}
		for k := 1; k < len(line); k++ {
			want += math.Hypot(line[k][0]-line[k-1][0], line[k][1]-line[k-1][1])
		}
		from, to := line[0], line[len(line)-1]
		difference := math.Abs(length-want) + math.Abs(x-(to[1]-from[1])) + math.Abs(y+to[0]-from[0])
		if difference > 1e-13 {
			t.Errorf("%v: crossings have length %g, want %g, and normal (%g, %g)", line, length, want, x, y)
		}
	}
	if outside := Crossings([][]float64{{-1, -1}, {-1, 2}, {2, 2}}, g, len(m.Cells)); outside != nil {
		t.Errorf("a line outside the mesh has crossings %v", outside)
	}
}
