package run

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/run/timeseries"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// stationFile is the NetCDF file of all gauges by CF: one time series per station, at the union of their times; NaN
// where a gauge has no value.
const stationFile = "gauges.nc"

// writeStationFile writes stationFile from the tables of all gauges at the end of a run. If ranks do not share a
// folder, tables are missing, and the file is not written.
func (r *runner) writeStationFile() error {
	var times []float64
	tables := make([]map[float64][]float64, len(r.gauges))
	for i, g := range r.gauges {
		var err error
		tables[i], err = readGauge(filepath.Join(r.Dir, g.file), 1+len(r.probe.columns))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		times = append(times, sortedTimes(tables[i])...)
		for _, m := range r.points[i].measured {
			for _, row := range m.rows {
				times = append(times, row.T)
			}
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	return r.writeStations(times, tables)
}

// sortedTimes returns the times of a table in order.
func sortedTimes(table map[float64][]float64) []float64 { return slices.Sorted(maps.Keys(table)) }

// readGauge reads a table. It returns rows by their time.
func readGauge(path string, columns int) (map[float64][]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = columns
	rows, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	table := map[float64][]float64{}
	for k, row := range rows[min(1, len(rows)):] {
		numbers := make([]float64, columns)
		for i, text := range row {
			if numbers[i], err = strconv.ParseFloat(text, 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, k+2, err)
			}
		}
		table[numbers[0]] = numbers[1:]
	}
	return table, nil
}

// writeStations writes the values of all gauges, and the measurements.
func (r *runner) writeStations(times []float64, tables []map[float64][]float64) error {
	names := make([]string, len(r.points))
	for i, p := range r.points {
		names[i] = p.name
	}
	f := timeseries.New(r.Case, "station", "gauge", names, times)
	for d, axis := range []string{"x", "y", "z"}[:len(r.points[0].position)] {
		attrs := netcdf.Attrs{netcdf.Text("units", "m"), netcdf.Text("long_name", axis+" of the gauge")}
		if axis != "z" {
			attrs = ugrid.CoordinateAttrs(axis, r.Case.EPSG())
		}
		coordinates := make([]float64, len(r.points))
		for i, p := range r.points {
			coordinates[i] = p.position[d]
		}
		f.Coordinate(axis+"_at", attrs, coordinates)
	}
	column := 0
	for k := range r.probe.fields {
		field := &r.probe.fields[k]
		for _, number := range field.Numbers() {
			f.Values(number, ugrid.FieldAttrs(field), func(i int, t float64) (float64, bool) {
				row, ok := tables[i][t]
				if !ok {
					return 0, false
				}
				return row[column], true
			})
			column++
			f.Values(number+"_measured", netcdf.Attrs{netcdf.Text("units", ugrid.Units(field.Unit)),
				netcdf.Text("long_name", "measured: "+field.Doc)}, r.measurementLookup(number))
		}
	}
	return r.publish(stationFile, f.Write)
}

// measurementLookup returns a function that looks up the measurement of a field at gauge i and time t; nil if no gauge
// has any.
func (r *runner) measurementLookup(field string) func(i int, t float64) (float64, bool) {
	values := make([]map[float64]float64, len(r.points))
	anyMeasured := false
	for i, s := range r.points {
		for _, m := range s.measured {
			if m.field != field {
				continue
			}
			anyMeasured = true
			values[i] = make(map[float64]float64, len(m.rows))
			for _, row := range m.rows {
				values[i][row.T] = row.Value
			}
		}
	}
	if !anyMeasured {
		return nil
	}
	return func(i int, t float64) (float64, bool) {
		v, ok := values[i][t]
		return v, ok
	}
}

// writeFinalOutput writes the files that are made at the end of a run. All ranks call it.
func (r *runner) writeFinalOutput(ctx context.Context) error {
	if r.Check || r.Report != nil {
		return nil
	}
	var err error
	if r.Comm.Rank() == 0 && len(r.gauges) > 0 {
		err = r.writeStationFile()
	}
	if r.Comm.Rank() == 0 && r.transects != nil && err == nil {
		err = r.transects.write(r)
	}
	if err := solvers.Agree(ctx, r.Comm, err); err != nil {
		return err
	}
	if err := r.outlines(ctx); err != nil || r.Case.Output.Raster == 0 {
		return err
	}
	return r.rasters(ctx)
}
