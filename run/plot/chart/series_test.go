package chart

import (
	"image/color"
	"math"
	"reflect"
	"testing"

	"github.com/atoll-hpc/atoll/run/plot/palette"

	"github.com/atoll-hpc/atoll/run/plot/axes"
)

// TestSeriesShowsEachCurve counts the pixels in the colour of each curve.
func TestSeriesShowsEachCurve(t *testing.T) {
	s := &Series{Title: "gauge", T: []float64{0, 1, 2, 3}, Panels: []Panel{
		{Label: "m", Curves: []Curve{{Name: "h1", Values: []float64{1, 2, 3, 4}},
			{Name: "h2", Values: []float64{4, math.NaN(), math.NaN(), 1}}}},
		{Label: "m/s", Curves: []Curve{{Name: "u1", Values: []float64{0, 0, 0, 0}}}},
	}}
	picture, err := s.Draw()
	if err != nil {
		t.Fatal(err)
	}
	img := picture.RGBA()
	count := map[color.RGBA]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			count[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
		}
	}
	if a, b := count[palette.Qualitative(0)], count[palette.Qualitative(1)]; a < 1000 || b < 20 || b > a {
		t.Errorf("%d pixels of the first curves, want 1000 or more; %d of the second, which is mostly a gap, want 20 or "+
			"more", a, b)
	}
	if count[white] < img.Bounds().Dx()*img.Bounds().Dy()/2 {
		t.Error("less than half of the picture is blank")
	}
}

func TestSplitAtGaps(t *testing.T) {
	nan := math.NaN()
	got := splitAtGaps([]float64{0, 1, 2, 3, 4, 5}, []float64{nan, 1, 2, nan, math.Inf(1), 5}, false)
	if want := [][]axes.XY{{{X: 1, Y: 1}, {X: 2, Y: 2}}, {{X: 5, Y: 5}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSeriesRefuses(t *testing.T) {
	curve := []Panel{{Curves: []Curve{{Name: "h", Values: []float64{1}}}}}
	for name, s := range map[string]*Series{
		"no times": {Panels: curve}, "no panels": {T: []float64{0}}, "too few values": {T: []float64{0, 1}, Panels: curve},
		"too narrow": {T: []float64{0}, Panels: curve, Page: Page{Width: 1}},
	} {
		if _, err := s.Draw(); err == nil {
			t.Errorf("%s: drawn", name)
		}
	}
	if _, err := (&Series{T: []float64{0}, Panels: curve}).Draw(); err != nil {
		t.Errorf("single point: %v", err)
	}
}
