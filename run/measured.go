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

// record is what was measured of a field at a gauge. Its times increase.
type record struct {
	field string // one of the columns of the gauge
	rows  []series.Row
}

// newRecords reads what was measured at a gauge.
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
			return fail(fmt.Errorf("%s: of its columns %q none is one of the gauge's, %q; which one is of which field is told "+
				"by { series = …, column = …, field = … }", path, names, r.probe.columns))
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
			return fail(fmt.Errorf("%s: its times are from %g s to %g s, and the run is from 0 to %g s", path, rows[0].T, last,
				r.Case.Time.End))
		}
		list = append(list, record{field, rows})
	}
	return list, nil
}

// misfit is how far a gauge is off what was measured.
type misfit struct {
	RMS   float64 // root of the mean square of the difference, at the times of the measured values
	Max   float64 // largest difference
	Range float64 // of the measured values that were compared
}

// compare compares a gauge's table with what was measured, at its times between the first row and the last: rows are
// linear between their times. ok tells that there is any such time.
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
		if off-off != 0 { // the gauge has nothing there
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

// misfits compares the gauges of this rank whose tables are complete with what was measured, and tells on all ranks of
// all of them, as metrics by their names. All ranks call it.
func (r *runner) misfits(ctx context.Context) (map[string]float64, error) {
	mine, all := map[string]float64{}, map[string]float64{}
	if !slices.ContainsFunc(r.points, func(s gaugePoint) bool { return s.measured != nil }) {
		return all, nil
	}
	var failed error
	for i, s := range r.points {
		if s.measured != nil && r.gauges[i].rows != nil {
			failed = cmp.Or(failed, r.compareSite(i, mine))
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

// compareSite adds the metrics of a gauge.
func (r *runner) compareSite(i int, to map[string]float64) error {
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

// measuredDir holds what was measured at gauges, in the folder of the run: a table each with the times of the run.
const measuredDir = "measured"

// keepRecords writes what was measured beside what the run computes, where pictures find it.
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

// conclusions are the metrics that are found at the end of a run alone: what the solver concludes from all steps, and
// how far gauges are off what was measured there. All ranks call it.
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
