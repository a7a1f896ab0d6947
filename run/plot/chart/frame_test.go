package chart

import "testing"

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
