package study

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/solvers"
)

// Row is a run with the orders of convergence of its errors, relative to the next coarser run, by metric.
type Row struct {
	*Run
	Orders map[string]float64
}

// Table is the result of a study.
type Table struct {
	Axes           []Axis
	Rows           []Row    // ordered by the other axes, then from coarse to fine
	Metrics        []string // metrics that are shown
	Errors         []string // metrics in AllMetrics with orders of convergence
	AllMetrics     []string // metrics of all runs
	ResolutionAxis int      // index in Axes of the varied key that changes the resolution; -1 for none
}

// Table returns the table of the runs that are done. It shows the given metrics; if there are none, the errors if a
// resolution varies, else all metrics.
func (s *Study) Table(metrics []string) (*Table, error) {
	t := &Table{Axes: s.Axes, ResolutionAxis: s.Resolution()}
	names := map[string]bool{}
	for _, r := range s.Runs {
		if r.Summary == nil {
			continue
		}
		t.Rows = append(t.Rows, Row{r, map[string]float64{}})
		for name := range r.Summary.Metrics {
			names[name] = true
		}
	}
	errorMetrics := s.errorMetrics()
	// Errors come first, in the order of their declaration.
	t.AllMetrics = slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		rank := func(name string) int {
			if i := slices.Index(errorMetrics, name); i >= 0 {
				return i
			}
			return len(errorMetrics)
		}
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b))
	})
	for _, m := range metrics {
		if !names[m] && len(t.Rows) > 0 {
			return nil, fmt.Errorf("no run has a metric %q: choose from %s", m, strings.Join(t.AllMetrics, ", "))
		}
	}
	isError := func(name string) bool { return slices.Contains(errorMetrics, name) }
	t.Metrics = metrics
	if len(metrics) == 0 {
		t.Metrics = slices.Clone(t.AllMetrics)
		if t.ResolutionAxis >= 0 && slices.ContainsFunc(t.AllMetrics, isError) {
			t.Metrics = slices.DeleteFunc(t.Metrics, func(m string) bool { return !isError(m) })
		}
	}
	for _, m := range t.AllMetrics {
		if t.ResolutionAxis >= 0 && isError(m) {
			t.Errors = append(t.Errors, m)
		}
	}
	t.sort()
	t.computeOrders()
	return t, nil
}

// CheckMetrics returns an error for metrics that no run of the study will have.
func (s *Study) CheckMetrics(metrics []string) error {
	c := s.Runs[0].Case
	kind, _ := solvers.Find(c.Solver)
	var names []string
	for _, q := range kind.Measured() {
		if q.Outputs&solvers.Metric != 0 {
			names = append(names, q.Name)
		}
	}
	names = append(names, s.errorMetrics()...)
	for _, m := range metrics {
		// names of sources are unknown before the run
		if !slices.Contains(names, m) && !strings.Contains(m, solvers.SourceInfix) {
			slices.Sort(names)
			return fmt.Errorf("--metric %s: %s", m, words.Choose(slices.Compact(names)))
		}
	}
	return nil
}

// errorMetrics returns the metrics that the solver declares as errors, and the errors of fields with an exact solution.
func (s *Study) errorMetrics() (names []string) {
	c := s.Runs[0].Case
	kind, _ := solvers.Find(c.Solver)
	add := func(list []solvers.Quantity) {
		for _, q := range list {
			if q.Error && q.Outputs&solvers.Metric != 0 {
				names = append(names, q.Name)
			}
		}
	}
	add(kind.Quantities)
	for _, exact := range c.Exact {
		add(solvers.ErrorQuantities(&solvers.Field{Name: exact.Name}))
	}
	return names
}

// sort orders rows such that runs that differ only in resolution follow each other.
func (t *Table) sort() {
	if t.ResolutionAxis < 0 {
		return
	}
	index := func(r Row, n int) int { return slices.Index(t.Axes[n].Values, r.Values[n]) }
	slices.SortStableFunc(t.Rows, func(a, b Row) int {
		for n := range t.Axes {
			if d := index(a, n) - index(b, n); n != t.ResolutionAxis && d != 0 {
				return d
			}
		}
		return cmp.Compare(a.Summary.Cells, b.Summary.Cells)
	})
}

// computeOrders computes the orders: the log of the ratio of errors divided by the log of the ratio of cell sizes.
func (t *Table) computeOrders() {
	if t.ResolutionAxis < 0 {
		return
	}
	for i := 1; i < len(t.Rows); i++ {
		coarse, fine := t.Rows[i-1], t.Rows[i]
		if !differOnlyAlong(coarse.Run, fine.Run, t.ResolutionAxis) {
			continue
		}
		ratio := spacingRatio(coarse.Run, fine.Run, t.ResolutionAxis)
		for _, m := range t.Errors {
			o := math.Log(math.Abs(coarse.Summary.Metrics[m]/fine.Summary.Metrics[m])) / math.Log(ratio)
			if chart.IsFinite(o) { // it is not finite if an error is 0
				fine.Orders[m] = o
			}
		}
	}
}
