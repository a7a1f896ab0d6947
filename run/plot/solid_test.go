package plot

import (
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// solidRun writes two frames of a cube, the second of a quality of 1.
func solidRun(t *testing.T) string {
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

// TestSolids: of tetrahedra the pictures show the quality of those behind the middle, and before beside after.
func TestSolids(t *testing.T) {
	written, err := Run(solidRun(t), Options{Frame: LastFrame, Width: 600})
	if err != nil {
		t.Fatal(err)
	}
	if len(written) != 2 || !strings.HasSuffix(written[0], "cube-quality-0001.png") ||
		!strings.HasSuffix(written[1], "cube-before-after.png") {
		t.Fatal(written)
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
	// Of a quality of 1 everywhere nothing but shades of the last colour is within the view; before there are many.
	best := Sequential.At(1)
	var inks [2]map[color.RGBA]int
	half := img.Bounds().Dx() / 2
	for side := range inks {
		inks[side] = map[color.RGBA]int{}
		for y := img.Bounds().Dy() / 3; y < img.Bounds().Dy()*2/3; y++ {
			for x := half/3 + side*half; x < half*3/5+side*half; x++ {
				r, g, b, _ := img.At(x, y).RGBA()
				inks[side][color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}]++
			}
		}
	}
	for ink, n := range inks[1] {
		grey := int(ink.R)-int(ink.G) < 20 && int(ink.G)-int(ink.R) < 20 && int(ink.G)-int(ink.B) < 20
		share := float64(ink.R) / float64(best.R)
		if off := float64(ink.G)/float64(best.G) - share; !grey && n > 40 && (off > .1 || off < -.1) {
			t.Errorf("%d pixels of the colour %v, which is no shade of %v", n, ink, best)
		}
	}
	if len(inks[0]) < 20 {
		t.Errorf("%d colours before", len(inks[0]))
	}
	if _, err := Run(solidRun(t), Options{Frame: LastFrame, Field: "none"}); err == nil || !strings.Contains(err.Error(),
		"quality") {
		t.Errorf("a field that is not there: %v", err)
	}
	v := &View{Points: make([]float64, 9), Triangles: [][3]int32{{0, 1, 2}}, Box: [2][3]float64{{}, {1, 1, 1}},
		Colours: make([]color.RGBA, 2)}
	if _, err := v.Draw(); err == nil {
		t.Error("colours of triangles that are not there are taken")
	}
}
