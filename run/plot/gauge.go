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

// gaugeName returns the name of the gauge with a table at path: gauges/NAME.csv, which runs write, or gauge_NAME.csv,
// which runs do not write, but users may add.
func gaugeName(path string) string {
	return strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), ".csv"), "gauge_")
}

// gaugeColumns returns the columns of a table to plot: the requested ones; otherwise those that are plotted by default,
// or all columns if there are none.
func gaugeColumns(t *table, wanted []string) (columns []string) {
	var byDefault, other []string
	for _, name := range t.names {
		if name == "t" || name == "step" || name == "dt" {
			continue
		}
		other = append(other, name)
		if plottedByDefault(name) {
			byDefault = append(byDefault, name)
		}
		if wants(wanted, name) {
			columns = append(columns, name)
		}
	}
	switch {
	case len(wanted) > 0:
		return columns
	case len(byDefault) > 0:
		return byDefault
	}
	return other
}

// plottedByDefault reports whether a column is declared to be plotted by default, as levels are. Each of these columns
// gets an axis of its own, because levels may be far apart.
func plottedByDefault(column string) bool {
	f, _, _ := solvers.FieldOf(column)
	return f.GaugeDefault
}

// drawGauge plots a time series, with a panel for each unit, and measurements at the gauge.
func (r *runner) drawGauge(path string) error {
	name := gaugeName(path)
	addUnique(&r.gauges, name)
	if len(r.options.Gauges) > 0 && !wants(r.options.Gauges, name) {
		return nil
	}
	t, times, err := readTimeSeries(path)
	if err != nil {
		return err
	}
	for _, column := range t.names {
		addUnique(&r.columns, column)
	}
	s := &chart.Series{Title: "gauge " + name, T: times}
	columns := gaugeColumns(t, r.options.Columns)
	if len(columns) == 0 && len(r.options.Columns) == 0 {
		return fmt.Errorf("%s: the only column is the time", path)
	}
	if columns, err = r.addMeasuredColumns(name, t, columns); err != nil {
		return err
	}
	byColumn, err := r.measurementsAt(name, columns)
	if err != nil {
		return err
	}
	for _, column := range columns {
		label := unitOf(column)
		if len(columns) == 1 || len(byColumn) > 0 || len(r.options.Columns) == 0 && plottedByDefault(column) {
			label = withUnit(column)
		}
		c := chart.Curve{Name: column, Values: t.columns[slices.Index(t.names, column)]}
		m, found := byColumn[column]
		if !found {
			addCurve(s, label, c)
			continue
		}
		label, c.Name = withUnit(column), "computed"
		addCurve(s, label, c)
		addCurve(s, label, chart.Curve{Name: "measured", T: m.t, Values: m.values, Points: true})
		if text := m.errorOf(times, c.Values, unitOf(column)); text != "" {
			s.Title += "\n" + column + ": " + text
			r.addNote("gauge %s, %s: %s", name, column, text)
		}
	}
	return r.drawSeries("gauge-"+name, s, path)
}

// addMeasuredColumns adds, if the user asks for no columns, those for which the run has a copy of measurements.
func (r *runner) addMeasuredColumns(gauge string, t *table, columns []string) ([]string, error) {
	path := r.measuredCopy(gauge)
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

// drawTransect plots the flows through a line.
func (r *runner) drawTransect(path string) error {
	t, times, err := readTimeSeries(path)
	if err != nil {
		return err
	}
	name := gaugeName(path)
	s := &chart.Series{Title: "transect " + name, T: times}
	for k, column := range t.names {
		if column != "t" {
			addCurve(s, withUnit(column), chart.Curve{Name: column, Values: t.columns[k]})
		}
	}
	return r.drawSeries("transect-"+name, s, path)
}

// errorOf describes the difference between computed and measured values, at the times of measurements within the run.
func (m *measurements) errorOf(times, values []float64, unit string) string {
	n, sum, squares, largest := 0, 0.0, 0.0, 0.0
	for i, t := range m.t {
		if t < times[0] || t > times[len(times)-1] {
			continue
		}
		if d := interpolate(times, values, t) - m.values[i]; chart.IsFinite(d) {
			n++
			sum, squares, largest = sum+d, squares+d*d, math.Max(largest, math.Abs(d))
		}
	}
	if n == 0 {
		return "no measurements are within the run"
	}
	if unit != "" {
		unit = " " + unit
	}
	text := fmt.Sprintf("error RMS %.3g%s, mean %.3g%s, at most %.3g%s", math.Sqrt(squares/float64(n)), unit,
		sum/float64(n), unit, largest, unit)
	return strings.ReplaceAll(text, "-", "−")
}

// interpolate returns the value of a column at a time, linear between rows and constant beyond them.
func interpolate(times, values []float64, t float64) float64 {
	k := sort.SearchFloat64s(times, t)
	switch {
	case k == 0:
		return values[0]
	case k == len(times):
		return values[k-1]
	case times[k] == times[k-1]:
		return values[k]
	}
	fraction := (t - times[k-1]) / (times[k] - times[k-1])
	return values[k-1] + fraction*(values[k]-values[k-1])
}
