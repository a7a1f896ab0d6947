package palette

import (
	"image/color"
	"strings"
	"testing"
)

// similar reports whether colours differ by at most tolerance in each channel.
func similar(a, b color.RGBA, tolerance int) bool {
	differ := func(x, y uint8) bool { return int(x)-int(y) > tolerance || int(y)-int(x) > tolerance }
	return !differ(a.R, b.R) && !differ(a.G, b.G) && !differ(a.B, b.B)
}

// TestViridis compares with the ten colours that viridisLite's viridis(10) gives.
func TestViridis(t *testing.T) {
	for i, want := range []color.RGBA{
		{0x44, 0x01, 0x54, 255}, {0x48, 0x28, 0x78, 255}, {0x3e, 0x4a, 0x89, 255}, {0x31, 0x68, 0x8e, 255},
		{0x26, 0x82, 0x8e, 255}, {0x1f, 0x9e, 0x89, 255}, {0x35, 0xb7, 0x79, 255}, {0x6d, 0xcd, 0x59, 255},
		{0xb4, 0xde, 0x2c, 255}, {0xfd, 0xe7, 0x25, 255},
	} {
		if got := Sequential.At(float64(i) / 9); !similar(got, want, 4) {
			t.Errorf("colour %d of 10 is %v, want %v", i, got, want)
		}
	}
}

// rounding is a bound for the error of a lightness that comes from rounding channels to integers.
const rounding = 0.5

// lightness returns the luma of a colour, which is accurate enough for comparisons.
func lightness(c color.RGBA) float64 {
	return 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
}

func TestSequentialGrowsLighter(t *testing.T) {
	for i := 1; i < 256; i++ {
		if a, b := lightness(Sequential.table[i-1]), lightness(Sequential.table[i]); b < a-rounding {
			t.Errorf("lightness falls from %g to %g at %d", a, b, i)
		}
	}
}

func TestDivergingIsLightestInTheMiddle(t *testing.T) {
	for i := 1; i < 256; i++ {
		a, b := lightness(Diverging.table[i-1]), lightness(Diverging.table[i])
		if i <= 127 && b < a-rounding || i >= 130 && b > a+rounding {
			t.Errorf("lightness goes from %g to %g at %d", a, b, i)
		}
	}
	if low, high := Diverging.At(-1), Diverging.At(2); low.B < low.R || high.R < high.B {
		t.Errorf("the ends are %v and %v, want blue and red", low, high)
	}
}

// TestQualitativeColoursDiffer checks that any two of the first 30 colours are distinguishable.
func TestQualitativeColoursDiffer(t *testing.T) {
	for i := range 30 {
		for j := range i {
			if similar(Qualitative(i), Qualitative(j), 12) {
				t.Errorf("colours %d and %d are %v and %v", i, j, Qualitative(i), Qualitative(j))
			}
		}
	}
}

// TestFind checks that every map can be found, also reversed, and that the error for an unknown name lists the known
// ones.
func TestFind(t *testing.T) {
	for _, name := range Names() {
		m, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Find(name + "_r")
		if err != nil || r.At(0) != m.At(1) || r.At(1) != m.At(0) || m.At(0) == m.At(1) || r.Diverging != m.Diverging {
			t.Errorf("%s: from %v to %v, reversed from %v to %v, error %v", name, m.At(0), m.At(1), r.At(0), r.At(1), err)
		}
	}
	if _, err := Find("jet"); err == nil || !strings.Contains(err.Error(), "viridis, cividis") {
		t.Errorf("jet: %v", err)
	}
}
