package bench

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// ScalingChart plots rates and efficiencies over the number of ranks.
type ScalingChart struct {
	Weak          bool
	Unit          string // what rates count, such as "cell updates"
	ranks         []float64
	names         []string
	rates         map[string][]float64 // by name, one per entry of ranks; NaN if not measured
	baseline      []float64            // rates on baselineRanks, the reference of efficiencies
	baselineRanks int
}

// Add adds a measurement. isBaseline marks those of the baseline, to which efficiencies refer.
func (c *ScalingChart) Add(ranks int, name string, rate float64, isBaseline bool) {
	if n := len(c.ranks); n == 0 || c.ranks[n-1] != float64(ranks) {
		c.ranks = append(c.ranks, float64(ranks))
		for k := range c.rates {
			c.rates[k] = append(c.rates[k], math.NaN())
		}
	}
	if isBaseline {
		c.baseline, c.baselineRanks = append(c.baseline, rate), ranks
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

// Draw plots rates and efficiencies. At least one measurement must have been added.
func (c *ScalingChart) Draw() (*figure.Figure, error) {
	title := "Strong scaling"
	if c.Weak {
		title = "Weak scaling"
	}
	rates := chart.Panel{Label: "billion " + c.Unit + " a second"}
	shares := chart.Panel{Label: "efficiency (%)"}
	for _, name := range c.names {
		v := slices.Clone(c.rates[name])
		v[0] = c.baseline[0] // each curve begins at the baseline
		share := make([]float64, len(v))
		for i := range v {
			share[i] = 100 * v[i] / c.ranks[i] / (c.baseline[0] / float64(c.baselineRanks))
			v[i] /= 1e9
		}
		rates.Curves = append(rates.Curves, chart.Curve{Name: name, Values: v})
		shares.Curves = append(shares.Curves, chart.Curve{Name: name, Values: share})
	}
	ideal := make([]float64, len(c.ranks))
	for i, n := range c.ranks {
		ideal[i] = c.baseline[0] / float64(c.baselineRanks) * n / 1e9
	}
	rates.Curves = append(rates.Curves, chart.Curve{Name: "ideal", Values: ideal})
	return (&chart.Series{Title: title, T: c.ranks, XLabel: "ranks", Panels: []chart.Panel{rates, shares}}).Draw()
}
