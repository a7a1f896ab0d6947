package smooth

import (
	"context"
	"fmt"
)

// Stop says when to end. The first rule that applies does; a zero value switches a rule off, but for Sweeps.
type Stop struct {
	Sweeps  int     // end after so many
	Every   int     // sweeps between two looks at the other rules; 0 for 1
	Move    float64 // end when no vertex has moved by more than this in a sweep, in the metric
	Mean    float64 // end when the mean quality is this or more
	Worst   float64 // end when the worst quality is
	Advance float64 // end when neither the mean nor the worst quality has risen by as much since the last look
}

// Reason is the rule by which smoothing ended.
type Reason string

const (
	AllSweeps    Reason = "sweeps"  // all sweeps were made
	Settled      Reason = "settled" // no vertex moves any more
	GoodMean     Reason = "mean quality reached"
	GoodWorst    Reason = "worst quality reached"
	NoMoreRising Reason = "quality rises no more"
)

// Progress is told how far a run is: the longest move of the last sweep in the metric and, where a rule needed them,
// the diagnostics.
type Progress func(sweeps int, move float64, d *Diagnostics)

// Run sweeps until a rule of stop applies, and says which. It tells progress, if there is one, after each look.
func Run(ctx context.Context, s Solver, stop Stop, progress Progress) (Reason, error) {
	if stop.Sweeps < 0 || stop.Every < 0 || !(stop.Move >= 0) || !(stop.Mean >= 0) || !(stop.Worst >= 0) ||
		!(stop.Advance >= 0) {
		return "", fmt.Errorf("a rule to stop by is negative or no number: %+v", stop)
	}
	needed := stop.Mean > 0 || stop.Worst > 0 || stop.Advance > 0
	var last Diagnostics
	if needed {
		d, err := s.Diagnose(ctx)
		if err != nil {
			return "", err
		}
		if reason := stop.good(&d); reason != "" {
			return reason, nil
		}
		last = d
	}
	for first := s.Sweeps(); s.Sweeps()-first < stop.Sweeps; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		move, err := s.Sweep(ctx, min(max(1, stop.Every), stop.Sweeps-(s.Sweeps()-first)))
		if err != nil {
			return "", err
		}
		var d *Diagnostics
		if needed {
			now, err := s.Diagnose(ctx)
			if err != nil {
				return "", err
			}
			d = &now
		}
		if progress != nil {
			progress(s.Sweeps(), move, d)
		}
		if move <= stop.Move {
			return Settled, nil
		}
		if !needed {
			continue
		}
		if reason := stop.good(d); reason != "" {
			return reason, nil
		}
		if stop.Advance > 0 && !d.Rises(&last, stop.Advance) {
			return NoMoreRising, nil
		}
		last = *d
	}
	return AllSweeps, nil
}

// Rises tells whether the mean or the worst quality is higher than it was by as much as that, or more.
func (d *Diagnostics) Rises(was *Diagnostics, by float64) bool {
	return d.QualityMean-was.QualityMean >= by || d.QualityMin-was.QualityMin >= by
}

// good tells whether a quality that was asked for has been reached. Diagnostics are the same on all ranks, so that all
// stop together.
func (r *Stop) good(d *Diagnostics) Reason {
	switch {
	case r.Mean > 0 && d.QualityMean >= r.Mean:
		return GoodMean
	case r.Worst > 0 && d.QualityMin >= r.Worst:
		return GoodWorst
	}
	return ""
}
