package bench

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// ScalingChart is what was measured over numbers of ranks, as a picture.
type ScalingChart struct {
	Weak   bool
	Of     string // what rates count
	ranks  []float64
	names  []string
	rates  map[string][]float64 // by name, one for each of ranks; NaN where none was measured
	alone  []float64            // rates of the first number of ranks, which all others are compared with
	single int
}

// Add adds a measurement; those of the first number of ranks all others are compared with.
func (c *ScalingChart) Add(ranks int, name string, rate float64, first bool) {
	if n := len(c.ranks); n == 0 || c.ranks[n-1] != float64(ranks) {
		c.ranks = append(c.ranks, float64(ranks))
		for k := range c.rates {
			c.rates[k] = append(c.rates[k], math.NaN())
		}
	}
	if first {
		c.alone, c.single = append(c.alone, rate), ranks
		return
	}
	if c.rates == nil {
		c.rates = map[string][]float64{}
	}
	if c.rates[name] == nil {
		c.names = append(c.names, name)
		c.rates[name] = slices.Repeat([]float64{math.NaN()}, len(c.ranks))
	}
	c.rates[name][len(c.ranks)-1] = rate
}

// Draw draws rates and efficiencies over ranks. It needs one case.
func (c *ScalingChart) Draw() (*figure.Figure, error) {
	title := "Strong scaling"
	if c.Weak {
		title = "Weak scaling"
	}
	rates := chart.Panel{Label: "billion " + c.Of + " a second"}
	shares := chart.Panel{Label: "efficiency (%)"}
	for _, name := range c.names {
		v := slices.Clone(c.rates[name])
		v[0] = c.alone[0]
		share := make([]float64, len(v))
		for i := range v {
			share[i] = 100 * v[i] / c.ranks[i] / (c.alone[0] / float64(c.single))
			v[i] /= 1e9
		}
		rates.Curves = append(rates.Curves, chart.Curve{Name: name, Values: v})
		shares.Curves = append(shares.Curves, chart.Curve{Name: name, Values: share})
	}
	ideal := make([]float64, len(c.ranks))
	for i, n := range c.ranks {
		ideal[i] = c.alone[0] / float64(c.single) * n / 1e9
	}
	rates.Curves = append(rates.Curves, chart.Curve{Name: "ideal", Values: ideal})
	return (&chart.Series{Title: title, T: c.ranks, Across: "ranks", Panels: []chart.Panel{rates, shares}}).Draw()
}
