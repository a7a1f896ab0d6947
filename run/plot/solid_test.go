package plot

import (
	"fmt"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// writeSolidRun writes two frames of a cube; in the second the quality is 1.
func writeSolidRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := mesh.Cube(4, 4, 4, .1, 1)
	if err != nil {
		t.Fatal(err)
	}
	pvd := vtk.NewCollection(filepath.Join(dir, "cube.pvd"))
	for k := range 2 {
		quality := make([]float64, len(s.Cells))
		for c := range quality {
			quality[c] = max(float64(k), float64(c%10)/10)
		}
		s.CellData = map[string][]float64{"quality": quality, "cell": quality}
		name := fmt.Sprintf("f%d.vtu", k)
		if err := vtk.WriteSolid(filepath.Join(dir, name), s); err != nil {
			t.Fatal(err)
		}
		if err := pvd.Append(vtk.Frame{Time: float64(10 * k), File: name}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSolids checks that pictures of tetrahedra show the quality in the rear half, and before and after side by side.
func TestSolids(t *testing.T) {
	done, err := Run(writeSolidRun(t), Options{Frame: LastFrame, Page: chart.Page{Width: 600}})
	if err != nil {
		t.Fatal(err)
	}
	written := done.Files
	if len(written) != 3 || !strings.HasSuffix(written[0], "cube-quality-0001.png") ||
		!strings.HasSuffix(written[1], "cube-before-after.png") {
		t.Fatalf("got files %q, want a field and before and after", written)
	}
	f, err := os.Open(written[1])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	// With quality 1 everywhere, the view has only shades of the last colour; before smoothing there are many colours.
	best := palette.Sequential.At(1)
	var colours [2]map[color.RGBA]int
	half := img.Bounds().Dx() / 2
	for side := range colours {
		colours[side] = map[color.RGBA]int{}
		for y := img.Bounds().Dy() / 3; y < img.Bounds().Dy()*2/3; y++ {
			for x := half/3 + side*half; x < half*3/5+side*half; x++ {
				r, g, b, _ := img.At(x, y).RGBA()
				colours[side][color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}]++
			}
		}
	}
	for ink, n := range colours[1] {
		grey := int(ink.R)-int(ink.G) < 20 && int(ink.G)-int(ink.R) < 20 && int(ink.G)-int(ink.B) < 20
		share := float64(ink.R) / float64(best.R)
		if deviation := float64(ink.G)/float64(best.G) - share; !grey && n > 40 && (deviation > .1 || deviation < -.1) {
			t.Errorf("%d pixels of colour %v, want only shades of %v", n, ink, best)
		}
	}
	if len(colours[0]) < 20 {
		t.Errorf("%d colours before smoothing, want 20 or more", len(colours[0]))
	}
	_, err = Run(writeSolidRun(t), Options{Frame: LastFrame, Fields: []string{"none"}})
	if err == nil || !strings.Contains(err.Error(), "quality") {
		t.Errorf("unknown field: %v", err)
	}
	v := &chart.View{Points: make([]float64, 9), Triangles: [][3]int32{{0, 1, 2}}, Box: [2][3]float64{{}, {1, 1, 1}},
		Values: make([]float64, 2)}
	if _, err := v.Draw(); err == nil {
		t.Error("more values than triangles: no error")
	}
}

// TestSolidSlice checks that a slice of a cube has the area of its side, that each triangle has the value of its
// tetrahedron, and that points on edges are shared.
func TestSolidSlice(t *testing.T) {
	s, err := mesh.Cube(4, 4, 4, .1, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, len(s.Cells))
	for c := range x {
		x[c] = s.Centroid(c)[0]
	}
	s.CellData = map[string][]float64{"phi": x}
	r := &runner{options: Options{Slice: &Plane{0, 0.4}}}
	d, err := r.solidData(s)
	if err != nil {
		t.Fatal(err)
	}
	area, positions := 0.0, map[[2]float64]bool{}
	for i, c := range d.cells {
		twice := (d.x[c[1]]-d.x[c[0]])*(d.y[c[2]]-d.y[c[0]]) - (d.y[c[1]]-d.y[c[0]])*(d.x[c[2]]-d.x[c[0]])
		area += math.Abs(twice) / 2
		if v := d.fields[0].values[i]; math.Abs(v-0.4) > 0.5 {
			t.Errorf("triangle %d has the value of a tetrahedron at x = %g, want about 0.4", i, v)
		}
	}
	for i := range d.x {
		positions[[2]float64{d.x[i], d.y[i]}] = true
	}
	side := slices.Max(s.Y) - slices.Min(s.Y)
	if math.Abs(area-side*side) > 1e-12 || len(positions) != len(d.x) {
		t.Errorf("area %g, want %g; %d points at %d positions", area, side*side, len(d.x), len(positions))
	}
	r.options.Slice.At = 7
	if _, err := r.solidData(s); err == nil || !strings.Contains(err.Error(), "x = 7 intersects no tetrahedron") {
		t.Errorf("slice outside the cube: %v", err)
	}
}
