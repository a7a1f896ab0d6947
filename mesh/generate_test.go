package mesh

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/mesh/lattice"
)

func TestBoxes(t *testing.T) {
	for _, c := range []struct {
		width, height float64
		cells, nx, ny int
	}{
		{10, 10, 4050, 45, 45}, {10, 10, 16200, 90, 90}, {10, 10, 64800, 180, 180}, // the published square meshes
		{1, 1, 2, 1, 1}, {1, 1, 4000, 45, 45}, {2, 1, 100, 10, 5}, {1, 2, 100, 5, 10},
		{100, 1, 200, 100, 1}, {1, 100, 400, 1, 142}, {100, 1, 400, 142, 1},
	} {
		nx, ny, err := lattice.Boxes(0, 0, c.width, c.height, c.cells)
		if err != nil || nx != c.nx || ny != c.ny {
			t.Errorf("%g × %g in %d cells: %d × %d boxes, error %v; want %d × %d", c.width, c.height, c.cells, nx, ny, err,
				c.nx, c.ny)
		}
	}
	for _, c := range []struct {
		x0, y0, x1, y1 float64
		cells          int
		want           string
	}{
		{0, 0, 0, 1, 10, "bounds must be finite"}, {0, 1, 1, 0, 10, "bounds must be finite"},
		{0, 0, math.NaN(), 1, 10, "bounds must be finite"}, {0, 0, math.Inf(1), 1, 10, "bounds must be finite"},
		{0, 0, 1, 1, 1, "give 2 to"}, {0, 0, 1, 1, 1e9, "give 2 to"}, {0, 0, 1e300, 1e-300, 10, "too few for sides"},
	} {
		if _, _, err := lattice.Boxes(c.x0, c.y0, c.x1, c.y1, c.cells); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c, err, c.want)
		}
		if m, err := Rectangle(c.x0, c.y0, c.x1, c.y1, c.cells, 1); err == nil || m != nil {
			t.Errorf("%+v: Rectangle returns a mesh, want an error", c)
		}
	}
}

// For any seed and size, Rectangle has no inverted triangles and covers the rectangle.
func TestRectangleIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.Float64Range(0.1, 10).Draw(t, "width"), rapid.Float64Range(0.1, 10).Draw(t, "height")
		cells := rapid.IntRange(200, 2000).Draw(t, "cells")
		m, err := Rectangle(-3, 2, -3+width, 2+height, cells, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		nx, ny, _ := lattice.Boxes(-3, 2, -3+width, 2+height, cells)
		if len(m.Cells) != 2*nx*ny {
			t.Fatalf("%d cells, want %d, twice the number of boxes", len(m.Cells), 2*nx*ny)
		}
		const least = 1 - 4*lattice.Jitter - 1e-9 // see lattice.Jitter; 1e-9 is more than round-off
		nominal := width * height / float64(len(m.Cells))
		total := 0.0
		for c := range m.Cells {
			area := m.Area(c)
			if area < least*nominal {
				t.Fatalf("cell %d has %g times the mean area, want at least %g", c, area/nominal, least)
			}
			total += area
		}
		if math.Abs(total-width*height) > 1e-9*width*height {
			t.Fatalf("the cells have a total area of %g, want %g", total, width*height)
		}
	})
}

// The bits of a generated mesh do not change: published results depend on them.
func TestRectangleIsReproducible(t *testing.T) {
	m := rectangle(t, 4050, 1)
	sum := sha256.New()
	for _, part := range []any{m.X, m.Y, m.Cells} {
		_ = binary.Write(sum, binary.LittleEndian, part)
	}
	const want = "dba90511b878e230"
	if got := hex.EncodeToString(sum.Sum(nil))[:16]; got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
	if reflect.DeepEqual(m.X, rectangle(t, 4050, 2).X) || reflect.DeepEqual(m.Cells, rectangle(t, 4050, 2).Cells) {
		t.Error("another seed gives the same mesh")
	}
}

// Refine numbers cells such that the bandwidth is three quarters of the number of cells, as in the published table of
// orderings (12150 for 16200 cells, 48600 for 64800).
func TestRefineBandwidth(t *testing.T) {
	m := rectangle(t, 4050, 1)
	for _, want := range []struct{ cells, bandwidth int }{{16200, 12150}, {64800, 48600}} {
		var err error
		if m, err = Refine(m); err != nil {
			t.Fatal(err)
		}
		nb, err := m.Neighbours()
		if err != nil {
			t.Fatal(err)
		}
		bandwidth := 0
		for c := range nb {
			for _, o := range nb[c] {
				if o >= 0 {
					bandwidth = max(bandwidth, c-int(o))
				}
			}
		}
		if len(m.Cells) != want.cells || bandwidth != want.bandwidth {
			t.Errorf("%d cells of bandwidth %d, want %v", len(m.Cells), bandwidth, want)
		}
	}
}

// Refine keeps groups, tagged edges and fields.
func TestRefineKeepsData(t *testing.T) {
	m := square()
	m.CellGroup = []int32{1, -1}
	m.CellData = map[string][]float64{"n": {3, 4}}
	m.VertexData = map[string][]float64{"z": {0, 2, 4, 6}}
	fine, err := Refine(m)
	if err != nil {
		t.Fatal(err)
	}
	want := &Mesh{
		X:      []float64{0, 1, 1, 0, 0.5, 1, 0.5, 0.5, 0},
		Y:      []float64{0, 0, 1, 1, 0, 0.5, 0.5, 1, 0.5},
		Cells:  [][3]int32{{0, 4, 6}, {0, 6, 8}, {4, 1, 5}, {6, 2, 7}, {6, 5, 2}, {8, 7, 3}, {4, 5, 6}, {6, 7, 8}},
		Groups: m.Groups, CellGroup: []int32{1, -1, 1, -1, 1, -1, 1, -1},
		Tagged:     []TaggedEdge{{1, 4, 0}, {4, 0, 0}, {2, 7, 2}, {7, 3, 2}, {0, 6, 0}, {6, 2, 0}},
		CellData:   map[string][]float64{"n": {3, 4, 3, 4, 3, 4, 3, 4}},
		VertexData: map[string][]float64{"z": {0, 2, 4, 6, 1, 3, 2, 5, 3}},
	}
	if !reflect.DeepEqual(fine, want) {
		t.Errorf("got  %+v\nwant %+v", fine, want)
	}
	if err := fine.Check(); err != nil {
		t.Error(err)
	}
}

// Refining a valid mesh gives a valid mesh, whose cells have a quarter of the area.
func TestRefineIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := scattered(rapid.IntRange(2, 300).Draw(t, "cells"), rapid.Uint64().Draw(t, "seed"))
		if _, _, err := m.DropDangling(); err != nil {
			t.Fatal(err)
		}
		fine, err := Refine(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := fine.Check(); err != nil {
			t.Fatal(err)
		}
		for c := range fine.Cells {
			if quarter := m.Area(c%len(m.Cells)) / 4; math.Abs(fine.Area(c)-quarter) > 1e-12 {
				t.Fatalf("cell %d has area %g, want %g", c, fine.Area(c), quarter)
			}
		}
	})
}

func TestRefineRefusals(t *testing.T) {
	m := square()
	m.Tagged[0] = TaggedEdge{1, 3, 0}
	if _, err := Refine(m); err == nil || !strings.Contains(err.Error(),
		"tagged edge 0 (vertices 1, 3) is no edge of a cell") {
		t.Errorf("stray edge: %v", err)
	}
	m = square()
	m.Cells = append(m.Cells, m.Cells[0])
	if _, err := Refine(m); err == nil || !strings.Contains(err.Error(), "three cells") {
		t.Errorf("three cells at an edge: %v", err)
	}
}
