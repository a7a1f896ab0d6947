package mesh

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func cube(t testing.TB, n int, shift float64) *Solid {
	t.Helper()
	s, err := Cube(n, n, n, shift, 5)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCube: any cube is sound, fills the unit cube, and its boundary consists of the six sides.
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
			t.Fatalf("%d cells of volume %g", len(s.Cells), volume)
		}
		sides := map[int32]int{}
		for _, f := range s.Faces {
			sides[f.Tag]++
		}
		for tag := int32(1); tag <= 6; tag++ {
			if want := 2 * []int{ny * nz, nx * nz, nx * ny}[(tag-1)/2]; sides[tag] != want {
				t.Fatalf("faces by side: %v; side %d has %d", sides, tag, want)
			}
		}
	})
	for _, bad := range []struct {
		n     int
		shift float64
	}{{0, 0}, {301, 0}, {2, 1. / 6}, {2, -.1}, {2, math.NaN()}} {
		if _, err := Cube(bad.n, bad.n, bad.n, bad.shift, 0); err == nil {
			t.Errorf("Cube(%d, %g) is not refused", bad.n, bad.shift)
		}
	}
}

// TestFreedoms: of a cube, vertices inside move freely, those on sides in their plane and on edges along them.
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
		on := 0
		for axis, x := range [3][]float64{s.X, s.Y, s.Z} {
			if x[v] != 0 && x[v] != 1 {
				continue
			}
			on++
			for k := range min(2, f[v].Axes) {
				if f[v].Axes < 3 && f[v].T[k][axis] != 0 {
					t.Fatalf("vertex %d at %v leaves its side along %v", v, s.At(int32(v)), f[v].T[k])
				}
			}
		}
		if f[v].Axes != 3-on {
			t.Fatalf("vertex %d at %v moves along %d axes", v, s.At(int32(v)), f[v].Axes)
		}
		for k := range min(2, f[v].Axes) {
			if f[v].Axes < 3 && math.Abs(dot(f[v].T[k], f[v].T[k])-1) > 1e-15 {
				t.Fatalf("vertex %d: %v is not of length 1", v, f[v].T[k])
			}
		}
	}
	if count != [4]int{8, 12 * (n - 1), 6 * (n - 1) * (n - 1), (n - 1) * (n - 1) * (n - 1)} {
		t.Errorf("vertices by axes: %v", count)
	}
}

// at finds the vertex of a cube without shifts that is nearest to a place.
func (s *Solid) nearest(x, y, z float64) int32 {
	best, far := int32(-1), math.Inf(1)
	for v := range int32(len(s.X)) {
		d := minus(s.At(v), [3]float64{x, y, z})
		if r := dot(d, d); r < far {
			best, far = v, r
		}
	}
	return best
}

// TestFreedomsAtGroups: groups that meet, inside or on the boundary, hold their vertices; so does a curved boundary.
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
	halves := cube(t, 4, 0) // of cells
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
			inner.Faces = append(inner.Faces, TaggedFace{inner.Facing(int32(c), (k+1)%4), 9})
			break
		}
	}
	lined := cube(t, 4, 0) // along an edge of the cube, in two groups, and across a side
	to := lined.nearest
	lined.Marks = &Marks{Points: []int32{to(.25, 0, 0)}, Lines: []MarkedEdge{{to(0, 0, 1), to(.25, 0, 1), 1},
		{to(.25, 0, 1), to(.5, 0, 1), 1}, {to(.5, 0, 1), to(.75, 0, 1), 2}, {to(.5, .5, 1), to(.75, .5, 1), 2}}}
	bump := cube(t, 4, 0)
	bump.Z[bump.nearest(.5, .5, 1)] += .01
	leaning := cube(t, 4, 0) // turned, so that no plane is a coordinate plane
	for v := range leaning.X {
		x, y, z := leaning.X[v], leaning.Y[v], leaning.Z[v]
		leaning.X[v], leaning.Y[v], leaning.Z[v] = .6*x-.8*z, y, .8*x+.6*z
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
		{"on a leaning side", leaning, .5 * .6, .5, .5 * .8, 2},
		{"on a leaning edge", leaning, 0.5 * .6, 0, .5 * .8, 1},
	} {
		if got := axes(c.s, c.x, c.y, c.z); got != c.want {
			t.Errorf("%s: %d axes, want %d", c.name, got, c.want)
		}
	}
}

// TestTouchingCubes: a vertex at which two bodies touch stays.
func TestTouchingCubes(t *testing.T) {
	// Two half-balls of four tetrahedra on either side of the plane z = 0 that share the origin alone.
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
		t.Errorf("the shared vertex moves along %d axes", f[0].Axes)
	}
	one := &Solid{X: s.X[:6], Y: s.Y[:6], Z: s.Z[:6], Cells: s.Cells[:4]}
	if f, err = one.Freedoms(); err != nil || f[0].Axes != 2 {
		t.Errorf("alone, the vertex moves along %v axes, %v", f, err)
	}
}

func TestSolidRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(s *Solid)
		want  []string
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
		c.spoil(s)
		err := s.Check()
		if err == nil {
			t.Errorf("%s: not refused", c.name)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q lacks %q", c.name, err, w)
			}
		}
	}
}

// TestLinks compares with a search through all cells.
func TestLinks(t *testing.T) {
	s := cube(t, 3, 0)
	l, err := s.Links()
	if err != nil {
		t.Fatal(err)
	}
	for v := range int32(len(s.X)) {
		var corners, near []int32
		for c, cell := range s.Cells {
			if k := slices.Index(cell[:], v); k >= 0 {
				corners = append(corners, int32(4*c+k))
				for _, u := range cell {
					if u != v && !slices.Contains(near, u) {
						near = append(near, u)
					}
				}
				f := s.Facing(int32(c), k)
				p := s.At(v)
				six := dot(minus(s.At(f[0]), p), cross(minus(s.At(f[1]), p), minus(s.At(f[2]), p)))
				if math.Abs(six-6*s.Volume(c)) > 1e-15 {
					t.Fatalf("cell %d from vertex %d: %g for %g", c, v, six, 6*s.Volume(c))
				}
			}
		}
		slices.Sort(near)
		if !slices.Equal(l.CornersOf(v), corners) || !slices.Equal(l.Of(v), near) {
			t.Fatalf("vertex %d: corners %v and neighbours %v, want %v and %v", v, l.CornersOf(v), l.Of(v), corners, near)
		}
	}
}
