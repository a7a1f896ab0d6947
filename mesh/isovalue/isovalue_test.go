package isovalue

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// plane cuts an irregular mesh of the square from -1 to 1, and returns the area below the level.
func plane(t *testing.T, cells int, seed uint64, level Level) (m *mesh.Mesh, below float64) {
	t.Helper()
	m, err := mesh.Rectangle(-1, -1, 1, 1, cells, seed)
	if err != nil {
		t.Fatal(err)
	}
	m, cut, err := Triangles(m, level)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	whole := 0.0
	for c, g := range m.CellGroup {
		if whole += m.Area(c); m.Groups[g].Name == "below" {
			below += m.Area(c)
		}
		if cut.Whole[g] != -1 {
			t.Fatalf("cell %d of group %d was in group %d", c, g, cut.Whole[g])
		}
	}
	if math.Abs(whole-4) > 1e-12 {
		t.Fatalf("the area becomes %g", whole)
	}
	return m, below
}

// space is plane in a cube.
func space(t *testing.T, cells int, seed uint64, level Level) (s *mesh.Solid, below float64) {
	t.Helper()
	s, err := mesh.Box([3]float64{-1, -1, -1}, [3]float64{1, 1, 1}, cells, seed)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err = Tetrahedra(s, level)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	whole := 0.0
	for c, tag := range s.CellTag {
		if whole += s.Volume(c); tag == belowTag {
			below += s.Volume(c)
		}
	}
	if math.Abs(whole-8) > 1e-12 {
		t.Fatalf("the volume becomes %g", whole)
	}
	return s, below
}

// TestOrder proves that the area in a circle and the volume in a sphere are exact to second order.
func TestOrder(t *testing.T) {
	round := func(x, y, z float64) (float64, error) { return x*x + y*y + z*z - .36, nil }
	// order returns that of the error e with the number of cells n.
	order := func(dim int, e, n [2]float64) float64 {
		return float64(dim) * math.Log(e[0]/e[1]) / math.Log(n[1]/n[0])
	}
	var flat, solid, triangles, tetrahedra [2]float64
	for fine := range 2 {
		m, area := plane(t, 800<<(4*fine), 5, round)
		flat[fine], triangles[fine] = math.Abs(area-.36*math.Pi), float64(len(m.Cells))
		length := 0.0
		for _, e := range m.Tagged {
			if m.Groups[e.Group].Name == "level" {
				length += math.Hypot(m.X[e.A]-m.X[e.B], m.Y[e.A]-m.Y[e.B])
				if r := math.Hypot(m.X[e.A], m.Y[e.A]); math.Abs(r-.6) > 1e-12 {
					t.Errorf("a vertex of the circle is %g from its centre", r)
				}
			}
		}
		if want := 1.2 * math.Pi; math.Abs(length-want) > .01*want {
			t.Errorf("the circle is %g long, not %g", length, want)
		}
		s, volume := space(t, 3000<<(3*fine), 5, round)
		solid[fine], tetrahedra[fine] = math.Abs(volume-4./3*math.Pi*.216), float64(len(s.Cells))
	}
	if p, q := order(2, flat, triangles), order(3, solid, tetrahedra); p < 1.8 || q < 1.7 {
		t.Errorf("errors of the area %.3g, order %.3g, of the volume %.3g, order %.3g", flat, p, solid, q)
	}
}

// TestAnyLevel proves, with functions that oscillate from cell to cell, are 0 at vertices or jump, that cells of all
// patterns of sides are divided into valid meshes, and that the two sides are the whole.
func TestAnyLevel(t *testing.T) {
	for seed := range uint64(6) {
		f := float64(9 + 7*seed)
		for _, level := range []Level{
			func(x, y, z float64) (float64, error) { return math.Sin(f*x) + math.Cos(f*(y-z)) - .3, nil },
			func(x, y, z float64) (float64, error) { return math.Round(2*math.Sin(f*x+y)) + math.Round(z), nil },
			func(x, y, z float64) (float64, error) { return max(x, y, z) - 1 + 1e-9, nil },
			func(x, y, z float64) (float64, error) { return math.Copysign(1, x+.3*y-.01*float64(seed)), nil },
		} {
			plane(t, 150, seed, level)
			space(t, 150, seed, level)
		}
	}
}

// TestMaterials proves that groups, sides and marks pass to the parts of what is cut, and that materials stay apart.
func TestMaterials(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	left, right := int32(len(m.Groups)), int32(len(m.Groups)+1)
	m.Groups = append(m.Groups, mesh.Group{Dim: 2, Tag: 5, Name: "left"}, mesh.Group{Dim: 2, Tag: 6, Name: "right"})
	for c := range m.Cells {
		g := left
		if x, _ := m.Centroid(c); x > .5 {
			g = right
		}
		m.CellGroup = append(m.CellGroup, g)
	}
	m.Marks = &mesh.Marks{Edges: []mesh.MarkedEdge{{A: m.Tagged[0].A, B: m.Tagged[0].B}}}
	before := map[string]float64{}
	for c, g := range m.CellGroup {
		before[m.Groups[g].Name] += m.Area(c)
	}
	out, cut, err := Triangles(m, func(_, y, _ float64) (float64, error) { return y - .43, nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Check(); err != nil {
		t.Fatal(err)
	}
	after, sides := map[string]float64{}, map[string]float64{}
	for c, g := range out.CellGroup {
		after[out.Groups[g].Name] += out.Area(c)
	}
	for g, from := range cut.Whole {
		if out.Groups[g].Name != out.Groups[from].Name+" below" {
			t.Errorf("%q is below %q", out.Groups[g].Name, out.Groups[from].Name)
		}
	}
	for _, e := range out.Tagged {
		sides[out.Groups[e.Group].Name] += math.Hypot(out.X[e.A]-out.X[e.B], out.Y[e.A]-out.Y[e.B])
	}
	for _, name := range []string{"left", "right"} {
		if math.Abs(after[name]+after[name+" below"]-before[name]) > 1e-12 || after[name+" below"] < .35*before[name] {
			t.Errorf("areas %v become %v", before, after)
		}
	}
	for _, name := range []string{"left", "right", "top", "bottom", "level"} {
		if math.Abs(sides[name]-1) > 1e-12 {
			t.Errorf("lengths %v", sides)
		}
	}
	if len(out.Marks.Edges) == 0 {
		t.Error("the required edge is gone")
	}
	m.Marks.Cracked = []int32{0}
	for _, c := range []struct {
		level Level
		want  string
	}{
		{func(_, y, _ float64) (float64, error) { return y - .43, nil }, "cracks"},
		{func(_, y, _ float64) (float64, error) { return y + 1, nil }, "does not cross"},
		{func(_, y, _ float64) (float64, error) { return math.NaN(), nil }, "no value"},
	} {
		if _, _, err := Triangles(m, c.level); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
		m.Marks.Cracked = nil
	}
}
