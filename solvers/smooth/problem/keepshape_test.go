package problem

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// ball returns a mesh of a cube, of n³ cubes, in which a ball is of another material: vertices near its sphere are
// moved onto it.
func ball(t *testing.T, n int, seed uint64, radius float64) *mesh.Solid {
	t.Helper()
	m, err := mesh.Cube(n, n, n, .15, seed)
	if err != nil {
		t.Fatal(err)
	}
	for v := range m.X {
		x, y, z := m.X[v]-.5, m.Y[v]-.5, m.Z[v]-.5
		if r := math.Sqrt(x*x + y*y + z*z); math.Abs(r-radius) < .2/float64(n) {
			m.X[v], m.Y[v], m.Z[v] = .5+x*radius/r, .5+y*radius/r, .5+z*radius/r
		}
	}
	m.CellTag = make([]int32, len(m.Cells))
	for c := range m.Cells {
		if !(m.Volume(c) > 0) {
			t.Fatalf("%d³ cubes, seed %d: cell %d is inverted", n, seed, c)
		}
		m.CellTag[c] = 1
		if p := m.Centroid(c); math.Hypot(math.Hypot(p[0]-.5, p[1]-.5), p[2]-.5) < radius {
			m.CellTag[c] = 2
		}
	}
	return m
}

// Coarse inclusions, whose worst cells touch the interface, get no worse shape than they have, in either precision,
// while the mean quality rises. Without Config.KeepShape the shape falls in all the files, by up to .024: cells beside
// an interface are better in a metric whose sizes jump there if they are long. The files are of Gmsh 4.8: a disk in a
// square of side 2, with the radius and the size of cells in the name.
func TestDefaultKeepsTheWorstShape(t *testing.T) {
	dir := t.TempDir()
	check := func(name, path string, slack float64, sets ...string) {
		t.Helper()
		r := smoothedByDefault(t, path, sets...)
		if err := r.Refused(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if r.ShapeAfter.Worst < r.ShapeBefore.Worst-slack || r.After.QualityMean <= r.Before.QualityMean {
			t.Errorf("%s: worst shape %g to %g, mean quality %g to %g", name, r.ShapeBefore.Worst, r.ShapeAfter.Worst,
				r.Before.QualityMean, r.After.QualityMean)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "disk-*.meshb"))
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		check(path, path, 1e-12)
		check(path+", float32", path, 5e-6, "method.precision=float32")
	}
	for _, n := range []int{3, 4, 5} {
		path, name := filepath.Join(dir, "b.msh"), fmt.Sprintf("%d³ cubes", n)
		if err := meshio.WriteSolid(path, ball(t, n, uint64(n), .3)); err != nil {
			t.Fatal(err)
		}
		check(name, path, 1e-12)
	}
}
