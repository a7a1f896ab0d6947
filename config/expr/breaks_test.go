package expr

import (
	"math"
	"testing"
)

// TestBreaks proves that times of jumps and kinks are found.
func TestBreaks(t *testing.T) {
	for text, want := range map[string][]float64{
		"t > 500 ? 2 : 0":               {500},
		"t % 300":                       {300, 600, 900},
		"(t % 300) < 1 ? 1 : 0":         {1, 300, 301, 600, 601, 900, 901},
		"abs(t - 7) + max(t, 9)":        {7, 9},
		"sin(t)":                        {},
		"(t - 5)*(t - 900) > 0 ? 1 : 2": {5, 900},
		"3":                             {},
	} {
		p, err := Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		got := p.Breaks(1000)
		ok := len(got) == len(want)
		for k := range got {
			ok = ok && math.Abs(got[k]-want[k]) < 1e-10
		}
		if !ok {
			t.Errorf("%s: breaks at %v, want %v", text, got, want)
		}
	}
}
