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
	Threads int      // threads of the device; 0 for one per processor
	Quick   bool     // only coarse levels, for tests
	Only    []string // names of the checks to run; empty for all
	Twins   []Twin   // where cases are computed again, to compare the bits
	// Resolution multiplies the number of cells in suites that scale; 0 means 1.
	Resolution float64
	Pictures   string // folder for plots; "" for none
	// Progress, if not nil, is called before each run with its description.
	Progress func(check, run string)
}

// Report is the outcome of all checks, in the order in which they ran.
type Report struct {
	Checks []Result
}

// Result is the outcome of one check.
type Result struct {
	Name   string
	Bounds int      // number of bounds
	Missed []string // one line per missed bound
	Wall   time.Duration
}

// Check is one verification problem.
type Check struct {
	Name  string
	About string
	Run   func(ctx context.Context, p *Page) error
	// Largest returns the text of a case that takes as much memory as the largest problem of the check. It is nil, or
	// returns no text, if that memory is negligible.
	Largest func(o Options) string
}

// Suite is the checks of one solver.
type Suite struct {
	Name      string // as in atoll verify NAME
	Checks    []Check
	TwinRanks int  // ranks of the larger twin, for suites that use Options.Twins; 0 for others
	Scales    bool // whether checks use Options.Resolution
}

var suites = map[string]Suite{}

// Register adds a suite, in an init function. It panics if the name is empty or taken.
func Register(s Suite) {
	if _, exists := suites[s.Name]; exists || s.Name == "" {
		panic(fmt.Sprintf("verify: the name %q is empty or registered already", s.Name))
	}
	suites[s.Name] = s
}

// All returns all suites by name: those that are registered, and those of checks that kinds of solvers declare.
func All() map[string]Suite {
	all := maps.Clone(suites)
	for _, name := range solvers.Names() {
		if k, _ := solvers.Find(name); len(k.Checks) > 0 {
			all[name] = declaredSuite(&k)
		}
	}
	return all
}

// Find returns the suite with a name.
func Find(name string) (Suite, bool) {
	s, ok := All()[name]
	return s, ok
}

// Names returns the names of all suites, sorted.
func Names() []string { return slices.Sorted(maps.Keys(All())) }

// NamesWhere returns the names of suites that satisfy a condition, sorted.
func NamesWhere(condition func(Suite) bool) (names []string) {
	suites := All()
	for _, name := range Names() {
		if condition(suites[name]) {
			names = append(names, name)
		}
	}
	return names
}

// WithTwins returns the names of suites that use twins.
func WithTwins() []string { return NamesWhere(func(s Suite) bool { return s.TwinRanks > 0 }) }

// Names returns the names of the checks.
func (s *Suite) Names() []string {
	var names []string
	for _, c := range s.Checks {
		names = append(names, c.Name)
	}
	return names
}

// Twin is a set of devices, one rank on each, on which cases are computed again to compare the bits.
type Twin struct {
	Name    string
	Devices []backend.Device
}

// Run runs the checks and writes their tables. It runs all selected checks, and returns an error if one missed a bound
// or could not be run.
func (s *Suite) Run(ctx context.Context, w io.Writer, opts Options) (Report, error) {
	var report Report
	names := s.Names()
	for _, name := range opts.Only {
		if !slices.Contains(names, name) {
			return report, fmt.Errorf("unknown check %q: choose from %s", name, strings.Join(names, ", "))
		}
	}
	checks := slices.DeleteFunc(slices.Clone(s.Checks), func(c Check) bool {
		return len(opts.Only) > 0 && !slices.Contains(opts.Only, c.Name)
	})
	if err := checkMemory(w, checks, opts); err != nil {
		return report, err
	}
	var failed []string
	for _, c := range checks {
		p := &Page{Options: opts, check: c.Name, w: w}
		p.Printf("== %s: %s\n\n", c.Name, c.About)
		start := time.Now()
		if err := c.Run(ctx, p); err != nil {
			return report, fmt.Errorf("check %s: %w", c.Name, err)
		}
		switch {
		case p.twins+len(p.different) > 0:
			p.Note("%d states have the same bits on %s\n", p.twins, twinNames(append(slices.Clone(opts.Twins), p.more...)))
			for _, difference := range p.different {
				p.Note("DIFFERENT %s\n", difference)
			}
		case len(opts.Twins) > 0 && len(p.missed) == 0:
			p.Note("this check does not use %s\n", twinNames(opts.Twins))
		}
		if p.err != nil {
			return report, fmt.Errorf("writing the report: %w", p.err)
		}
		r := Result{Name: c.Name, Bounds: p.bounds, Missed: p.missed, Wall: time.Since(start)}
		report.Checks = append(report.Checks, r)
		if len(r.Missed) > 0 {
			failed = append(failed, fmt.Sprintf("%s (%d of %d bounds)", c.Name, len(r.Missed), r.Bounds))
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
	if len(failed) > 0 {
		return report, fmt.Errorf("verification failed: %s", strings.Join(failed, ", "))
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
