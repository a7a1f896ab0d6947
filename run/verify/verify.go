package verify

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
)

// Options say what to verify, and how thoroughly.
type Options struct {
	Threads int      // of the device; 0 for one a processor
	Quick   bool     // the coarse levels alone: what a test can afford
	Only    []string // names of checks to make; none for all
	Twins   []Twin   // where each flow is computed again, to compare the bits
	// Resolution is by how much to multiply the cells of suites that scale; 0 stands for 1.
	Resolution float64
	Pictures   string // folder for those of checks that have some; "" for none
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

// Check is one page of the report.
type Check struct {
	Name  string
	About string
	Run   func(ctx context.Context, p *Page) error
	// Largest is the text of a case that takes as much memory as the largest problem of the check does; nil, or no text,
	// where that is hardly more than the program.
	Largest func(o Options) string
}

// Suite is the checks of one solver.
type Suite struct {
	Name   string // as atoll verify is asked for it
	Checks []Check
	Twins  int  // ranks of the larger twin, where cases are computed again as Options.Twins says; 0 where none are
	Scales bool // its checks take as many cells as Options.Resolution says
}

var suites = map[string]Suite{}

// Register makes checks known, in an init function. It panics if the name is empty or taken.
func Register(s Suite) {
	if _, taken := suites[s.Name]; taken || s.Name == "" {
		panic(fmt.Sprintf("verify: the name %q is empty or registered already", s.Name))
	}
	suites[s.Name] = s
}

// All are the suites that are registered, and those of the checks that kinds of solvers declare, by their names.
func All() map[string]Suite {
	all := maps.Clone(suites)
	for _, name := range solvers.Names() {
		if k, _ := solvers.Find(name); len(k.Checks) > 0 {
			all[name] = declared(&k)
		}
	}
	return all
}

// Find returns the suite of a name.
func Find(name string) (Suite, bool) {
	s, ok := All()[name]
	return s, ok
}

// Names are those of all suites, sorted.
func Names() []string { return slices.Sorted(maps.Keys(All())) }

// Those returns the names of suites that have something, sorted.
func Those(have func(Suite) bool) (names []string) {
	all := All()
	for _, name := range Names() {
		if have(all[name]) {
			names = append(names, name)
		}
	}
	return names
}

// WithTwins are the names of those whose cases twins compute again.
func WithTwins() []string { return Those(func(s Suite) bool { return s.Twins > 0 }) }

// Names are those that Options.Only may hold.
func (s *Suite) Names() []string {
	var names []string
	for _, c := range s.Checks {
		names = append(names, c.Name)
	}
	return names
}

// Twin is where each case is computed once more, to compare the bits: one rank on each of the devices.
type Twin struct {
	Name    string
	Devices []backend.Device
}

// Run makes the checks and writes their tables. It makes every check that was asked for, and returns an error if one
// missed a bound or could not be made.
func (s *Suite) Run(ctx context.Context, w io.Writer, opts Options) (Report, error) {
	var report Report
	names := s.Names()
	for _, name := range opts.Only {
		if !slices.Contains(names, name) {
			return report, fmt.Errorf("check %q is not known; choose from %s", name, strings.Join(names, ", "))
		}
	}
	checks := slices.DeleteFunc(slices.Clone(s.Checks), func(c Check) bool {
		return len(opts.Only) > 0 && !slices.Contains(opts.Only, c.Name)
	})
	if err := room(w, checks, opts); err != nil {
		return report, err
	}
	var bad []string
	for _, c := range checks {
		p := &Page{Options: opts, check: c.Name, w: w}
		p.Printf("== %s: %s\n\n", c.Name, c.About)
		start := time.Now()
		if err := c.Run(ctx, p); err != nil {
			return report, fmt.Errorf("check %s: %w", c.Name, err)
		}
		switch {
		case p.twins > 0:
			p.Note("%d states are the same in every bit on %s\n", p.twins, twinNames(opts.Twins))
		case len(opts.Twins) > 0 && len(p.missed) == 0:
			p.Note("this check computes nothing again on %s\n", twinNames(opts.Twins))
		}
		if p.err != nil {
			return report, fmt.Errorf("writing the report: %w", p.err)
		}
		r := Result{Name: c.Name, Bounds: p.bounds, Missed: p.missed, Wall: time.Since(start)}
		report.Checks = append(report.Checks, r)
		if len(r.Missed) > 0 {
			bad = append(bad, fmt.Sprintf("%s (%d of %d bounds)", c.Name, len(r.Missed), r.Bounds))
		}
	}
	summary := &Page{w: w}
	t := summary.Table("Summary", "check", "bounds", "missed", "s")
	for _, r := range report.Checks {
		t.Row(VerdictOf(len(r.Missed) == 0, ""), r.Name, r.Bounds, len(r.Missed), fmt.Sprintf("%.1f", r.Wall.Seconds()))
	}
	t.Flush()
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
