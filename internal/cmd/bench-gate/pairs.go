package main

import (
	"context"
	"fmt"
	"slices"
)

// comparison is the measurements of one case with both builds.
type comparison struct {
	name    string
	seconds [2][]float64 // [0: old build, 1: new build][pair]: median of the seconds per update
	ratios  []float64    // [pair]: new / old
}

// bench runs a bench with both builds alternately. Every other pair begins with the new build.
func (g *gate) bench(ctx context.Context, pinning []string, binaries [2]string, words []string) ([]comparison, error) {
	var comparisons []comparison
	args := append([]string{"bench"}, words...)
	args = append(args, "--json", "--backend", g.backend)
	for pair := range g.pairs {
		var runs [2][]series
		for i := range 2 {
			side := (pair + i) % 2
			command := append(slices.Clone(pinning), binaries[side])
			var err error
			if runs[side], err = measure(ctx, g.backend == "cpu", command, args); err != nil {
				return nil, err
			}
		}
		if comparisons == nil {
			comparisons = make([]comparison, len(runs[1]))
		}
		if len(runs[0]) != len(comparisons) || len(runs[1]) != len(comparisons) {
			return nil, fmt.Errorf("the old build measured %d cases, the new one %d", len(runs[0]), len(runs[1]))
		}
		for i := range comparisons {
			if err := comparisons[i].add(runs[0][i], runs[1][i]); err != nil {
				return nil, err
			}
		}
	}
	return comparisons, nil
}

// add adds a pair of runs. Its ratio is the median of the ratios of corresponding measurements, since the work of a
// step may depend on simulated time.
func (c *comparison) add(old, recent series) error {
	if len(old.seconds) != len(recent.seconds) {
		return fmt.Errorf("%s: the old build made %d measurements, the new one %d", recent.name, len(old.seconds),
			len(recent.seconds))
	}
	ratios := make([]float64, len(old.seconds))
	for i := range ratios {
		ratios[i] = recent.seconds[i] / old.seconds[i]
	}
	c.name = recent.name
	for side, s := range []series{old, recent} {
		middle, _, _ := median(s.seconds)
		c.seconds[side] = append(c.seconds[side], middle)
	}
	ratio, _, _ := median(ratios)
	c.ratios = append(c.ratios, ratio)
	return nil
}
