package run

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// stationFile has all gauges by CF: a time series a station, at the times of all of them, NaN where a gauge has none.
const stationFile = "gauges.nc"

// stations makes the file of the tables of all gauges, at the end of a run. Ranks may share no folder: a gauge whose
// table is elsewhere is left out there, and the file is not made.
func (r *runner) stations() error {
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
		for t := range tables[i] {
			times = append(times, t)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	return r.writeStations(times, tables)
}

// readGauge reads the rows of a table by their times.
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

// writeStations writes numbers of all gauges at all times.
func (r *runner) writeStations(times []float64, tables []map[float64][]float64) error {
	const station, moment, letter = 0, 1, 2
	list := r.Case.Gauges
	longest := 1
	for _, g := range list {
		longest = max(longest, len(g.Name))
	}
	text, epsg := netcdf.Text, r.Case.EPSG()
	axis := []string{"x", "y", "z"}[:len(list[0].At)]
	name := &netcdf.Var{Name: "station_name", Type: netcdf.Char, Dims: []int{station, letter},
		Attrs: netcdf.Attrs{text("cf_role", "timeseries_id"), text("long_name", "gauge")}}
	clock := &netcdf.Var{Name: "time", Type: netcdf.Float64, Dims: []int{moment},
		Attrs: ugrid.TimeAttrs(r.Case.Time.Epoch)}
	vars := []*netcdf.Var{name, clock}
	at := ""
	for _, a := range axis {
		attrs := netcdf.Attrs{text("units", "m"), text("long_name", a+" of the gauge")}
		if a != "z" {
			attrs = ugrid.CoordinateAttrs(a, epsg)
		}
		vars = append(vars, &netcdf.Var{Name: a + "_at", Type: netcdf.Float64, Dims: []int{station}, Attrs: attrs})
		at += " " + a + "_at"
	}
	first := len(vars)
	for k := range r.probe.fields {
		f := &r.probe.fields[k]
		for _, number := range f.Numbers() {
			attrs := append(ugrid.FieldAttrs(f), text("coordinates", "time"+at+" station_name"),
				netcdf.Numeric("_FillValue", netcdf.Float64, math.NaN()))
			vars = append(vars, &netcdf.Var{Name: number, Type: netcdf.Float64, Dims: []int{station, moment}, Attrs: attrs})
		}
	}
	attrs := netcdf.Attrs{text("Conventions", "CF-1.11"), text("featureType", "timeSeries"),
		text("source", "atoll "+summary.Version())}
	if r.Case.CRS != "" {
		attrs = append(attrs, text("crs", r.Case.CRS))
	}
	head, err := netcdf.Define([]netcdf.Dim{{Name: "station", Length: int64(len(list))}, {Name: "time",
		Length: int64(max(1, len(times)))}, {Name: "letter", Length: int64(longest)}}, attrs, vars)
	if err != nil {
		return err
	}
	b := append(head.Head(), make([]byte, head.End()-int64(len(head.Head())))...)
	put := func(v *netcdf.Var, first int, values ...float64) {
		copy(b[head.At(v, 0, int64(first)):], v.Type.Append(nil, values))
	}
	put(clock, 0, times...)
	for i, g := range list {
		copy(b[head.At(name, 0, int64(i*longest)):], g.Name)
		for d := range axis {
			put(vars[2+d], i, g.At[d])
		}
		for k, v := range vars[first:] {
			for j, t := range times {
				value := math.NaN()
				if row, ok := tables[i][t]; ok {
					value = row[k]
				}
				put(v, i*len(times)+j, value)
			}
		}
	}
	return atomicfile.Write(filepath.Join(r.Dir, stationFile), func(f *os.File) error {
		_, err := f.Write(b)
		return err
	})
}

// endings writes what the end of a run adds to its output. All ranks call it.
func (r *runner) endings(ctx context.Context) error {
	if r.Check || r.Report != nil {
		return nil
	}
	var err error
	for _, g := range r.gauges {
		if g.rows != nil && err == nil {
			_, err = g.rows.sync() // what is read below
		}
	}
	if err := solvers.Agree(ctx, r.Comm, err); err != nil {
		return err
	}
	if r.Comm.Rank() == 0 && len(r.gauges) > 0 {
		err = r.stations()
	}
	if err := solvers.Agree(ctx, r.Comm, err); err != nil || r.Case.Output.Raster == 0 {
		return err
	}
	return r.rasters(ctx)
}
