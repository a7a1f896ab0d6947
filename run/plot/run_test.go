package plot

import (
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// similar reports whether colours differ by at most tolerance in each channel.
func similar(a, b color.Color, tolerance int) bool {
	p, q := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
		if d < -tolerance || d > tolerance {
			return false
		}
	}
	return true
}

// square returns a mesh of 2 n² triangles on [x0, x0+1] × [0, 1].
func square(x0 float64, n int) (x, y []float64, cells [][3]int32) {
	for j := range n + 1 {
		for i := range n + 1 {
			x = append(x, x0+float64(i)/float64(n))
			y = append(y, float64(j)/float64(n))
		}
	}
	for j := range n {
		for i := range n {
			a := int32(j*(n+1) + i)
			b := a + int32(n) + 1
			cells = append(cells, [3]int32{a, a + 1, b + 1}, [3]int32{a, b + 1, b})
		}
	}
	return x, y, cells
}

// writeRun writes the output folder of a run of two ranks on [0, 2] × [0, 1]: three frames in which h1 is the frame's
// number plus x, but dry in the left tenth, and u1 has both signs.
func writeRun(t testing.TB, dir string) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.MkdirAll(filepath.Join(dir, "frames"), 0o777))
	check(os.MkdirAll(filepath.Join(dir, "gauges"), 0o777))
	pvd := vtk.NewCollection(filepath.Join(dir, "dam.pvd"))
	for frame := range 3 {
		var pieces []string
		var last *vtk.Grid
		for rank := range 2 {
			x, y, cells := square(float64(rank), 40)
			last = vtk.Triangles(x, y, cells)
			n := len(cells)
			h, u, v := make([]float64, n), make([]float64, n), make([]float32, 3*n)
			ranks, ids := make([]int32, n), make([]int64, n)
			for i, c := range cells {
				centre := (x[c[0]] + x[c[1]] + x[c[2]]) / 3
				if centre > 0.2 {
					h[i] = float64(frame) + centre
				}
				u[i] = math.Sin(3 * centre)
				v[3*i], v[3*i+1] = 3, 4
				ranks[i], ids[i] = int32(rank), int64(rank*n+i)
			}
			last.CellData = vtk.Arrays{
				{Name: "h1", Data: h}, {Name: "u1", Data: u}, {Name: "velocity", Components: 3, Data: v},
				{Name: "rank", Data: ranks}, {Name: "cell", Data: ids},
			}
			name := fmt.Sprintf("dam-%d-%d.vtu", frame, rank)
			check(vtk.Write(filepath.Join(dir, "frames", name), last))
			pieces = append(pieces, name)
		}
		index := filepath.Join("frames", fmt.Sprintf("dam-%d.pvtu", frame))
		check(vtk.WritePVTU(filepath.Join(dir, index), pieces, last))
		check(pvd.Append(vtk.Frame{Time: 0.1 * float64(frame), File: index}))
	}
	var gauge, conservation strings.Builder
	gauge.WriteString("t,h1,h2,u1\n")
	conservation.WriteString("step,t,dt,mass1,mass2\n")
	for i := range 200 {
		time := 0.01 * float64(i)
		fmt.Fprintf(&gauge, "%g,%g,%g,%g\n", time, 2+math.Sin(5*time), 4-math.Sin(5*time), math.Cos(9*time))
		fmt.Fprintf(&conservation, "%d,%g,0.01,%.17g,%.17g\n", i, time, 600+1e-13*float64(i%7), 557-2e-13*float64(i%5))
	}
	check(os.WriteFile(filepath.Join(dir, "gauges", "harbour.csv"), []byte(gauge.String()), 0o666))
	check(os.WriteFile(filepath.Join(dir, "gauge_2.csv"), []byte("t,h1\n0,1\n1,NaN\n2,3\n3,2.5\n"), 0o666))
	check(os.WriteFile(filepath.Join(dir, "conservation.csv"), []byte(conservation.String()), 0o666))
}

func names(dir string, paths []string) []string {
	var list []string
	for _, p := range paths {
		list = append(list, strings.TrimPrefix(p, filepath.Join(dir, "plots")+string(filepath.Separator)))
	}
	slices.Sort(list)
	return list
}

func load(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestRunDrawsWhatARunHolds(t *testing.T) {
	dir := t.TempDir()
	writeRun(t, dir)
	for _, c := range []struct {
		options Options
		want    []string
	}{
		{Options{Frame: LastFrame}, []string{"dam-h1-0002.png", "dam-u1-0002.png", "dam-velocity-0002.png",
			"dam-partition.png", "conservation.png", "gauge-2.png", "gauge-harbour.png"}},
		{Options{Frame: 0, Fields: []string{"h1"}}, []string{"dam-h1-0000.png"}},
		{Options{Frame: 1, Fields: []string{"rank"}}, []string{"dam-partition.png"}},
		{Options{Frame: AllFrames, Fields: []string{"u1"}},
			[]string{"dam-u1-0000.png", "dam-u1-0001.png", "dam-u1-0002.png"}},
		{Options{Gauges: []string{"harbour"}, Columns: []string{"h1", "u1"}}, []string{"gauge-harbour.png"}},
		{Options{Columns: []string{"mass2"}}, []string{"mass2.png"}},
		{Options{Frame: 0, Fields: []string{"h1"}, Histogram: true}, []string{"dam-h1-histogram-0000.png"}},
	} {
		c.options.Page.Width = 400
		done, err := Run(dir, c.options)
		if err != nil {
			t.Fatal(err)
		}
		paths, want := done.Files, slices.Sorted(slices.Values(c.want))
		if got := names(dir, paths); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v draws %q, want %q", c.options, got, want)
		}
		for _, p := range paths {
			if w := load(t, p).Bounds().Dx(); w < 390 || w > 410 {
				t.Errorf("%s is %d pixels wide, want about 400", p, w)
			}
		}
	}
}

// TestFramesShareAColourBar checks that h1 = 1.5 has the same colour in the pictures of frames 0 and 1.
func TestFramesShareAColourBar(t *testing.T) {
	dir := t.TempDir()
	writeRun(t, dir)
	if _, err := Run(dir, Options{Frame: AllFrames, Fields: []string{"h1"}}); err != nil {
		t.Fatal(err)
	}
	x, y, cells := square(0, 40)
	x2, y2, cells2 := square(1, 40)
	for _, c := range cells2 {
		n := int32(len(x))
		cells = append(cells, [3]int32{c[0] + n, c[1] + n, c[2] + n})
	}
	m := &chart.Map{X: append(x, x2...), Y: append(y, y2...), Cells: cells, Values: make([]float64, len(cells)),
		Colouring: chart.Colouring{Label: "h1 (m)", Range: &[2]float64{0.2, 4}}}
	pixelAt := func(x float64) image.Point {
		p, err := m.PixelAt(x, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	zero, one := load(t, filepath.Join(dir, "plots", "dam-h1-0000.png")),
		load(t, filepath.Join(dir, "plots", "dam-h1-0001.png"))
	p, q := pixelAt(1.5), pixelAt(0.5)
	if !similar(zero.At(p.X, p.Y), one.At(q.X, q.Y), 4) {
		t.Errorf("h1 = 1.5 is %v in frame 0 and %v in frame 1", zero.At(p.X, p.Y), one.At(q.X, q.Y))
	}
	sand := color.RGBA{183, 168, 140, 255}
	if d := pixelAt(0.1); !similar(zero.At(d.X, d.Y), sand, 0) {
		t.Errorf("a dry cell has colour %v, want %v", zero.At(d.X, d.Y), sand)
	}
}

func TestRunRefuses(t *testing.T) {
	empty := t.TempDir()
	run := t.TempDir()
	writeRun(t, run)
	broken := t.TempDir()
	writeRun(t, broken)
	if err := os.Remove(filepath.Join(broken, "frames", "dam-2-1.vtu")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir     string
		options Options
		want    string
	}{
		{empty, Options{}, "nothing to draw"},
		{filepath.Join(empty, "none"), Options{}, "no such file"},
		{filepath.Join(run, "dam.pvd"), Options{}, "not a folder"},
		{run, Options{Frame: 3}, "there is no frame 3; the frames are 0 to 2"},
		{run, Options{Fields: []string{"h3"}}, `no field "h3" to draw; there are h1, u1, velocity, rank`},
		{run, Options{Gauges: []string{"pier"}}, `no gauge "pier" to draw; there are harbour, 2`},
		{run, Options{Columns: []string{"mass3"}}, `no column "mass3" to draw; there are step, t, dt, mass1, mass2`},
		{run, Options{Fields: []string{"h1"}, Arrows: []string{"w"}}, `no field "w" for arrows; there are h1, u1`},
		{run, Options{Fields: []string{"h1"}, Arrows: []string{"h1"}}, "no component along y"},
		{run, Options{Slice: &Plane{0, 0.5}}, "slice x = 0.5: slices need a mesh in space"},
		{run, Options{Out: "a.png"}, "is for a single picture, but there are 7"},
		{run, Options{Out: "a.jpg"}, "must end with .png, .pdf or .svg"},
		{run, Options{Out: "a.gif", Format: "png"}, "does not fit format png"},
		{run, Options{Format: "bmp"}, `unknown format "bmp": choose png, pdf, svg`},
		{run, Options{Colouring: chart.Colouring{Range: &[2]float64{1, 1}}}, "the range from 1 to 1 is empty"},
		{broken, Options{Frame: LastFrame}, "dam-2-1.vtu"},
		{run, Options{Page: chart.Page{Width: 10}}, "a width of 10 pixels, want"},
	} {
		if c.options.Page.Width == 0 {
			c.options.Page.Width = 400
		}
		if _, err := Run(c.dir, c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v; want %q", c.options, err, c.want)
		}
	}
}

// TestRefusesOtherCells checks that cells that cannot be drawn are an error: skipping them would look like a hole in
// the mesh.
func TestRefusesOtherCells(t *testing.T) {
	dir := t.TempDir()
	g := &vtk.Grid{
		Points: []float64{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, Connectivity: []int64{0, 1, 0, 1, 2, 3},
		Offsets: []int64{2, 6}, Types: []uint8{3, 9},
	}
	if err := vtk.Write(filepath.Join(dir, "a.vtu"), g); err != nil {
		t.Fatal(err)
	}
	if err := vtk.WritePVD(filepath.Join(dir, "a.pvd"), []vtk.Frame{{Time: 0, File: "a.vtu"}}); err != nil {
		t.Fatal(err)
	}
	_, err := Run(dir, Options{Frame: LastFrame})
	if err == nil || !strings.Contains(err.Error(), "cell 1 is of VTK type 9 with 4 points") {
		t.Errorf("quadrilateral: %v", err)
	}
}

func TestParseFrame(t *testing.T) {
	for s, want := range map[string]int{"": LastFrame, "last": LastFrame, "all": AllFrames, "0": 0, "17": 17} {
		if got, err := ParseFrame(s); got != want || err != nil {
			t.Errorf("%q is %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"-1", "x", "1.5"} {
		if n, err := ParseFrame(s); err == nil {
			t.Errorf("%q is frame %d", s, n)
		}
	}
}

// TestAnimation checks that an animation has all frames, of the requested field only, in one file.
func TestAnimation(t *testing.T) {
	dir := t.TempDir()
	writeRun(t, dir)
	animation := filepath.Join(dir, "h1.gif")
	done, err := Run(dir, Options{Frame: LastFrame, Fields: []string{"h1"}, Out: animation, Page: chart.Page{Width: 400}})
	if err != nil || !slices.Equal(done.Files, []string{animation}) {
		t.Fatalf("got %+v, error %v, want %s", done, err, animation)
	}
	f, err := os.Open(animation)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if decoded, err := gif.DecodeAll(f); err != nil || len(decoded.Image) != 3 || decoded.Delay[0] != 10 {
		t.Errorf("error %v, want 3 pictures of 0.1 s", err)
	}
	done, err = Run(dir, Options{Frame: AllFrames, Format: "apng", Page: chart.Page{Width: 400}})
	want := []string{"dam-h1.apng", "dam-u1.apng", "dam-velocity.apng"}
	if err != nil || !slices.Equal(names(dir, done.Files), want) {
		t.Errorf("got %+v, error %v, want %q", done, err, want)
	}
}
