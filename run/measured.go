package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/series"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/solvers"
)

// record is a series of measurements of a field at a gauge, as from a laboratory or a tide gauge, which the case names
// in [[gauge]] measured. Its times increase.
type record struct {
	field string // one of the columns of the gauge
	rows  []series.Row
}

// newRecords reads the measurements at a gauge.
func (r *runner) newRecords(g *config.Gauge) ([]record, error) {
	m, path := g.Measured, r.besideCase(g.Measured.File)
	fail := func(err error) ([]record, error) { return nil, fmt.Errorf("gauge %q: measured: %w", g.Name, err) }
	columns := map[string]string{m.Field: m.Column}
	if m.Field == "" {
		clear(columns)
		names, err := series.Columns(path)
		if err != nil {
			return fail(err)
		}
		for _, name := range names {
			if slices.Contains(r.probe.columns, name) {
				columns[name] = name
			}
		}
		if len(columns) == 0 {
			return fail(fmt.Errorf("%s: none of its columns %q has the name of a field of the gauge, %q; name the column and "+
				"its field: measured = { series = …, column = …, field = … }", path, names, r.probe.columns))
		}
	} else if !slices.Contains(r.probe.columns, m.Field) {
		return fail(fmt.Errorf("field %q: %s", m.Field, config.Choose(slices.Clone(r.probe.columns))))
	}
	var list []record
	for _, field := range r.probe.columns {
		column, of := columns[field]
		if !of {
			continue
		}
		rows, err := series.Read(path, column, r.Case.Time.Seconds)
		if err != nil {
			return fail(err)
		}
		if last := rows[len(rows)-1].T; last < 0 || rows[0].T > r.Case.Time.End {
			return fail(fmt.Errorf("%s: no measurement is within the run: they are from %g s to %g s, the run is from 0 to %g s",
				path, rows[0].T, last, r.Case.Time.End))
		}
		list = append(list, record{field, rows})
	}
	return list, nil
}

// misfit is the difference between the computed values at a gauge and the measured ones.
type misfit struct {
	RMS   float64 // root of the mean square of the difference, at the times of the measured values
	Max   float64 // largest difference
	Range float64 // of the measured values that were compared
}

// compare interpolates the gauge's table linearly to the times of the measurements and returns the differences.
// Measurements before the first row or after the last are left out; ok is false where none is left.
func (m *record) compare(times, values []float64) (f misfit, ok bool) {
	square, least, most, count, k := 0.0, math.Inf(1), math.Inf(-1), 0, 1
	for _, row := range m.rows {
		if len(times) < 2 || row.T < times[0] || row.T > times[len(times)-1] {
			continue
		}
		for times[k] < row.T {
			k++
		}
		share := (row.T - times[k-1]) / (times[k] - times[k-1])
		off := values[k-1] + share*(values[k]-values[k-1]) - row.Value
		if off-off != 0 { // NaN: the gauge has no value then, as where its cell is dry
			continue
		}
		square, f.Max = square+off*off, max(f.Max, math.Abs(off))
		least, most = min(least, row.Value), max(most, row.Value)
		count++
	}
	if count == 0 {
		return misfit{}, false
	}
	f.RMS, f.Range = math.Sqrt(square/float64(count)), most-least
	return f, true
}

// misfits compares the gauges that this rank writes with their measurements, and returns the metrics of the gauges of
// all ranks, by name, on each rank. All ranks call it.
func (r *runner) misfits(ctx context.Context) (map[string]float64, error) {
	mine, all := map[string]float64{}, map[string]float64{}
	if !slices.ContainsFunc(r.points, func(s gaugePoint) bool { return s.measured != nil }) {
		return all, nil
	}
	var failed error
	for i, s := range r.points {
		if s.measured != nil && r.gauges[i].rows != nil {
			failed = cmp.Or(failed, r.compareGauge(i, mine))
		}
	}
	text, err := json.Marshal(mine)
	if err := errors.Join(failed, err); err != nil {
		return nil, err
	}
	parts, err := r.Comm.Allgatherv(ctx, text)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		if err := json.Unmarshal(part, &all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// compareGauge adds the metrics of gauge i of this rank to a map.
func (r *runner) compareGauge(i int, to map[string]float64) error {
	s := r.points[i]
	table, err := readGauge(filepath.Join(r.Dir, r.gauges[i].file), 1+len(r.probe.columns))
	if err != nil {
		return err
	}
	times := sortedTimes(table)
	for _, m := range s.measured {
		values := make([]float64, len(times))
		for k, t := range times {
			values[k] = table[t][slices.Index(r.probe.columns, m.field)]
		}
		f, ok := m.compare(times, values)
		if !ok {
			continue
		}
		to[m.field+"_rms_at_"+s.name], to[m.field+"_off_at_"+s.name] = f.RMS, f.Max
		if to[m.field+"_range_at_"+s.name] = f.Range; f.Range > 0 {
			to[m.field+"_rms_share_at_"+s.name] = f.RMS / f.Range
		}
	}
	return nil
}

// measuredDir is the folder, in that of the run, with a table of the measurements at each gauge. Times count from the
// start of the run.
const measuredDir = "measured"

// keepRecords writes the measurements to measuredDir, from which pictures of gauges take them.
func (r *runner) keepRecords() error {
	for _, s := range r.points {
		if s.measured == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Join(r.Dir, measuredDir), 0o777); err != nil {
			return err
		}
		text := []byte("t")
		for _, m := range s.measured {
			text = append(append(text, ','), m.field...)
		}
		for k, row := range s.measured[0].rows {
			text = strconv.AppendFloat(append(text, '\n'), row.T, 'g', -1, 64)
			for _, m := range s.measured {
				text = strconv.AppendFloat(append(text, ','), m.rows[k].Value, 'g', -1, 64)
			}
		}
		err := atomicfile.Write(filepath.Join(r.Dir, measuredDir, s.name+".csv"), func(f *os.File) error {
			_, err := f.Write(append(text, '\n'))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// conclusions returns the metrics that only the end of a run has: those that the solver derives from all steps, and the
// misfits of gauges. All ranks call it.
func (r *runner) conclusions(ctx context.Context) (map[string]float64, error) {
	found := map[string]float64{}
	if c, ok := r.solver.(solvers.Concluder); ok {
		list, err := c.Conclude(ctx)
		if err != nil {
			return nil, err
		}
		for _, q := range list {
			found[q.Name] = q.Value
		}
	}
	if r.Check || r.Report != nil {
		return found, nil
	}
	of, err := r.misfits(ctx)
	maps.Copy(found, of)
	return found, err
}
