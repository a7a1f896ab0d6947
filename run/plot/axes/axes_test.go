package axes

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/atoll-hpc/atoll/run/plot/figure"
)

type constantTicks []Tick

func (t constantTicks) Ticks(_, _ float64) []Tick { return t }

func testPlot(label string) *Plot {
	p := New()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	for _, a := range []*Axis{&p.X, &p.Y} {
		x, y := a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Label.TextStyle, a.Tick.Label = figure.Sans(19), figure.Sans(19)
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = x, y
		a.Tick.Marker = constantTicks{{0, "0"}, {0.5, ""}, {1, label}}
	}
	return p
}

// TestAlign: data canvases of plots whose labels differ in width and height have the same size and are in line.
func TestAlign(t *testing.T) {
	sheet := draw.New(vgimg.New(1000, 800))
	plots := [][]*Plot{{testPlot("1"), testPlot("1.000000")}, {testPlot("one\nof two lines"), nil}}
	tiles := Align(plots, draw.Tiles{Rows: 2, Cols: 2, PadX: 10, PadLeft: 5}, sheet)
	a, b := plots[0][0].DataCanvas(tiles[0][0]), plots[0][1].DataCanvas(tiles[0][1])
	c := plots[1][0].DataCanvas(tiles[1][0])
	near := func(x, y vg.Length) bool { return math.Abs(float64(x-y)) < 1e-9 }
	if !near(a.Size().X, b.Size().X) || !near(a.Size().X, c.Size().X) || !near(a.Size().Y, c.Size().Y) {
		t.Errorf("sizes are %v, %v and %v", a.Size(), b.Size(), c.Size())
	}
	if !near(a.Min.X, c.Min.X) || !near(a.Min.Y, b.Min.Y) || a.Min.Y <= c.Max.Y || a.Max.X >= b.Min.X {
		t.Errorf("the data canvases are %v, %v and %v", a.Rectangle, b.Rectangle, c.Rectangle)
	}
}

// TestPosition: positions on axes are linear in the value or its logarithm, and an empty range is widened.
func TestPosition(t *testing.T) {
	for _, test := range []struct {
		axis    Axis
		v, want float64
	}{
		{Axis{Min: -2, Max: 6}, 0, 0.25},
		{Axis{Min: 1, Max: 1e4, Log: true}, 10, 0.25},
		{newAxis(), 0, 0.5}, // from -1 to 1
		{Axis{Min: 3, Max: 3}, 4, 1},
	} {
		test.axis.repairRange()
		if got := test.axis.position(test.v); math.Abs(got-test.want) > 1e-15 {
			t.Errorf("%g is at %g of %g to %g, want %g", test.v, got, test.axis.Min, test.axis.Max, test.want)
		}
	}
}
