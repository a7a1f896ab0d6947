package meshio

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// surface is a surface of triangles in space.
type surface struct {
	vertices [][3]float64
	cells    [][3]int32
}

// octahedron is a closed surface around the origin, with triangles counter-clockwise as seen from outside. With a small
// tilt none of them is vertical.
func octahedron(tilt float64) surface {
	s := surface{vertices: [][3]float64{{1, 0, tilt}, {-1, 0, -tilt}, {0, 1, tilt}, {0, -1, -tilt}, {-tilt, -tilt, 1},
		{tilt, tilt, -1}}}
	for k := range int32(8) {
		a, b, c := k&1, 2+k>>1&1, 4+k>>2&1
		if (k&1+k>>1&1+k>>2&1)%2 == 1 {
			b, c = c, b
		}
		s.cells = append(s.cells, [3]int32{a, b, c})
	}
	return s
}

// files writes a surface as a Gmsh and as a Medit file.
func (s surface) files(t *testing.T) (msh, medit string) {
	t.Helper()
	dir := t.TempDir()
	msh, medit = filepath.Join(dir, "s.msh"), filepath.Join(dir, "s.mesh")
	a := fmt.Sprintf("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", len(s.vertices))
	b := fmt.Sprintf("MeshVersionFormatted 2\nDimension 3\nVertices %d\n", len(s.vertices))
	for v, x := range s.vertices {
		a += fmt.Sprintf("%d %g %g %g\n", v+1, x[0], x[1], x[2])
		b += fmt.Sprintf("%g %g %g 0\n", x[0], x[1], x[2])
	}
	a += fmt.Sprintf("$EndNodes\n$Elements\n%d\n", len(s.cells))
	b += fmt.Sprintf("Triangles %d\n", len(s.cells))
	for c, v := range s.cells {
		a += fmt.Sprintf("%d 2 2 0 1 %d %d %d\n", c+1, v[0]+1, v[1]+1, v[2]+1)
		b += fmt.Sprintf("%d %d %d 0\n", v[0]+1, v[1]+1, v[2]+1)
	}
	if err := os.WriteFile(msh, []byte(a+"$EndElements\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(medit, []byte(b+"End\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return msh, medit
}

// A closed surface and a vertical wall are refused, with the first such triangle and its vertices. A surface on which z
// is a function of x and y is read, also with clockwise triangles, which Check refuses.
func TestSurfaceInSpace(t *testing.T) {
	wall := surface{[][3]float64{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 2}}, [][3]int32{{0, 1, 2}, {1, 3, 2}}}
	hill := surface{[][3]float64{{0, 0, 0}, {1, 0, 2}, {1, 1, 0}, {0, 1, 5}}, [][3]int32{{0, 1, 2}, {0, 2, 3}}}
	clockwise := surface{hill.vertices, [][3]int32{{0, 1, 2}, {0, 3, 2}}}
	floors := surface{[][3]float64{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 2}, {2, 1, 2}, {1, 2, 2}},
		[][3]int32{{0, 1, 2}, {3, 4, 5}}}
	beside := surface{[][3]float64{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {4, 4, 2}, {4, 3, 2}, {3, 4, 2}},
		[][3]int32{{0, 1, 2}, {3, 5, 4}}}
	for _, c := range []struct {
		name    string
		surface surface
		want    string
	}{
		{"two floors", floors, "vertex 2 at (0, 4, 0) is above or below triangle 1: the triangles are a surface in space"},
		{"two parts side by side", beside, ""},
		{"closed", octahedron(.1), "overlaps triangle 4, its neighbour across the edge from vertex 0 to 2"},
		{"vertical", wall, "triangle 1 of vertex 1 at (1, 0, 0), vertex 3 at (1, 1, 2) and vertex 2 at (1, 1, 0) is " +
			"vertical: the triangles are a surface in space"},
		{"hill", hill, ""},
		{"clockwise triangle", clockwise, ""},
	} {
		msh, medit := c.surface.files(t)
		for _, path := range []string{msh, medit} {
			m, err := Read(path)
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%s: error %v, want %q", c.name, err, c.want)
			case err == nil && (m.VertexData["z"] == nil || (m.Check() != nil) != (c.name == "clockwise triangle")):
				t.Errorf("%s: fields %v, error of Check %v", c.name, m.VertexData, m.Check())
			}
		}
	}
}
