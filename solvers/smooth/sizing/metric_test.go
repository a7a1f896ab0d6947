package sizing

import (
	"math"
	"strings"
	"testing"
)

// TestMetricsRefused covers bounds, sizes and tensors that are not valid.
func TestMetricsRefused(t *testing.T) {
	constant := func(m11, m12, m22 float64) func(x, y float64) (float64, float64, float64) {
		return func(x, y float64) (float64, float64, float64) { return m11, m12, m22 }
	}
	nan := math.NaN()
	for says, make := range map[string]func() (*Metric, error){
		"want x0 < x1 and y0 < y1": func() (*Metric, error) {
			return Discrete(Bounds{0, 0, 0, 1}, 2, constant(1, 0, 1))
		},
		"bounds [NaN":           func() (*Metric, error) { return Linear(Bounds{nan, 0, 1, 1}, 1, 2) },
		"power of two":          func() (*Metric, error) { return Discrete(one, 3, constant(1, 0, 1)) },
		"2 to 8192":             func() (*Metric, error) { return Discrete(one, 1<<30, constant(1, 0, 1)) },
		"not positive definite": func() (*Metric, error) { return Discrete(one, 2, constant(1, 1, 1)) },
		"m11 = NaN":             func() (*Metric, error) { return Discrete(one, 2, constant(nan, 0, 1)) },
		"m22 = +Inf": func() (*Metric, error) {
			return Discrete(one, 2, constant(1, 0, math.Inf(1)))
		},
		"is too large or too small": func() (*Metric, error) { return Discrete(one, 2, constant(1e200, 0, 1e200)) },
		"compute with: scale the coordinates, or the sizes: m11 = 1e-200": func() (*Metric, error) {
			return Discrete(one, 2, constant(1e-200, 0, 1e-200))
		},
		"is not positive definite: m11 = 1e+200": func() (*Metric, error) {
			return Discrete(one, 2, constant(1e200, 2e200, 1e200))
		},
		"or too small for the precision: m11 = 0": func() (*Metric, error) { return Discrete(one, 2, constant(0, 0, 0)) },
		"m11 = -1":                      func() (*Metric, error) { return Discrete(one, 2, constant(-1, 0, -1)) },
		"goes from 0 to 2":              func() (*Metric, error) { return Linear(one, 0, 2) },
		"goes from 1 to -2":             func() (*Metric, error) { return Linear(one, 1, -2) },
		"sinusoidal metric of -1 waves": func() (*Metric, error) { return Sinusoidal(one, 1, 2, -1) },
		"sizes need at least one piece": func() (*Metric, error) { return Sizes(one, nil, nil) },
	} {
		if _, err := make(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

// TestMetrics proves that the linear metric is exact, and that the table of the sinusoidal one has an error of 1e-12.
func TestMetrics(t *testing.T) {
	b := Bounds{-2, 1, 4, 2}
	linear, err := Linear(b, .5, .05)
	if err != nil {
		t.Fatal(err)
	}
	wave, err := Sinusoidal(b, .1, .3, 2)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 1000 {
		s, u := float64(k)/999, float64((k*k)%1000)/999
		x, y := -2+6*s, 1+u
		for name, c := range map[string]struct {
			of        *Metric
			h         func(s float64) float64
			tolerance float64
		}{
			"linear":     {linear, func(s float64) float64 { return .5 - .45*s }, 1e-13},
			"sinusoidal": {wave, func(s float64) float64 { return .1 + .2*(1+math.Sin(4*math.Pi*s))/2 }, 1e-11},
		} {
			m11, m12, m22 := c.of.At(x, y)
			w, h := 1/math.Sqrt(m11), 1/math.Sqrt(m22)
			if m12 != 0 || math.Abs(w/c.h(s)-1) > c.tolerance || math.Abs(h/c.h(u)-1) > c.tolerance {
				t.Errorf("%s at (%g, %g): sizes %v and %v, want %v and %v", name, x, y, w, h, c.h(s), c.h(u))
			}
		}
	}
	sampled, err := linear.Discretised(64)
	if err != nil {
		t.Fatal(err)
	}
	one, _, two := sampled.At(-2, 2)
	if math.Abs(one*.25-1) > 1e-14 || math.Abs(two*.0025-1) > 1e-14 {
		t.Errorf("sampled at a corner: %g and %g", one, two)
	}
}

var one = Bounds{0, 0, 1, 1}
