package verify

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Options say what to verify, and how thoroughly.
type Options struct {
	Threads int      // of the device; 0 for one a processor
	Quick   bool     // the coarse levels alone: what a test can afford
	Only    []string // names of checks to make; none for all
	Twins   []Twin   // where each flow is computed again, to compare the bits
	// Progress, if not nil, is told before each run what it is.
	Progress func(check, run string)
}

// Report is the outcome of the checks, in the order in which they were made.
type Report struct {
	Checks []Result
}

// Result is the outcome of one check.
type Result struct {
	Name   string
	Bounds int      // that were looked at
	Missed []string // a line each, empty if all were met
	Wall   time.Duration
}

// check is one page of the report.
type check struct {
	name  string
	about string
	run   func(ctx context.Context, p *page) error
}

// shallowChecks are those of two-layer shallow water, the fast ones first.
var shallowChecks = []check{
	{"lake", "Lakes at rest over a submerged bump", lake},
	{"island", "An emerged island: at rest, and under a wave", island},
	{"modes", "Speeds of linear waves", modes},
	{"reductions", "Two layers that move as one, and a lid without weight", reductions},
	{"stoker", "Stoker's dam break over a wet bed, one layer", stoker},
	{"ritter", "Ritter's dam break over a dry bed, one layer", ritter},
	{"thacker", "Thacker's oscillations in a paraboloid, one layer", thacker},
	{"manufactured", "A manufactured solution of both layers over a varying bed", manufactured},
	{"beds", "Rest on random beds, at both orders", beds},
	{"waves", "Simple waves of one layer and of two, at second order", waves},
	{"dams", "Stoker's and Ritter's dam breaks at second order", dams},
	{"bowls", "Thacker's oscillations at second order, three periods", bowls},
	{"channels", "What is given at boundaries: a discharge, a level, waves that leave", channels},
	{"paper-again", "Tests 1 and 2 of the paper at second order", paperAgain},
	{"hyperbolic", "Loss of hyperbolicity: test 2 of the paper, run on", hyperbolic},
	{"paper", "Tests 1 and 2 of de la Asunción, Mantas and Castro, CMMSE 2012", paper},
	{"bandwidth", "Bandwidths of refined meshes, Table 3 of the paper", bandwidth},
}

// ShallowChecks returns the names that Options.Only may hold.
func ShallowChecks() []string {
	var names []string
	for _, c := range shallowChecks {
		names = append(names, c.name)
	}
	return names
}

// Shallow makes the checks of two-layer shallow water and writes their tables. It makes every check that was asked
// for, and returns an error if one missed a bound or could not be made.
func Shallow(ctx context.Context, w io.Writer, opts Options) (Report, error) {
	return makeChecks(ctx, w, opts, shallowChecks)
}

func makeChecks(ctx context.Context, w io.Writer, opts Options, checks []check) (Report, error) {
	var report Report
	var names []string
	for _, c := range checks {
		names = append(names, c.name)
	}
	for _, name := range opts.Only {
		if !slices.Contains(names, name) {
			return report, fmt.Errorf("check %q is not known; choose from %s", name, strings.Join(names, ", "))
		}
	}
	var bad []string
	for _, c := range checks {
		if len(opts.Only) > 0 && !slices.Contains(opts.Only, c.name) {
			continue
		}
		p := &page{opts: opts, check: c.name, w: w}
		p.printf("== %s: %s\n\n", c.name, c.about)
		start := time.Now()
		if err := c.run(ctx, p); err != nil {
			return report, fmt.Errorf("check %s: %w", c.name, err)
		}
		if len(opts.Twins) > 0 && p.twins > 0 {
			p.note("%d states are the same in every bit on %s\n", p.twins, twinNames(opts.Twins))
		}
		if p.err != nil {
			return report, fmt.Errorf("writing the report: %w", p.err)
		}
		r := Result{Name: c.name, Bounds: p.bounds, Missed: p.missed, Wall: time.Since(start)}
		report.Checks = append(report.Checks, r)
		if len(r.Missed) > 0 {
			bad = append(bad, fmt.Sprintf("%s (%d of %d bounds)", c.name, len(r.Missed), r.Bounds))
		}
	}
	summary := &page{w: w}
	t := summary.table("Summary", "check", "bounds", "missed", "s")
	for _, r := range report.Checks {
		t.row(verdictOf(len(r.Missed) == 0, ""), r.Name, r.Bounds, len(r.Missed), fmt.Sprintf("%.1f", r.Wall.Seconds()))
	}
	t.flush()
	if summary.err != nil {
		return report, fmt.Errorf("writing the report: %w", summary.err)
	}
	if len(bad) > 0 {
		return report, fmt.Errorf("verification failed: %s", strings.Join(bad, ", "))
	}
	return report, nil
}

func twinNames(twins []Twin) string {
	var names []string
	for _, t := range twins {
		names = append(names, t.Name)
	}
	return strings.Join(names, " and ")
}
