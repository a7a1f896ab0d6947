package tables

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/series"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/words"
)

// measurement is a time series of measured values of one field at a gauge, which the case names in [[gauge]] measured.
// Its times increase; a value is NaN if there is none at a time.
type measurement struct {
	field string // one of the columns of the gauge
	rows  []series.Row
}

// readMeasured reads the measurements at a gauge.
func (g *Gauges) readMeasured(section *config.Gauge) ([]measurement, error) {
	m, path := section.Measured, g.besideCase(section.Measured.File)
	fail := func(err error) ([]measurement, error) {
		return nil, fmt.Errorf("gauge %q: measured: %w", section.Name, err)
	}
	columns := map[string]string{m.Field: m.Column}
	if m.Field == "" {
		clear(columns)
		names, err := series.Columns(series.Table{Path: path, Sheet: m.Sheet})
		if err != nil {
			return fail(err)
		}
		for _, name := range names {
			if slices.Contains(g.probe.columns, name) {
				columns[name] = name
			}
		}
		if len(columns) == 0 {
			return fail(fmt.Errorf("%s: no column of %q is named after a field of the gauge, %q; name the column and "+
				"its field: measured = { series = …, column = …, field = … }", path, names, g.probe.columns))
		}
	} else if !slices.Contains(g.probe.columns, m.Field) {
		return fail(fmt.Errorf("field %q: %s", m.Field, words.Choose(slices.Clone(g.probe.columns))))
	}
	var list []measurement
	empty := 0
	for _, field := range g.probe.columns {
		column, ok := columns[field]
		if !ok {
			continue
		}
		rows, err := g.readSeries(series.Table{Path: path, Sheet: m.Sheet}, column, g.probe.unit(field))
		if err != nil {
			return fail(err)
		}
		if last := rows[len(rows)-1].T; last < 0 || rows[0].T > g.run.Case.Time.End {
			return fail(fmt.Errorf("%s: all measurements are outside the run: they are from %g s to %g s, the run is from 0 "+
				"to %g s",
				path, rows[0].T, last, g.run.Case.Time.End))
		}
		if list = append(list, measurement{field, rows}); !g.noteMissing(fmt.Sprintf("gauge %q: measured: %s: %q",
			section.Name, path, column), rows) {
			empty++
		}
	}
	if empty == len(list) {
		return fail(fmt.Errorf("%s: no row has a value: correct the file, or leave the measurements out", path))
	}
	return list, nil
}

// noteMissing notes how many rows of a series have no value, and reports whether any has one. what begins the notes.
func (g *Gauges) noteMissing(what string, rows []series.Row) bool {
	end := g.run.Case.Time.End
	known, during := 0, 0
	for _, row := range rows {
		if math.IsNaN(row.Value) {
			continue
		}
		if known++; row.T >= 0 && row.T <= end {
			during++
		}
	}
	missing, all := len(rows)-known, words.Count(len(rows), "row")
	switch {
	case during == 0:
		g.run.Case.Note(fmt.Sprintf("%s has no value from 0 to %g s, the time of the run, so nothing is compared; "+
			"%d of %s have none", what, end, missing, all))
	case missing > 0:
		g.run.Case.Note(fmt.Sprintf("%s has no value in %d of %s, which are left out", what, missing, all))
	}
	return known > 0
}

// readSeries reads a series of measurements, in a unit.
func (g *Gauges) readSeries(from series.Table, column, unit string) ([]series.Row, error) {
	table, err := series.Read(from, column, g.run.Case.Time.Seconds)
	if err != nil {
		return nil, err
	}
	notes, err := table.Convert(from.Path, unit)
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		g.run.Case.Note(note)
	}
	g.run.Case.Note(table.MarkerNote())
	return table.Rows, nil
}

// misfit measures the difference between computed and measured values at a gauge.
type misfit struct {
	RMS   float64 // root of the mean square of the difference, at the times of the measured values
	Max   float64 // largest difference
	Range float64 // of the measured values that were compared
}

// compare interpolates the table of a gauge linearly to the times of the measurements and returns the differences.
// Measurements before the first row or after the last are left out; ok is false if none remains.
func (m *measurement) compare(times, values []float64) (f misfit, ok bool) {
	squares, least, most, count, k := 0.0, math.Inf(1), math.Inf(-1), 0, 1
	for _, row := range m.rows {
		if len(times) < 2 || row.T < times[0] || row.T > times[len(times)-1] {
			continue
		}
		for times[k] < row.T {
			k++
		}
		fraction := (row.T - times[k-1]) / (times[k] - times[k-1])
		difference := values[k-1] + fraction*(values[k]-values[k-1]) - row.Value
		if difference-difference != 0 { // NaN: one has no value, for instance the gauge in a dry cell
			continue
		}
		squares, f.Max = squares+difference*difference, max(f.Max, math.Abs(difference))
		least, most = min(least, row.Value), max(most, row.Value)
		count++
	}
	if count == 0 {
		return misfit{}, false
	}
	f.RMS, f.Range = math.Sqrt(squares/float64(count)), most-least
	return f, true
}

// Misfits compares the gauges of this rank with their measurements. It returns the metrics of the gauges of all ranks,
// by name. All ranks call it.
func (g *Gauges) Misfits(ctx context.Context) (map[string]float64, error) {
	own, merged := map[string]float64{}, map[string]float64{}
	if g == nil || !slices.ContainsFunc(g.points, func(p gaugePoint) bool { return p.measured != nil }) {
		return merged, nil
	}
	var compareErr error
	for i, p := range g.points {
		if p.measured != nil && g.gauges[i].rows != nil {
			compareErr = cmp.Or(compareErr, g.compareGauge(i, own))
		}
	}
	text, err := json.Marshal(own)
	if err := errors.Join(compareErr, err); err != nil {
		return nil, err
	}
	parts, err := g.run.Comm.Allgatherv(ctx, text)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		if err := json.Unmarshal(part, &merged); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

// compareGauge adds the metrics of gauge i, which this rank writes.
func (g *Gauges) compareGauge(i int, metrics map[string]float64) error {
	p := g.points[i]
	table, err := readTable(g.run.Path(g.gauges[i].file), 1+len(g.probe.columns))
	if err != nil {
		return err
	}
	times := sortedTimes(table)
	for _, m := range p.measured {
		values := make([]float64, len(times))
		for k, t := range times {
			values[k] = table[t][slices.Index(g.probe.columns, m.field)]
		}
		f, ok := m.compare(times, values)
		if !ok {
			continue
		}
		metrics[m.field+"_rms_at_"+p.name], metrics[m.field+"_off_at_"+p.name] = f.RMS, f.Max
		if metrics[m.field+"_range_at_"+p.name] = f.Range; f.Range > 0 {
			metrics[m.field+"_rms_share_at_"+p.name] = f.RMS / f.Range
		}
	}
	return nil
}

// measuredDir is the subfolder with a table of the measurements at each gauge. Times count from the start of the run.
const measuredDir = "measured"

// writeMeasured writes the measurements to measuredDir, where plots of gauges find them.
func (g *Gauges) writeMeasured() error {
	for _, p := range g.points {
		if p.measured == nil {
			continue
		}
		if err := atomicfile.MakeFolder(g.run.Path(measuredDir)); err != nil {
			return err
		}
		text := []byte("t")
		for _, m := range p.measured {
			text = append(append(text, ','), m.field...)
		}
		for k, row := range p.measured[0].rows {
			text = strconv.AppendFloat(append(text, '\n'), row.T, 'g', -1, 64)
			for _, m := range p.measured {
				text = strconv.AppendFloat(append(text, ','), m.rows[k].Value, 'g', -1, 64)
			}
		}
		err := atomicfile.WriteDurably(filepath.Join(g.run.Path(measuredDir), p.name+".csv"), func(f *atomicfile.File) error {
			_, err := f.Write(append(text, '\n'))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
