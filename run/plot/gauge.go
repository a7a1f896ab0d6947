package plot

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/solvers"
)

// gaugeName is that of the gauge whose table is at a path.
func gaugeName(path string) string {
	return strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), ".csv"), "gauge_")
}

// gaugeColumns are those that are drawn of a table: those asked for, or else the levels, or all where none is
// declared as a level.
func gaugeColumns(t *table, wanted []string) (columns []string) {
	var usual, every []string
	for _, name := range t.names {
		if name == "t" || name == "step" || name == "dt" {
			continue
		}
		every = append(every, name)
		if isLevel(name) {
			usual = append(usual, name)
		}
		if wants(wanted, name) {
			columns = append(columns, name)
		}
	}
	switch {
	case len(wanted) > 0:
		return columns
	case len(usual) > 0:
		return usual
	}
	return every
}

// isLevel reports whether a column is a level, which has axes of its own: levels may lie far from each other.
func isLevel(column string) bool {
	f, _, _ := solvers.FieldOf(column)
	return f.GaugeDefault
}

// gauge draws a time series, in a panel for each unit, beside what was measured there.
func (r *runner) gauge(path string) error {
	name := gaugeName(path)
	note(&r.gauges, name)
	if len(r.options.Gauges) > 0 && !wants(r.options.Gauges, name) {
		return nil
	}
	t, times, err := readCourse(path)
	if err != nil {
		return err
	}
	for _, column := range t.names {
		note(&r.columns, column)
	}
	s := &chart.Series{Title: "gauge " + name, T: times}
	columns := gaugeColumns(t, r.options.Columns)
	if len(columns) == 0 && len(r.options.Columns) == 0 {
		return fmt.Errorf("%s: there is no column but the time", path)
	}
	if columns, err = r.withKept(name, t, columns); err != nil {
		return err
	}
	measured, err := r.measuredAt(name, columns)
	if err != nil {
		return err
	}
	for _, column := range columns {
		label := unitOf(column)
		if len(columns) == 1 || len(measured) > 0 || len(r.options.Columns) == 0 && isLevel(column) {
			label = withUnit(column)
		}
		c := chart.Curve{Name: column, Values: t.columns[slices.Index(t.names, column)]}
		m, there := measured[column]
		if !there {
			add(s, label, c)
			continue
		}
		label, c.Name = withUnit(column), "computed"
		add(s, label, c)
		add(s, label, chart.Curve{Name: "measured", T: m.t, Values: m.values, Points: true})
		if told := m.errorOf(times, c.Values, unitOf(column)); told != "" {
			s.Title += "\n" + column + ": " + told
			r.tell("gauge %s, %s: %s", name, column, told)
		}
	}
	return r.series("gauge-"+name, s, path)
}

// withKept adds the columns of which the run has kept what was measured to those that are drawn, if none are asked for.
func (r *runner) withKept(gauge string, t *table, columns []string) ([]string, error) {
	path := r.kept(gauge)
	if path == "" || r.options.Measured != "" || len(r.options.Columns) > 0 {
		return columns, nil
	}
	names, _, err := readMeasured(path, config.Time{})
	for _, column := range names {
		if slices.Contains(t.names, column) && !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	return columns, err
}

// transect draws what flows through a line.
func (r *runner) transect(path string) error {
	t, times, err := readCourse(path)
	if err != nil {
		return err
	}
	name := gaugeName(path)
	s := &chart.Series{Title: "transect " + name, T: times}
	for k, column := range t.names {
		if column != "t" {
			add(s, withUnit(column), chart.Curve{Name: column, Values: t.columns[k]})
		}
	}
	return r.series("transect-"+name, s, path)
}

// errorOf tells how far computed values are from measured ones, at the times of these within the run.
func (m *measured) errorOf(times, values []float64, unit string) string {
	n, sum, squares, largest := 0, 0.0, 0.0, 0.0
	for i, t := range m.t {
		if t < times[0] || t > times[len(times)-1] {
			continue
		}
		if d := between(times, values, t) - m.values[i]; d-d == 0 {
			n++
			sum, squares, largest = sum+d, squares+d*d, math.Max(largest, math.Abs(d))
		}
	}
	if n == 0 {
		return "nothing was measured in the time of the run"
	}
	if unit != "" {
		unit = " " + unit
	}
	told := fmt.Sprintf("error RMS %.3g%s, mean %.3g%s, at most %.3g%s", math.Sqrt(squares/float64(n)), unit,
		sum/float64(n), unit, largest, unit)
	return strings.ReplaceAll(told, "-", "−")
}

// between is a column at a time, linear between those of its rows.
func between(times, values []float64, at float64) float64 {
	k := sort.SearchFloat64s(times, at)
	switch {
	case k == 0:
		return values[0]
	case k == len(times):
		return values[k-1]
	case times[k] == times[k-1]:
		return values[k]
	}
	part := (at - times[k-1]) / (times[k] - times[k-1])
	return values[k-1] + part*(values[k]-values[k-1])
}
