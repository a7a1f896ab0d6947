package main

import (
	"context"
	"fmt"
	"slices"
)

// compared is what both builds took for one case.
type compared struct {
	name   string
	each   [2][]float64 // seconds an update in each run, of the old and of the new build
	ratios []float64    // of each pair of runs
}

// bench runs a bench with both builds in turns. Every other pair begins with the new build.
func (g *gate) bench(ctx context.Context, pin []string, binaries [2]string, words []string) ([]compared, error) {
	var all []compared
	args := append([]string{"bench"}, words...)
	args = append(args, "--json", "--backend", g.backend)
	for pair := range g.pairs {
		var runs [2][]series
		for turn := range 2 {
			side := (pair + turn) % 2
			command := append(slices.Clone(pin), binaries[side])
			var err error
			if runs[side], err = measure(ctx, g.backend == "cpu", command, args); err != nil {
				return nil, err
			}
		}
		if all == nil {
			all = make([]compared, len(runs[1]))
		}
		if len(runs[0]) != len(all) || len(runs[1]) != len(all) {
			return nil, fmt.Errorf("the old build measured %d cases, the new one %d", len(runs[0]), len(runs[1]))
		}
		for i := range all {
			if err := all[i].add(runs[0][i], runs[1][i]); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// add takes a pair of runs. Its ratio is the median over the measurements, each held against the one that the old build
// made of the same work, as that may change with the time that is simulated.
func (c *compared) add(old, recent series) error {
	if len(old.each) != len(recent.each) {
		return fmt.Errorf("%s: the old build made %d measurements, the new one %d", recent.name, len(old.each),
			len(recent.each))
	}
	ratios := make([]float64, len(old.each))
	for i := range ratios {
		ratios[i] = recent.each[i] / old.each[i]
	}
	c.name = recent.name
	for side, s := range []series{old, recent} {
		middle, _, _ := median(s.each)
		c.each[side] = append(c.each[side], middle)
	}
	ratio, _, _ := median(ratios)
	c.ratios = append(c.ratios, ratio)
	return nil
}
