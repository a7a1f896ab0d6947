package chart

import (
	"math"
	"slices"
	"testing"
)

// TestLongLabels checks that long labels of the vertical axis, such as those of positions far from the origin, are
// not cut off.
func TestLongLabels(t *testing.T) {
	for _, c := range []struct{ y0, y1 float64 }{{0, 1}, {5412340, 5412340.5}, {1e8, 1e8 + 1e-3}, {-1e-30, 1e-30}} {
		x := []float64{0, c.y1 - c.y0, 0}
		f, err := newFrame(x, []float64{c.y0, c.y0, c.y1}, [][3]int32{{0, 1, 2}}, Page{Width: 600}, "", sideWidth, 0)
		if err != nil {
			t.Fatal(err)
		}
		if left := f.area.Min.X - f.px(tickLength+7) - f.widestLabel(f.verticalTicks()); left < f.px(16+8) {
			t.Errorf("labels of y from %g to %g begin at pixel %d, over the name of the axis", c.y0, c.y1, left)
		}
		if f.fig.Width > 600 {
			t.Errorf("y from %g to %g: %d pixels wide", c.y0, c.y1, f.fig.Width)
		}
	}
}

// TestMapsOfTheEarth: at 60° N a degree of longitude is half as wide as one of latitude, and labels tell directions.
func TestMapsOfTheEarth(t *testing.T) {
	x, y := []float64{170, 190, 190, 170}, []float64{50, 50, 70, 70}
	f, err := newFrame(x, y, [][3]int32{{0, 1, 2}, {0, 2, 3}}, Page{Earth: true}, "", 100, 0)
	if err != nil {
		t.Fatal(err)
	}
	left, top := f.toPixel(170, 70)
	right, bottom := f.toPixel(190, 50)
	if wide, high := right-left, bottom-top; math.Abs(wide/high-.5) > 1e-12 || math.Abs(float64(f.area.Dy())-high) > 1 {
		t.Errorf("the map is %g × %g pixels in an area of %v", wide, high, f.area)
	}
	var labels []string
	for _, k := range append(f.horizontalTicks(170, 190), f.verticalTicks()...) {
		labels = append(labels, k.label)
	}
	for _, want := range []string{"170°E", "180°", "170°W", "60°N"} {
		if !slices.Contains(labels, want) {
			t.Errorf("no %s in %q", want, labels)
		}
	}
	for _, c := range []struct {
		tick
		want string
	}{{tick{0, "0"}, "0°"}, {tick{-.5, "−0.5"}, "0.5°W"}, {tick{355, "355"}, "5°W"}, {tick{-180, "−180"}, "180°"}} {
		if got := f.directions([]tick{c.tick}, "E", "W")[0].label; got != c.want {
			t.Errorf("%s: %s, want %s", c.label, got, c.want)
		}
	}
}
