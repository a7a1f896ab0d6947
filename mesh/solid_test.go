package mesh

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/mesh/vector"
)

func cube(t testing.TB, n int, shift float64) *Solid {
	t.Helper()
	s, err := Cube(n, n, n, shift, 5)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// For any parameters, Cube is valid, fills the unit cube, and each side has the right number of faces.
func TestCube(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(1, 5)
		nx, ny, nz := side.Draw(t, "nx"), side.Draw(t, "ny"), side.Draw(t, "nz")
		s, err := Cube(nx, ny, nz, rapid.Float64Range(0, .166).Draw(t, "shift"), rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		volume := 0.0
		for c := range s.Cells {
			volume += s.Volume(c)
		}
		if len(s.Cells) != 6*nx*ny*nz || math.Abs(volume-1) > 1e-14*float64(len(s.Cells)) {
			t.Fatalf("%d cells of total volume %g, want %d and 1", len(s.Cells), volume, 6*nx*ny*nz)
		}
		sides := map[int32]int{}
		for _, f := range s.Faces {
			sides[f.Tag]++
		}
		for tag := int32(1); tag <= 6; tag++ {
			if want := 2 * []int{ny * nz, nx * nz, nx * ny}[(tag-1)/2]; sides[tag] != want {
				t.Fatalf("side %d has %d faces, want %d", tag, sides[tag], want)
			}
		}
	})
	for _, bad := range []struct {
		n     int
		shift float64
	}{{0, 0}, {301, 0}, {2, 1. / 6}, {2, -.1}, {2, math.NaN()}} {
		if _, err := Cube(bad.n, bad.n, bad.n, bad.shift, 0); err == nil {
			t.Errorf("Cube accepts %d boxes a side and shift %g, want an error", bad.n, bad.shift)
		}
	}
}

// In a cube, interior vertices have three axes of motion, those on sides two in their plane, those on edges one along
// the edge, corners none.
func TestFreedoms(t *testing.T) {
	const n = 4
	s := cube(t, n, .1)
	f, err := s.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	var count [4]int
	for v := range f {
		count[f[v].Axes]++
		sides := 0
		for axis, x := range [3][]float64{s.X, s.Y, s.Z} {
			if x[v] != 0 && x[v] != 1 {
				continue
			}
			sides++
			for k := range min(2, f[v].Axes) {
				if f[v].Axes < 3 && f[v].T[k][axis] != 0 {
					t.Fatalf("vertex %d at %v leaves its side along %v", v, s.At(int32(v)), f[v].T[k])
				}
			}
		}
		if f[v].Axes != 3-sides {
			t.Fatalf("vertex %d at %v has %d axes, want %d", v, s.At(int32(v)), f[v].Axes, 3-sides)
		}
		for k := range min(2, f[v].Axes) {
			if f[v].Axes < 3 && math.Abs(vector.Dot(f[v].T[k], f[v].T[k])-1) > 1e-15 {
				t.Fatalf("vertex %d: direction %v, want length 1", v, f[v].T[k])
			}
		}
	}
	if count != [4]int{8, 12 * (n - 1), 6 * (n - 1) * (n - 1), (n - 1) * (n - 1) * (n - 1)} {
		t.Errorf("numbers of vertices by axes: %v", count)
	}
}

// nearest returns the vertex nearest to a position.
func (s *Solid) nearest(x, y, z float64) int32 {
	best, far := int32(-1), math.Inf(1)
	for v := range int32(len(s.X)) {
		d := vector.Minus(s.At(v), [3]float64{x, y, z})
		if r := vector.Dot(d, d); r < far {
			best, far = v, r
		}
	}
	return best
}

// Boundaries between groups and curved boundaries restrict the motion of their vertices.
func TestFreedomsAtGroups(t *testing.T) {
	axes := func(s *Solid, x, y, z float64) int {
		f, err := s.Freedoms()
		if err != nil {
			t.Fatal(err)
		}
		return f[s.nearest(x, y, z)].Axes
	}
	two := cube(t, 4, 0) // halves x < ½ and x > ½ of the side z = 0 in groups of their own
	for i, f := range two.Faces {
		if f.Tag == 5 && two.X[f.V[0]]+two.X[f.V[1]]+two.X[f.V[2]] > 1.5 {
			two.Faces[i].Tag = 7
		}
	}
	halves := cube(t, 4, 0) // cells with x < ½ and with x > ½ in groups of their own
	halves.CellTag = make([]int32, len(halves.Cells))
	for c, v := range halves.Cells {
		if two.X[v[0]]+two.X[v[1]]+two.X[v[2]]+two.X[v[3]] > 2 {
			halves.CellTag[c] = 1
		}
	}
	inner := cube(t, 4, 0) // with a tagged face inside
	v := inner.nearest(.5, .5, .5)
	for c, cell := range inner.Cells {
		if k := slices.Index(cell[:], v); k >= 0 {
			inner.Faces = append(inner.Faces, TaggedFace{inner.FaceOpposite(int32(c), (k+1)%4), 9})
			break
		}
	}
	lined := cube(t, 4, 0) // along an edge of the cube, in two groups, and across a side
	nearest := lined.nearest
	lined.Marks = &Marks{Points: []MarkedPoint{{V: nearest(.25, 0, 0)}}, Lines: []MarkedEdge{
		{nearest(0, 0, 1), nearest(.25, 0, 1), 1}, {nearest(.25, 0, 1), nearest(.5, 0, 1), 1},
		{nearest(.5, 0, 1), nearest(.75, 0, 1), 2}, {nearest(.5, .5, 1), nearest(.75, .5, 1), 2}}}
	bump := cube(t, 4, 0)
	bump.Z[bump.nearest(.5, .5, 1)] += .01
	rotated := cube(t, 4, 0) // rotated, so that sides are not parallel to coordinate planes
	for v := range rotated.X {
		x, y, z := rotated.X[v], rotated.Y[v], rotated.Z[v]
		rotated.X[v], rotated.Y[v], rotated.Z[v] = .6*x-.8*z, y, .8*x+.6*z
	}
	for _, c := range []struct {
		name    string
		s       *Solid
		x, y, z float64
		want    int
	}{
		{"between groups of faces", two, .5, .5, 0, 1},
		{"within a group of faces", two, .25, .5, 0, 2},
		{"where groups of faces meet a side", two, .5, 0, 0, 0},
		{"between groups of cells", halves, .5, .5, .5, 0},
		{"within a group of cells", halves, .25, .5, .5, 3},
		{"on a face inside", inner, .5, .5, .5, 0},
		{"off a face inside", inner, .25, .25, .75, 3},
		{"in a group of points", lined, .25, 0, 0, 0},
		{"on a line along an edge", lined, .25, 0, 1, 1},
		{"between lines of two groups", lined, .5, 0, 1, 0},
		{"on a line across a side", lined, .5, .5, 1, 0},
		{"beside a line", lined, .5, .25, 1, 2},
		{"on a bump", bump, .5, .5, 1, 0},
		{"beside a bump", bump, .75, .5, 1, 0},
		{"away from a bump", bump, .5, .5, 0, 2},
		{"on a rotated side", rotated, .5 * .6, .5, .5 * .8, 2},
		{"on a rotated edge", rotated, 0.5 * .6, 0, .5 * .8, 1},
	} {
		if got := axes(c.s, c.x, c.y, c.z); got != c.want {
			t.Errorf("%s: %d axes, want %d", c.name, got, c.want)
		}
	}
}

// A vertex at which two bodies touch cannot move.
func TestFreedomsOfTouchingBodies(t *testing.T) {
	// Two pyramids of four tetrahedra, on either side of the plane z = 0, that share only the origin.
	s := &Solid{X: []float64{0}, Y: []float64{0}, Z: []float64{0}}
	for _, side := range []float64{1, -1} {
		first := int32(len(s.X))
		for _, p := range [][3]float64{{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, side}} {
			s.X, s.Y, s.Z = append(s.X, p[0]), append(s.Y, p[1]), append(s.Z, p[2])
		}
		for k := range int32(4) {
			a, b := first+k, first+(k+1)%4
			if side < 0 {
				a, b = b, a
			}
			s.Cells = append(s.Cells, [4]int32{0, a, b, first + 4})
		}
	}
	f, err := s.Freedoms()
	if err != nil {
		t.Fatal(err)
	}
	if f[0].Axes != 0 {
		t.Errorf("the shared vertex has %d axes, want 0", f[0].Axes)
	}
	one := &Solid{X: s.X[:6], Y: s.Y[:6], Z: s.Z[:6], Cells: s.Cells[:4]}
	if f, err = one.Freedoms(); err != nil || f[0].Axes != 2 {
		t.Errorf("in one body, the vertex has the freedom %+v, error %v; want 2 axes", f[0], err)
	}
}

func TestSolidRefusals(t *testing.T) {
	for _, c := range []struct {
		name    string
		corrupt func(s *Solid)
		want    []string
	}{
		{"no cells", func(s *Solid) { s.Cells = nil }, []string{"no tetrahedra"}},
		{"lengths", func(s *Solid) { s.Y = s.Y[1:] }, []string{"27 x, 26 y"}},
		{"tags", func(s *Solid) { s.CellTag = make([]int32, 3) }, []string{"tags of 3"}},
		{"id", func(s *Solid) { s.Cells[7][2] = 27 }, []string{"tetrahedron 7", "out of range", "0 to 26"}},
		{"negative id", func(s *Solid) { s.Cells[7][2] = -1 }, []string{"tetrahedron 7"}},
		{"face", func(s *Solid) { s.Faces[3].V[1] = 99 }, []string{"tagged face 3"}},
		{"NaN", func(s *Solid) { s.Z[4] = math.NaN() }, []string{"vertex 4 at [", "NaN"}},
		{"inverted", func(s *Solid) { c := &s.Cells[9]; c[0], c[1] = c[1], c[0] },
			[]string{"tetrahedron 9 ", "inverted"}},
		{"flat", func(s *Solid) { s.X[13], s.Y[13], s.Z[13] = 0, 0, 0 }, []string{"flat"}},
		{"repeated vertex", func(s *Solid) { s.Cells[9][0] = s.Cells[9][1] }, []string{"tetrahedron 9 ", "repeats a vertex"}},
		{"double cell", func(s *Solid) { s.Cells = append(s.Cells, s.Cells[0]) },
			[]string{"faces of more than two tetrahedra", "of tetrahedra 0"}},
		{"dangling", func(s *Solid) { s.X, s.Y, s.Z = append(s.X, 5), append(s.Y, 6), append(s.Z, 7) },
			[]string{"vertex 27 at [5 6 7]", "no tetrahedron"}},
		{"stray face", func(s *Solid) { s.Faces = append(s.Faces, TaggedFace{[3]int32{0, 2, 26}, 1}) },
			[]string{"tagged face 48", "no tetrahedron has"}},
	} {
		s := cube(t, 2, 0)
		c.corrupt(s)
		err := s.Check()
		if err == nil {
			t.Errorf("%s: Check returns nil, want an error", c.name)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %q, want it to contain %q", c.name, err, w)
			}
		}
	}
}

// VertexAdjacency agrees with a search through all cells.
func TestVertexAdjacency(t *testing.T) {
	s := cube(t, 3, 0)
	l, err := s.VertexAdjacency()
	if err != nil {
		t.Fatal(err)
	}
	for v := range int32(len(s.X)) {
		var corners, neighbours []int32
		for c, cell := range s.Cells {
			if k := slices.Index(cell[:], v); k >= 0 {
				corners = append(corners, int32(4*c+k))
				for _, u := range cell {
					if u != v && !slices.Contains(neighbours, u) {
						neighbours = append(neighbours, u)
					}
				}
				f := s.FaceOpposite(int32(c), k)
				p := s.At(v)
				a, b, d := vector.Minus(s.At(f[0]), p), vector.Minus(s.At(f[1]), p), vector.Minus(s.At(f[2]), p)
				sixVolumes := vector.Dot(a, vector.Cross(b, d))
				if math.Abs(sixVolumes-6*s.Volume(c)) > 1e-15 {
					t.Fatalf("cell %d seen from vertex %d has volume %g, want %g", c, v, sixVolumes/6, s.Volume(c))
				}
			}
		}
		slices.Sort(neighbours)
		if !slices.Equal(l.CornersOf(v), corners) || !slices.Equal(l.Of(v), neighbours) {
			t.Fatalf("vertex %d: corners %v and neighbours %v, want %v and %v", v, l.CornersOf(v), l.Of(v), corners, neighbours)
		}
	}
}
