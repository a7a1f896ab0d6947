package inspect

import (
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// halves is the rectangle 3 by 4 cut along a diagonal: two right triangles with edges of 3, 4 and 5.
func halves() *mesh.Mesh {
	return &mesh.Mesh{X: []float64{0, 3, 3, 0}, Y: []float64{0, 0, 4, 4}, Cells: [][3]int32{{0, 1, 2}, {0, 2, 3}},
		Groups: []mesh.Group{{Dim: 1, Tag: 7, Name: "inlet"}, {Dim: 2, Tag: 3, Name: "sand"}, {Dim: 2, Tag: 4, Name: "clay"},
			{Dim: 2, Tag: 99, Name: "both"}},
		Tagged: []mesh.TaggedEdge{{A: 1, B: 2, Group: 0}}, CellGroup: []int32{1, 3},
		Origin: mesh.Origin{Combined: map[int][]int{99: {3, 4}}}}
}

// TestOnEarth: a square degree at the equator and at 60° N has the lengths and areas of the sphere, and angles of 90°
// are such.
func TestOnEarth(t *testing.T) {
	for _, latitude := range []float64{0, 60} {
		m := &mesh.Mesh{X: []float64{10, 11, 11, 10}, Y: []float64{latitude, latitude, latitude + 1, latitude + 1},
			Cells: [][3]int32{{0, 1, 2}, {0, 2, 3}}}
		if err := SetGeographic(m); err != nil || !m.Geographic {
			t.Fatal(err)
		}
		nb, err := m.Neighbours()
		if err != nil {
			t.Fatal(err)
		}
		r := Triangles(m, nb)
		const radius, degree = 6371007.2, math.Pi / 180
		area := radius * radius * degree * (math.Sin((latitude+1)*degree) - math.Sin(latitude*degree))
		south, north := radius*degree*math.Cos(latitude*degree), radius*degree*math.Cos((latitude+1)*degree)
		if !near(r.Size, area) || !near(r.ShortestEdge.Value, north) || !near(r.Boundary, south+north+2*radius*degree) {
			t.Errorf("at %g: area %g, want %g; edge %g, want %g; boundary %g", latitude, r.Size, area, r.ShortestEdge.Value,
				north, r.Boundary)
		}
		if math.Abs(r.LargestAngle.Value-90) > 1e-9 || !strings.Contains(r.Text(), "s in 4000 m") {
			t.Errorf("at %g: largest angle %g\n%s", latitude, r.LargestAngle.Value, r.Text())
		}
	}
	m := &mesh.Mesh{X: []float64{140, 145}, Y: []float64{35, 40}}
	if !MaybeGeographic(m) {
		t.Error("degrees near Japan are not recognized")
	}
	m.Y[0] = 5e6
	if err := SetGeographic(m); err == nil || !strings.Contains(err.Error(), "5e+06") || MaybeGeographic(m) {
		t.Error(err)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }

func TestTriangles(t *testing.T) {
	m := halves()
	nb, err := m.Neighbours()
	if err != nil {
		t.Fatal(err)
	}
	r := Triangles(m, nb)
	small := math.Asin(.6) * 180 / math.Pi
	for name, v := range map[string][2]float64{
		"area": {r.Size, 12}, "boundary": {r.Boundary, 14}, "in no group": {r.Ungrouped, 10},
		"shortest edge": {r.ShortestEdge.Value, 3}, "longest edge": {r.LongestEdge.Value, 5}, "mean edge": {r.MeanEdge, 4},
		"smallest angle": {r.SmallestAngle.Value, small}, "largest angle": {r.LargestAngle.Value, 90},
		"inradius": {r.SmallestInradius.Value, 1}, "shape": {r.WorstShape.Value, 4 * math.Sqrt(3) * 6 / 50},
	} {
		if !near(v[0], v[1]) {
			t.Errorf("%s %g, want %g", name, v[0], v[1])
		}
	}
	want := []Group{{"inlet", 1, 7, 1, 4}, {"sand", 2, 3, 2, 12}, {"clay", 2, 4, 1, 6}}
	if len(r.Groups) != len(want) || r.Facets != 1 {
		t.Fatalf("%d edges between cells, groups %+v, want %+v", r.Facets, r.Groups, want)
	}
	for k, g := range r.Groups {
		if g != want[k] {
			t.Errorf("group %+v, want %+v", g, want[k])
		}
	}
	for _, line := range []string{"2 cells, 4 vertices, 1 edge between cells", "area 12, from (0, 0) to (3, 4)",
		`group "inlet" (dimension 1, tag 7): 1 element, length 4`, "boundary of length 14, of it 10 in no group",
		"0.287 s in water 1 m deep"} {
		if !strings.Contains(r.Text(), line) {
			t.Errorf("no %q in\n%s", line, r.Text())
		}
	}
}

func TestSolid(t *testing.T) {
	s := &mesh.Solid{X: []float64{0, 1, 0, 0}, Y: []float64{0, 0, 1, 0}, Z: []float64{0, 0, 0, 1},
		Cells: [][4]int32{{0, 1, 2, 3}}, CellTag: []int32{2}, Faces: []mesh.TaggedFace{{V: [3]int32{1, 2, 3}, Tag: 5}}}
	r := Solid(s)
	for name, v := range map[string][2]float64{
		"volume": {r.Size, 1. / 6}, "longest edge": {r.LongestEdge.Value, math.Sqrt2},
		"largest angle":  {r.LargestAngle.Value, 90},
		"smallest angle": {r.SmallestAngle.Value, math.Acos(1/math.Sqrt(3)) * 180 / math.Pi},
		"inradius":       {r.SmallestInradius.Value, 1 / (3 + math.Sqrt(3))},
	} {
		if !near(v[0], v[1]) {
			t.Errorf("%s %g, want %g", name, v[0], v[1])
		}
	}
	if len(r.Groups) != 2 || !near(r.Groups[0].Size, math.Sqrt(3)/2) || !near(r.Groups[1].Size, 1./6) {
		t.Errorf("groups %+v", r.Groups)
	}
}

// TestEmptyMesh: a mesh without cells has a report.
func TestEmptyMesh(t *testing.T) {
	if text := Triangles(&mesh.Mesh{}, nil).Text(); !strings.HasPrefix(text, "0 cells, 0 vertices") {
		t.Error(text)
	}
}

// TestPositions: positions have the digits that tell vertices apart, also far from the origin.
func TestPositions(t *testing.T) {
	for _, c := range []struct {
		at   []float64
		edge float64
		want string
	}{
		{[]float64{0, .5}, 1, "(0, 0.5)"},
		{[]float64{1. / 3, 2}, .1, "(0.333333333, 2)"},
		{[]float64{500000.0057234, 4649776.0063412}, 5e-4, "(500000.00572, 4649776.00634)"},
		{[]float64{-7e6 - 1./3, 1}, .01, "(-7000000.333, 1)"},
		{[]float64{1e-7, 1. / 3}, 1e-12, "(1e-07, 0.3333333333333)"},
	} {
		r := &Report{ShortestEdge: Extreme{Value: c.edge}}
		if text := r.position(c.at); text != c.want {
			t.Errorf("edges of %g: %s, want %s", c.edge, text, c.want)
		}
	}
}
