package chart

import (
	"image/color"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// TestSeriesShowsEachCurve counts the pixels in the colour of each curve.
func TestSeriesShowsEachCurve(t *testing.T) {
	s := &Series{Title: "gauge", T: []float64{0, 1, 2, 3}, Panels: []Panel{
		{Label: "m", Curves: []Curve{{"h1", []float64{1, 2, 3, 4}}, {"h2", []float64{4, math.NaN(), math.NaN(), 1}}}},
		{Label: "m/s", Curves: []Curve{{"u1", []float64{0, 0, 0, 0}}}},
	}}
	img, err := s.Draw()
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.RGBA]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			count[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
		}
	}
	if a, b := count[Qualitative(0)], count[Qualitative(1)]; a < 1000 || b < 20 || b > a {
		t.Errorf("%d pixels of the first curves, %d of the second, which is mostly gap", a, b)
	}
	if count[white] < img.Bounds().Dx()*img.Bounds().Dy()/2 {
		t.Error("less than half of the picture is blank")
	}
}

func TestUnbroken(t *testing.T) {
	nan := math.NaN()
	got := unbroken([]float64{0, 1, 2, 3, 4, 5}, []float64{nan, 1, 2, nan, math.Inf(1), 5})
	if want := []plotter.XYs{{{X: 1, Y: 1}, {X: 2, Y: 2}}, {{X: 5, Y: 5}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSeriesRefuses(t *testing.T) {
	curve := []Panel{{Curves: []Curve{{"h", []float64{1}}}}}
	for name, s := range map[string]*Series{
		"no times": {Panels: curve}, "no panels": {T: []float64{0}}, "too few values": {T: []float64{0, 1}, Panels: curve},
		"too narrow": {T: []float64{0}, Panels: curve, Width: 1},
	} {
		if _, err := s.Draw(); err == nil {
			t.Errorf("%s: drawn", name)
		}
	}
	if _, err := (&Series{T: []float64{0}, Panels: curve}).Draw(); err != nil {
		t.Errorf("a single point: %v", err)
	}
}

func TestDrift(t *testing.T) {
	change, largest, relative := drift([]float64{4, 5, 2})
	if want := []float64{0, 0.25, -0.5}; !reflect.DeepEqual(change, want) || largest != 0.5 || !relative {
		t.Errorf("got %v, %g, %v", change, largest, relative)
	}
	change, largest, relative = drift([]float64{0, -3})
	if want := []float64{0, -3}; !reflect.DeepEqual(change, want) || largest != 3 || relative {
		t.Errorf("from zero: %v, %g, %v", change, largest, relative)
	}
}

func TestTables(t *testing.T) {
	table, err := parseTable(strings.NewReader("# gauge\nt, h1\n0,1\n1,NaN\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(table.names, []string{"t", "h1"}) || table.columns[0][1] != 1 ||
		!math.IsNaN(table.columns[1][1]) {
		t.Errorf("got %+v", table)
	}
	for in, want := range map[string]string{
		"":              "the file is empty",
		"t,h\n0,x\n":    `line 2: column "h": "x" is not a number`,
		"t,h\n0,1\n1\n": "wrong number of fields",
		"x,h\n0,1\n":    `no column "t"`,
		"t,h\n1,1\n0,1": "row 2 has the time 0, after 1",
		"t,h\nNaN,1\n":  "row 1 has the time NaN",
		"t,h\n":         "no row below it",
		"t,h\n\"0,1\n":  "line 2",
	} {
		table, err := parseTable(strings.NewReader(in))
		if err == nil {
			_, _, err = table.times()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", in, err, want)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add("t,h1\n0,1\n1,2\n")
	f.Fuzz(func(t *testing.T, in string) {
		table, err := parseTable(strings.NewReader(in))
		if err != nil {
			return
		}
		for _, c := range table.columns {
			if len(c) != len(table.columns[0]) {
				t.Fatalf("columns of %d and %d values", len(c), len(table.columns[0]))
			}
		}
		if times, _, err := table.times(); err == nil && len(times) == 0 {
			t.Fatal("no times and no error")
		}
	})
}
