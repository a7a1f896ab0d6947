package plot

import (
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// TestRunDrawsSmoothedMeshes checks that for a smoothed mesh the meshes before and after are drawn side by side, and
// curves over sweeps.
func TestRunDrawsSmoothedMeshes(t *testing.T) {
	dir := t.TempDir()
	pvd := vtk.NewCollection(filepath.Join(dir, "wing.pvd"))
	for k, quality := range []float64{0.25, 0.75} {
		g := vtk.Triangles([]float64{0, 1, 0.5 * float64(k)}, []float64{0, 0, 1}, [][3]int32{{0, 1, 2}})
		g.CellData = vtk.Arrays{{Name: "quality", Components: 1, Data: []float64{quality}}}
		name := []string{"a.vtu", "b.vtu"}[k]
		if err := vtk.Write(filepath.Join(dir, name), g); err != nil {
			t.Fatal(err)
		}
		if err := pvd.Append(vtk.Frame{Time: float64(30 * k), File: name}); err != nil {
			t.Fatal(err)
		}
	}
	rows := "step,t,dt,quality_min,quality_mean,objective\n0,0,0,0.1,0.2,5\n30,30,1,0.3,0.4,4\n"
	if err := os.WriteFile(filepath.Join(dir, "conservation.csv"), []byte(rows), 0o666); err != nil {
		t.Fatal(err)
	}
	done, err := Run(dir, Options{Frame: LastFrame, Page: chart.Page{Width: 400}})
	if err != nil {
		t.Fatal(err)
	}
	plots := filepath.Join(dir, "plots")
	want := []string{"wing-quality-0001.png", "wing-before-after.png", "wing-quality-histogram.png", "quality.png"}
	for i := range want {
		want[i] = filepath.Join(plots, want[i])
	}
	if !slices.Equal(done.Files, want) {
		t.Fatalf("files %v", done.Files)
	}
	f, err := os.Open(want[1])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	const width = 400 // width of a picture with a colour bar, which only the second picture has
	secondX := img.Bounds().Dx() - width
	if err != nil || secondX < width/2 || secondX >= width {
		t.Fatalf("error %v, or unexpected size %v", err, img.Bounds())
	}
	// The centre of each triangle has the colour of its quality on a scale from 0 to 1.
	for k, quality := range []float64{0.25, 0.75} {
		m := &chart.Map{Page: chart.Page{Width: width}, X: []float64{0, 1, 0.5 * float64(k)}, Y: []float64{0, 0, 1},
			Cells: [][3]int32{{0, 1, 2}}, Values: []float64{quality},
			Colouring: chart.Colouring{Label: "quality", Range: &[2]float64{0, 1}}}
		pixel, err := m.PixelAt((1+0.5*float64(k))/3, 1./3)
		if err != nil {
			t.Fatal(err)
		}
		r, g, b, _ := img.At(secondX*k+pixel.X, pixel.Y).RGBA()
		c := palette.Sequential.At(quality)
		if uint8(r>>8) != c.R || uint8(g>>8) != c.G || uint8(b>>8) != c.B {
			t.Errorf("panel %d has colour %d %d %d, want %v", k, r>>8, g>>8, b>>8, c)
		}
	}
}
