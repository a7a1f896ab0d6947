package problem

import (
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestFilmsOfRainAreNoWater: pictures of a case with rain show thin water as dry, others only what the method does.
func TestFilmsOfRainAreNoWater(t *testing.T) {
	for set, want := range map[string]float64{
		"time.end=1": 1e-3, "forcing.rain=1e-6": .05, "maxima={threshold=0.2}": 1e-3,
		"forcing={rain=1e-6, evaporation=1e-9}": .05,
	} {
		c := runtest.Parse(t, puddle, set)
		if got := oneLayer[0].MaskThreshold(c, nil); got != want {
			t.Errorf("%s: cells are dry up to %g m, want %g", set, got, want)
		}
		if got := oneLayer[0].MaskThreshold(c, []float64{0, 1, 1}); got != min(want, .02) {
			t.Errorf("%s, with water at the start: %g m", set, got)
		}
	}
	c := runtest.Parse(t, puddle, "forcing.rain=1e-6", "maxima={threshold=0.2}")
	if got := oneLayer[0].MaskThreshold(c, nil); got != .2 {
		t.Errorf("with a threshold of 0.2 m: %g m", got)
	}
}

// TestHeightOfTheGround: it follows from the depth, or a level and a thickness, which stay as they are.
func TestHeightOfTheGround(t *testing.T) {
	for _, c := range []struct {
		fields map[string][]float64
		want   []float64
	}{
		{map[string][]float64{"depth": {1, -2}, "h": {9, 9}}, []float64{-1, 2}},
		{map[string][]float64{"z": {3, 4}, "h": {1, 0}}, []float64{2, 4}},
		{map[string][]float64{"z2": {3}, "h2": {1}, "z1": {8}}, []float64{2}},
		{map[string][]float64{"h": {1}}, nil}, {nil, nil},
	} {
		for range 2 {
			if got := ground(func(name string) []float64 { return c.fields[name] }); !slices.Equal(got, c.want) {
				t.Errorf("%v: ground %v, want %v", c.fields, got, c.want)
			}
		}
	}
}
