package vtk

import (
	"path/filepath"
	"strings"
	"testing"
)

// A vertical wall on a floor is refused as a surface in space, with its first triangle.
func TestSurfaceInSpace(t *testing.T) {
	g := Triangles([]float64{0, 1, 1, 1}, []float64{0, 0, 1, 1}, [][3]int32{{0, 1, 2}, {1, 3, 2}})
	g.Points[11] = 2 // the height of the last vertex
	path := filepath.Join(t.TempDir(), "wall.vtu")
	if err := Write(path, g); err != nil {
		t.Fatal(err)
	}
	_, err := ReadMesh(path)
	if err == nil || !strings.Contains(err.Error(), "wall.vtu: triangle 1 of vertex 1 at (1, 0, 0), vertex 3 at") ||
		!strings.Contains(err.Error(), "surface in space") {
		t.Error(err)
	}
}
