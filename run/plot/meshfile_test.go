package plot

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// TestMeshes checks the pictures of one mesh, by groups or by quality with a histogram, of two meshes side by side, and
// of a slice of tetrahedra.
func TestMeshes(t *testing.T) {
	dir := t.TempDir()
	m, err := mesh.Rectangle(0, 0, 2, 1, 60, 7)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mesh.Box([3]float64{}, [3]float64{1, 1, 1}, 50, 7)
	if err != nil {
		t.Fatal(err)
	}
	plane, other, solid := filepath.Join(dir, "a.msh"), filepath.Join(dir, "b.msh"), filepath.Join(dir, "c.vtu")
	for _, path := range []string{plane, other} {
		if err := meshio.Write(path, m); err != nil {
			t.Fatal(err)
		}
	}
	if err := meshio.WriteSolid(solid, s); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		files []string
		o     Options
		want  string
	}{
		{[]string{plane}, Options{}, "a-group.png"},
		{[]string{plane}, Options{Quality: true}, "a-quality.png a-quality-histogram.png"},
		{[]string{plane, other}, Options{Quality: true}, "a-quality-beside.png a-quality-histogram.png"},
		{[]string{plane, solid}, Options{Histogram: true}, "a-quality-histogram.png"},
		{[]string{solid}, Options{}, "c-group.png"},
		{[]string{solid}, Options{Fields: []string{"quality"}, Slice: &Plane{0, 0.3}},
			"c-quality.png c-quality-histogram.png"},
	} {
		c.o.Dir, c.o.Page = dir, chart.Page{Width: 400}
		done, err := Meshes(c.files, c.o)
		if err != nil {
			t.Fatalf("%v, %+v: %v", c.files, c.o, err)
		}
		var names []string
		for _, f := range done.Files {
			names = append(names, filepath.Base(f))
		}
		if want := strings.Fields(c.want); !slices.Equal(names, want) {
			t.Errorf("%v, %+v: %q, want %q", c.files, c.o, names, want)
		}
	}
	for want, o := range map[string]Options{`no field "w" of cells to draw; there are quality`: {Fields: []string{"w"}},
		"an animation shows the frames": {Format: "gif"}, "slice x = 0.3: slices need a mesh in space": {Slice: &Plane{0,
			0.3}}} {
		o.Dir = dir
		if _, err := Meshes([]string{plane}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

// TestParse checks that options as users type them are parsed or refused.
func TestParse(t *testing.T) {
	if p, err := ParsePlane("y=-0.25"); err != nil || *p != (Plane{1, -0.25}) {
		t.Errorf("got plane %v, error %v, want y = -0.25", p, err)
	}
	if r, err := ParseRange("-1:2.5"); err != nil || *r != [2]float64{-1, 2.5} {
		t.Errorf("got range %v, error %v, want -1 to 2.5", r, err)
	}
	if p, err := ParseWidth("8.5cm"); err != nil || p.Width != 1004 || p.Inch != 300 {
		t.Errorf("got page %+v, error %v, want 1004 pixels at 300 per inch", p, err)
	}
	if p, err := ParseWidth("900"); err != nil || p != (chart.Page{Width: 900}) {
		t.Errorf("got page %+v, error %v, want 900 pixels", p, err)
	}
	if w, err := ParseWindow("0:5,-1:2"); err != nil || *w != [2][2]float64{{0, 5}, {-1, 2}} {
		t.Errorf("got window %v, error %v, want 0 to 5 and -1 to 2", w, err)
	}
	for _, err := range []error{
		second(ParseWindow("1:2,3:4,5:6")), second(ParseWindow("1,2")), second(ParseWindow("2:1")),
		second(ParsePlane("0.5")), second(ParsePlane("w=1")), second(ParsePlane("x=")), second(ParsePlane("xy=1")),
		second(ParseRange("1")), second(ParseRange("2:1")), second(ParseRange("1:1")), second(ParseRange("0:Inf")),
		second(ParseWidth("0")), second(ParseWidth("1cm")), second(ParseWidth("wide")), second(Colours("jet")),
	} {
		if err == nil {
			t.Error("an invalid option was accepted")
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestEdgeGroups checks that groups of edges are drawn as lines with their names, over plain cells if no cell has a
// group, else beside the groups of cells.
func TestEdgeGroups(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 2, 1, 60, 7)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.msh")
	draw := func() string {
		if err := meshio.Write(path, m); err != nil {
			t.Fatal(err)
		}
		picture := filepath.Join(filepath.Dir(path), "a.svg")
		if _, err := Meshes([]string{path}, Options{Out: picture}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(picture)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	names := func(text string) (list []string) {
		for _, name := range []string{"none", "water", "left", "right", "bottom", "top"} {
			if strings.Contains(text, ">"+name+"<") {
				list = append(list, name)
			}
		}
		return list
	}
	text := draw()
	if got := names(text); !slices.Equal(got, []string{"left", "right", "bottom", "top"}) {
		t.Errorf("names of a mesh without groups of cells: %v", got)
	}
	for i := range 4 {
		c := palette.Qualitative(i)
		if colour := fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B); strings.Count(text, "stroke:"+colour) == 0 {
			t.Errorf("no line of colour %s", colour)
		}
	}
	m.Groups = append(m.Groups, mesh.Group{Dim: 2, Tag: 9, Name: "water"})
	m.CellGroup = make([]int32, len(m.Cells))
	for c := range m.CellGroup {
		m.CellGroup[c] = int32(len(m.Groups) - 1)
	}
	if got := names(draw()); !slices.Equal(got, []string{"water", "left", "right", "bottom", "top"}) {
		t.Errorf("names of a mesh with a group of cells: %v", got)
	}
}
