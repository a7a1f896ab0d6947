package chart

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/run/plot/palette"
)

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

func similar(a, b color.Color, tolerance int) bool {
	p, q := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
		if d < -tolerance || d > tolerance {
			return false
		}
	}
	return true
}

// TestNoSampleIsLostOrShared rasterises a square that is divided into triangles at random points. Every sample point of
// the square must lie in exactly one triangle. Sample points are at multiples of 1/64, as are the corners and many of
// the dividing points, because these cases are critical.
func TestNoSampleIsLostOrShared(t *testing.T) {
	const perUnit, margin = 64, 8
	v := viewport{x0: -(margin + 0.5) / perUnit, y1: 1 + (margin+0.5)/perUnit, scale: perUnit / samples,
		across: perUnit / samples, width: 40,
		height: 40}
	rapid.Check(t, func(t *rapid.T) {
		// A fan of triangles around an inner point, with points in order along the border of the square.
		inner := rapid.OneOf(rapid.Float64Range(0.01, 0.99), rapid.SampledFrom([]float64{0.25, 0.5, 33. / perUnit}))
		x, y := []float64{inner.Draw(t, "x")}, []float64{inner.Draw(t, "y")}
		for side := range 4 {
			n := rapid.IntRange(1, 4).Draw(t, "points")
			for k := range n {
				s := float64(k) / float64(n)
				x = append(x, []float64{s, 1, 1 - s, 0}[side])
				y = append(y, []float64{0, s, 1, 1 - s}[side])
			}
		}
		var cells [][3]int32
		n := int32(len(x) - 1)
		for k := range n {
			cells = append(cells, [3]int32{0, 1 + k, 1 + (k+1)%n})
		}
		count := make([]int, 80*80)
		for _, c := range cells {
			for i, in := range rasterise(v, x, y, [][3]int32{c}).cell {
				if in >= 0 {
					count[i]++
				}
			}
		}
		for i, n := range count {
			// The left and upper border belong to the square, the others do not.
			px, py := i%80-margin, i/80-margin
			want := 0
			if px >= 0 && px < perUnit && py >= 0 && py < perUnit {
				want = 1
			}
			if n != want {
				t.Fatalf("the sample at (%d, %d) / 64 lies in %d triangles, want %d", px, perUnit-py, n, want)
			}
		}
	})
}

// TestMapColours checks pixels of a map of known values.
func TestMapColours(t *testing.T) {
	x, y := []float64{0, 1, 1, 0, 2, 2}, []float64{0, 0, 1, 1, 0, 1}
	cells := [][3]int32{{0, 1, 2}, {3, 2, 0}, {1, 4, 5}, {1, 5, 2}} // the second is clockwise
	m := &Map{
		X: x, Y: y, Cells: cells, Page: Page{Width: 600},
		Values: []float64{1, 2, 3, math.NaN()}, Dry: []bool{false, true, false, false},
	}
	picture, err := m.Draw()
	if err != nil {
		t.Fatal(err)
	}
	img := picture.RGBA()
	s, err := m.scaleOf(m.Values, m.Dry)
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.frame(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x, y float64
		want color.Color
	}{
		{0.8, 0.2, palette.Sequential.At(0)}, {0.2, 0.8, dryColour}, {1.8, 0.2, palette.Sequential.At(1)}, {1.2, 0.8, noData},
	} {
		px, py := f.area.Min.X+int(c.x*f.view.scale), f.area.Min.Y+int((1-c.y)*f.view.scale)
		if got := img.At(px, py); !similar(got, c.want, 0) {
			t.Errorf("at (%g, %g) the colour is %v, want %v", c.x, c.y, got, c.want)
		}
	}
	// The colour bar runs from the lowest value at the bottom to the highest.
	bar := f.area.Max.X + f.px(sideGap+barWidth/2)
	low, high := img.At(bar, f.area.Max.Y-1), img.At(bar, f.area.Min.Y)
	if !similar(low, palette.Sequential.At(0), 3) || !similar(high, palette.Sequential.At(1), 3) {
		t.Errorf("the bar runs from %v to %v", low, high)
	}
}

func TestSignedFieldIsCentredAtZero(t *testing.T) {
	newScale := func(c Colouring, hidden []bool, values ...float64) *scale {
		s, err := c.scaleOf(values, hidden)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := newScale(Colouring{}, nil, -1, 3); s.colours != palette.Diverging || s.lo != -3 || s.hi != 3 {
		t.Errorf("range %g to %g", s.lo, s.hi)
	}
	if s := newScale(Colouring{Range: &[2]float64{-1, 2}}, nil, -1, 3); s.lo != -1 || s.hi != 2 || s.below || !s.above {
		t.Errorf("with a range: %+v", s)
	}
	if s := newScale(Colouring{}, nil, 6, 6, math.NaN()); s.colours != palette.Sequential || !(s.lo < 6 && s.hi > 6) {
		t.Errorf("constant field: range %g to %g", s.lo, s.hi)
	}
	if s := newScale(Colouring{}, []bool{true, false}, -7, 6); s.lo <= 0 {
		t.Errorf("a dry value widens the range to %g", s.lo)
	}
	if s := newScale(Colouring{Range: &[2]float64{0, 1}}, nil, -1e-16, 1); s.below || s.above {
		t.Errorf("round-off counts as beyond the scale: %+v", s)
	}
}

// TestLogarithms checks that a logarithmic scale starts at the smallest positive value and that ranges without
// logarithms are refused.
func TestLogarithms(t *testing.T) {
	c := Colouring{Log: true}
	s, err := c.scaleOf([]float64{-1, 0, 0.01, 100}, nil)
	if err != nil || s.lo != 0.01 || s.hi != 100 || !s.below || math.Abs(s.fraction(1)-0.5) > 1e-12 ||
		s.fraction(-1) != 0 {
		t.Errorf("%+v, 1 at %g, %v", s, s.fraction(1), err)
	}
	for want, c := range map[string]Colouring{
		"no value is positive":           {Log: true},
		"from 0 to 1 has no logarithms":  {Log: true, Range: &[2]float64{0, 1}},
		"the range from 2 to 2 is empty": {Range: &[2]float64{2, 2}},
	} {
		if _, err := c.scaleOf([]float64{-1, 0}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}

// TestPartitionBorders checks the colours of parts, with a dark line between ranks but not between cells.
func TestPartitionBorders(t *testing.T) {
	x, y, cells := square(0, 4)
	rank := make([]int32, len(cells))
	for i, c := range cells {
		if x[c[0]] >= 0.5 {
			rank[i] = 1
		}
	}
	picture, err := (&Partition{X: x, Y: y, Cells: cells, Rank: rank}).Draw()
	if err != nil {
		t.Fatal(err)
	}
	img := picture.RGBA()
	f, err := newFrame(x, y, cells, Page{}, "", sideWidth, 0)
	if err != nil {
		t.Fatal(err)
	}
	colourAt := func(px, py float64) color.Color {
		return img.At(f.area.Min.X+int(px*f.view.scale), f.area.Min.Y+int((1-py)*f.view.scale))
	}
	if !similar(colourAt(0.3, 0.6), palette.Qualitative(0), 0) || !similar(colourAt(0.7, 0.6), palette.Qualitative(1), 0) {
		t.Errorf("the parts are %v and %v", colourAt(0.3, 0.6), colourAt(0.7, 0.6))
	}
	if !similar(colourAt(0.25, 0.6), palette.Qualitative(0), 0) {
		t.Errorf("between two cells of a part the colour is %v", colourAt(0.25, 0.6))
	}
	if !similar(colourAt(0.5, 0.6), ink, 0) {
		t.Errorf("between the parts the colour is %v", colourAt(0.5, 0.6))
	}
}

// TestWindow checks that a window shows only its part of the mesh, in full size, and that a window outside the data is
// refused.
func TestWindow(t *testing.T) {
	x, y, cells := square(0, 4)
	m := &Map{Page: Page{Width: 400, Window: &[2][2]float64{{0.5, 0.75}, {0, 0.25}}}, X: x, Y: y, Cells: cells,
		Values: make([]float64, len(cells))}
	for i, c := range cells {
		if x[c[0]] == 0.5 && y[c[0]] == 0 {
			m.Values[i] = 1
		}
	}
	picture, err := m.Draw()
	if err != nil {
		t.Fatal(err)
	}
	img := picture.RGBA()
	for _, point := range [][2]float64{{0.51, 0.01}, {0.74, 0.24}, {0.6, 0.2}} {
		p, err := m.PixelAt(point[0], point[1])
		if err != nil {
			t.Fatal(err)
		}
		if got := img.At(p.X, p.Y); !similar(got, palette.Sequential.At(1), 0) {
			t.Errorf("at %v the colour is %v", point, got)
		}
	}
	m.Window = &[2][2]float64{{2, 3}, {0, 1}}
	if _, err := m.Draw(); err == nil || !strings.Contains(err.Error(), "is outside the mesh") {
		t.Errorf("window outside the mesh: %v", err)
	}
	s := &Series{Page: m.Page, T: []float64{0, 1}, Panels: []Panel{{Curves: []Curve{{Values: []float64{1, 2}}}}}}
	if _, err := s.Draw(); err == nil || !strings.Contains(err.Error(), "which are from 0 to 1") {
		t.Errorf("window outside the curves: %v", err)
	}
}

func TestDrawRefuses(t *testing.T) {
	x, y, cells := square(0, 1)
	values := make([]float64, len(cells))
	for name, m := range map[string]*Map{
		"no cells":        {X: x, Y: y},
		"too few values":  {X: x, Y: y, Cells: cells, Values: values[1:]},
		"too few flags":   {X: x, Y: y, Cells: cells, Values: values, Dry: []bool{true}},
		"no such vertex":  {X: x[1:], Y: y, Cells: cells, Values: values},
		"no area":         {X: x, Y: make([]float64, len(y)), Cells: cells, Values: values},
		"not a number":    {X: x, Y: []float64{0, 0, 1, math.NaN()}, Cells: cells, Values: values},
		"too wide":        {X: x, Y: y, Cells: cells, Values: values, Page: Page{Width: maxWidth + 1}},
		"infinitely wide": {X: []float64{-1e308, 1e308, -1e308, 1e308}, Y: y, Cells: cells, Values: values},
	} {
		if _, err := m.Draw(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, p := range map[string]*Partition{
		"too few ranks": {X: x, Y: y, Cells: cells, Rank: []int32{0}},
		"negative rank": {X: x, Y: y, Cells: cells, Rank: []int32{0, -1}},
		"no cells":      {X: x, Y: y},
	} {
		if _, err := p.Draw(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// BenchmarkMap measures drawing a million triangles.
func BenchmarkMap(b *testing.B) {
	x, y, cells := square(0, 708)
	values := make([]float64, len(cells))
	for i := range values {
		values[i] = float64(i)
	}
	m := &Map{X: x, Y: y, Cells: cells, Values: values}
	for b.Loop() {
		if _, err := m.Draw(); err != nil {
			b.Fatal(err)
		}
	}
}
