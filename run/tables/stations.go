package tables

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/timeseries"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// stationFile is the NetCDF file of all gauges by CF: one time series per station, at the union of their times; NaN
// where a gauge has no value.
const stationFile = "gauges.nc"

// stations writes stationFile, from the tables of all gauges.
type stations struct {
	recorder.Base
	*Gauges
}

// Open implements recorder.Recorder. It writes the measurements at the gauges.
func (s *stations) Open(context.Context, *recorder.Position) error {
	if s.run.Comm.Rank() != 0 {
		return nil
	}
	return s.run.Fence.Publish(s.writeMeasured)
}

// Write implements recorder.Recorder.
func (s *stations) Write(ctx context.Context, _ solvers.Clock, _ bool) error {
	var err error
	if s.run.Comm.Rank() == 0 {
		err = s.writeFile()
	}
	return solvers.Agree(ctx, s.run.Comm, err)
}

// writeFile writes stationFile. If ranks do not share a folder, tables are missing, and the file is not written.
func (s *stations) writeFile() error {
	var times []float64
	tables := make([]map[float64][]float64, len(s.gauges))
	for i, g := range s.gauges {
		var err error
		tables[i], err = readTable(s.run.Path(g.file), 1+len(s.probe.columns))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		times = append(times, sortedTimes(tables[i])...)
		for _, m := range s.points[i].measured {
			for _, row := range m.rows {
				times = append(times, row.T)
			}
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	return s.writeStations(times, tables)
}

// writeStations writes the values of all gauges, and the measurements.
func (s *stations) writeStations(times []float64, tables []map[float64][]float64) error {
	names := make([]string, len(s.points))
	for i, p := range s.points {
		names[i] = p.name
	}
	f := timeseries.New(s.run.Case, "station", "gauge", names, times)
	for d, axis := range []string{"x", "y", "z"}[:len(s.points[0].position)] {
		attrs := netcdf.Attrs{netcdf.Text("units", "m"), netcdf.Text("long_name", axis+" of the gauge")}
		if axis != "z" {
			attrs = ugrid.CoordinateAttrs(axis, s.run.Case.EPSG())
		}
		coordinates := make([]float64, len(s.points))
		for i, p := range s.points {
			coordinates[i] = p.position[d]
		}
		f.Coordinate(axis+"_at", attrs, coordinates)
	}
	column := 0
	for k := range s.probe.fields {
		field := &s.probe.fields[k]
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
				netcdf.Text("long_name", "measured: "+field.Doc)}, s.measurementLookup(number))
		}
	}
	return s.run.Publish(stationFile, f.Write)
}

// measurementLookup returns a function that looks up the measurement of a field at gauge i and time t; nil if no gauge
// has any.
func (s *stations) measurementLookup(field string) func(i int, t float64) (float64, bool) {
	values := make([]map[float64]float64, len(s.points))
	anyMeasured := false
	for i, p := range s.points {
		for _, m := range p.measured {
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
