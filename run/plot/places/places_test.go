package places

import (
	"image"
	"image/color"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/features"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// TestLabels: labels are on the map, do not overlap each other or what is drawn, and are left out where there is no
// room.
func TestLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	l := labels{area: rectangle{0, 0, 600, 400}}
	var anchors [][2]float64
	for range 60 {
		at := [2]float64{600 * rng.Float64(), 400 * rng.Float64()}
		anchors = append(anchors, at)
		l.take(around(at, 5))
	}
	line := [][2]float64{{0, 50}, {600, 350}}
	l.takeLine(line, 4)
	shapes, found := len(l.taken), 0
	for _, at := range anchors {
		box, ok := l.find([][2]float64{at}, 70, 18, 9)
		if !ok {
			continue
		}
		found++
		if box.x0 < 0 || box.y0 < 0 || box.x1 > 600 || box.y1 > 400 {
			t.Errorf("a label at %v is not on the map", box)
		}
		for k := range 101 { // of the line
			x := 6 * float64(k)
			if y := 50 + x/2; box.x0 < x && x < box.x1 && box.y0 < y && y < box.y1 {
				t.Errorf("a label at %v is on the line", box)
			}
		}
	}
	for i, a := range l.taken[shapes:] {
		for _, b := range l.taken[:shapes+i] {
			if a.overlaps(b) {
				t.Errorf("the label at %v overlaps %v", a, b)
			}
		}
	}
	if found < 30 || found == len(anchors) {
		t.Errorf("%d of %d places have labels, want most, but there is no room for all", found, len(anchors))
	}
}

// declared are sections with a side of a square of 2 m, and a structure from its middle to the right.
type declared struct{ config.Sections }

func (declared) Places(*config.Case) ([]features.Feature, error) {
	side := features.Feature{Kind: features.Lines, Properties: map[string]any{"name": "sea", "role": features.Boundary},
		Parts: [][]features.Position{{{X: 500_000, Y: 1}, {X: 500_000, Y: 2}}, {{X: 500_000, Y: 1}, {X: 500_000}}}}
	return []features.Feature{side,
		features.Place("gate", features.Structure, [][]float64{{500_001, 1}, {500_001.5, 1}})}, nil
}

// TestDraw: gauges, structures and sides are where the case has them.
func TestDraw(t *testing.T) {
	c := &config.Case{Sections: declared{}, Gauges: []config.Gauge{{Name: "pier", At: []float64{500_000.5, .5}, Dim: 2},
		{Name: "deep", At: []float64{0, 0, 0}, Dim: 3}, {Dim: 2, File: filepath.Join(t.TempDir(), "gone.csv")}}}
	list, err := Of(c)
	if err == nil || !strings.Contains(err.Error(), "gone.csv") || len(list) != 3 {
		t.Fatalf("%d places, %v", len(list), err)
	}
	blue := color.RGBA{0, 0, 255, 255}
	m := &chart.Map{X: []float64{500_000, 500_002, 500_002, 500_000}, Y: []float64{0, 0, 2, 2},
		Cells: [][3]int32{{0, 1, 2}, {0, 2, 3}}, Values: []float64{1, 1}}
	plain := render(t, m)
	m.Over = func(on *chart.Canvas) { Draw(on, list) }
	drawn := render(t, m)
	for _, at := range []struct {
		x, y float64
		want color.RGBA
	}{{500_000, 1.2, sideTint}, {500_001, 1, structure}, {500_001.25, 1, structure},
		{500_000.5, .5, figure.White}, {500_001.9, 1.9, blue}} {
		p, err := m.PixelAt(at.x, at.y)
		if err != nil {
			t.Fatal(err)
		}
		if at.want == blue { // where there is nothing, as without places
			at.want = plain.RGBAAt(p.X, p.Y)
		}
		if got := drawn.RGBAAt(p.X, p.Y); got != at.want {
			t.Errorf("(%g, %g) has the colour %v, want %v", at.x, at.y, got, at.want)
		}
	}
}

func render(t *testing.T, m *chart.Map) *image.RGBA {
	t.Helper()
	f, err := m.Draw()
	if err != nil {
		t.Fatal(err)
	}
	return f.RGBA()
}
