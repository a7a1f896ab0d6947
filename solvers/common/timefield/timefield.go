// Package timefield has fields over time in the cells of a part of a mesh, from a variable of a NetCDF file or a list
// of rasters: rain in intervals, and what is known at times. Open finds the times, the rasters' cells and how much of
// each is in each cell of the mesh; Values then reads one record.
//
// Values depend on the coordinates of a cell alone, so that they are the same on every rank.
package timefield

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/overtime"
	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/formats/projection"
	"github.com/atoll-hpc/atoll/formats/series"
	"github.com/atoll-hpc/atoll/formats/units"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/raster"
)

// Field is a field over time in the cells of a part.
type Field struct {
	c      *config.Case
	from   *overtime.Field
	files  []string // of each record; one for all of a NetCDF file
	times  []float64
	ends   bool // times are the ends of intervals, else those of the records
	part   *mesh.Part
	shares shares
	scale  float64 // by which values are multiplied
	amount bool    // and then divided by the length of their interval
	grid   grid
	place  projection.Inverse // from positions of the case to those of rasters
	turned bool               // the latter are longitudes and latitudes, the former are not
	circle bool               // both are, and the rasters go around the earth
	options

	block *raster.Grid // of a NetCDF file: the records that were read last, from first on
	first int
}

// mostValues bounds the values of a NetCDF file that are read at once. Files may be compressed in chunks of many
// records, which is too slow to do again for each of them.
const mostValues = 1 << 20

// options are those of raster.Open but the record.
type options struct{ raster.Options }

// grid is what all rasters of a field have in common.
type grid struct {
	Columns, Rows              int
	West, South, Width, Height float64
}

// Wanted is what a case wants of a field over time.
type Wanted struct {
	Unit string // of the values
	// Intervals tells that values are means, or amounts, in intervals of time, of which a cell gets the mean over its
	// area. Otherwise they are those of times, and a cell gets the value at its centroid, which is interpolated.
	Intervals bool
}

// Open opens a field over time, and refuses one that does not cover the part or the run.
func Open(c *config.Case, from *overtime.Field, part *mesh.Part, want Wanted) (*Field, error) {
	f := &Field{c: c, from: from, part: part, ends: want.Intervals}
	f.Missing, f.Box = from.Missing, raster.Box{West: 1, East: -1} // of no cell
	f.Variable = from.Variable
	var err error
	name := from.List
	if !isPattern(name) {
		name = c.Path(from.Raster + from.List)
	}
	if from.List != "" {
		err = f.readList(name)
	} else {
		err = f.readTimes(name)
	}
	if err != nil {
		return nil, err
	}
	if first, last := f.times[0], f.times[len(f.times)-1]; first > 0 || last < c.Time.End {
		return nil, fmt.Errorf("%s: its times are from %g s to %g s, the run is from 0 to %g s", name, first, last,
			c.Time.End)
	}
	g, err := f.open(0)
	if err != nil {
		return nil, err
	}
	f.grid = gridOf(g)
	if err := f.convert(g, want.Unit); err != nil {
		return nil, err
	}
	if f.place, err = f.placeOf(g, name); err != nil {
		return nil, err
	}
	if f.Box, err = f.findShares(name, f.place); err != nil {
		return nil, err
	}
	columns, rows := (f.Box.East-f.Box.West)/g.Width+3, (f.Box.North-f.Box.South)/g.Height+3
	f.block, f.Records = nil, max(1, min(f.count(), int(mostValues/(columns*rows))))
	return f, nil
}

// Times are the times of the records, or the ends of their intervals, s.
func (f *Field) Times() []float64 { return f.times }

// Turned reports whether the rasters have vectors to the east and the north, and the case others.
func (f *Field) Turned() bool { return f.turned }

// AxisAt returns the direction of the x axis of the case at the centroid of a cell: its components to the east and the
// north.
func (f *Field) AxisAt(cell int) (east, north float64) {
	const way = 50.0 // m
	x, y := f.part.Centroid(cell)
	fromLongitude, fromLatitude := f.place(x-way, y)
	toLongitude, toLatitude := f.place(x+way, y)
	_, latitude := f.place(x, y)
	east, north = (toLongitude-fromLongitude)*math.Cos(latitude*math.Pi/180), toLatitude-fromLatitude
	length := math.Hypot(east, north)
	return east / length, north / length
}

// readList reads the times and files of a list, or finds those of a pattern.
func (f *Field) readList(name string) error {
	if isPattern(f.from.List) {
		if err := f.readPattern(); err != nil {
			return err
		}
	} else {
		rows, err := series.ReadNames(series.Table{Path: name}, f.c.Time.Seconds)
		if err != nil {
			return err
		}
		for _, r := range rows {
			f.times = append(f.times, r.T)
			f.files = append(f.files, f.c.Path(r.Text))
		}
	}
	if !f.ends {
		return nil
	}
	err := f.setIntervals(name, nil)
	if err == nil {
		f.noteGaps(name)
	}
	return err
}

// readTimes reads the times of a NetCDF file.
func (f *Field) readTimes(name string) error {
	file, err := netcdf.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	v, err := raster.ChooseVariable(file, f.Variable)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.Variable, f.files = v.Name, []string{name}
	dim, err := series.TimeDimension(file, v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	times, err := series.TimesOf(file, v, dim, f.c.Time.Seconds)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if f.times = times.At; !f.ends {
		return nil
	}
	if strings.Contains(v.Attrs.Text("cell_methods"), "time: point") {
		return fmt.Errorf("%s: variable %q has values at times (cell_methods), not means or amounts in intervals",
			name, v.Name)
	}
	return f.setIntervals(name, times.Bounds)
}

// setIntervals sets the ends of the intervals: the bounds of a file if it has any, else by the times.
func (f *Field) setIntervals(name string, bounds [][2]float64) error {
	n := len(f.times)
	switch {
	case bounds != nil:
		for k := range n - 1 {
			if bounds[k][1] != bounds[k+1][0] {
				return fmt.Errorf("%s: interval %d ends at %g s, and the next one begins at %g s", name, k, bounds[k][1],
					bounds[k+1][0])
			}
		}
		f.times = f.times[:0]
		for _, b := range bounds {
			if !(b[0] < b[1]) {
				return fmt.Errorf("%s: an interval is from %g s to %g s", name, b[0], b[1])
			}
			f.times = append(f.times, b[0])
		}
		f.times = append(f.times, bounds[n-1][1])
	case f.from.Stamp == "":
		return fmt.Errorf(`%s: the file does not tell the interval of each value: stamp = "end" if its time is the end of `+
			`the interval, as in ERA5 and most composites of radars, or "start"`, name)
	case n < 2:
		return fmt.Errorf("%s: there is one time: the length of its interval is not known", name)
	case f.from.Stamp == "end": // the first interval is as long as the second one
		f.times = slices.Insert(f.times, 0, 2*f.times[0]-f.times[1])
	default:
		f.times = append(f.times, 2*f.times[n-1]-f.times[n-2])
	}
	return nil
}

// open opens a record.
func (f *Field) open(k int) (*raster.Grid, error) {
	if f.from.List != "" {
		return raster.Open(f.files[k], f.Options)
	}
	if f.block == nil || k < f.first || k >= f.first+f.Records {
		o := f.Options
		o.Record, o.Records = k+1, min(f.Records, f.count()-k)
		var err error
		if f.block, err = raster.Open(f.files[0], o); err != nil {
			f.block = nil
			return nil, err
		}
		f.first = k
	}
	return f.block.Record(k - f.first), nil
}

// count is the number of records.
func (f *Field) count() int {
	if f.ends {
		return len(f.times) - 1
	}
	return len(f.times)
}

func gridOf(g *raster.Grid) grid { return grid{g.Columns, g.Rows, g.West, g.South, g.Width, g.Height} }

// convert finds out how values are converted.
func (f *Field) convert(g *raster.Grid, to string) (err error) {
	unit, _ := g.Unit()
	if f.from.Unit != "" {
		unit = f.from.Unit
	}
	name := f.files[0]
	switch {
	case unit == "" && f.ends:
		return fmt.Errorf(`%s: the file does not tell the unit of its values: give it by unit = "mm/h", or "mm" for the `+
			"amount in each interval", name)
	case unit == "":
		f.scale = 1
		return nil
	}
	if f.scale, err = units.Scale(unit, to); err == nil || !f.ends {
		if err != nil {
			err = fmt.Errorf("%s: the unit %q: %w", name, unit, err)
		}
		return err
	}
	for _, amount := range []struct {
		unit  string
		scale float64
	}{{"m", 1}, {"kg m-2", 1e-3}} { // of fresh water
		if scale, err := units.Scale(unit, amount.unit); err == nil {
			f.scale, f.amount = scale*amount.scale, true
			return nil
		}
	}
	if errors.Is(err, units.ErrUnknown) {
		return fmt.Errorf(`%s: the unit %q is not known: give it by unit = "mm/h"`, name, unit)
	}
	return fmt.Errorf(`%s: the unit %q is neither a rate, such as mm/h, nor an amount, such as mm`, name, unit)
}

// placeOf returns the function that converts positions of the case to those of the rasters.
func (f *Field) placeOf(g *raster.Grid, name string) (projection.Inverse, error) {
	_, unit := g.Unit()
	mine := f.c.EPSG()
	isDegrees := unit == "degree" || g.EPSG != 0 && epsg.Unit(g.EPSG) == "degree"
	switch {
	case !isDegrees && mine != 0 && g.EPSG != 0 && g.EPSG != mine:
		return nil, fmt.Errorf("%s has coordinates in EPSG:%d, the case has EPSG:%d: convert it by gdalwarp -t_srs "+
			"EPSG:%[3]d", name, g.EPSG, mine)
	case !isDegrees && epsg.Geographic(mine) && unit != "":
		return nil, fmt.Errorf("%s has coordinates in %s, and the case longitudes and latitudes: convert it by gdalwarp "+
			"-t_srs EPSG:%d", name, unit, mine)
	case !isDegrees || epsg.Geographic(mine):
		f.circle = epsg.Geographic(mine) && math.Abs(float64(g.Columns)*g.Width-360) < 1e-3*g.Width
		return func(x, y float64) (float64, float64) { return x, y }, nil
	case mine == 0:
		return nil, fmt.Errorf("%s has longitudes and latitudes, and the case has no crs: give that of the mesh, such as "+
			`crs = "EPSG:32632"`, name)
	}
	inverse, ok := projection.Of(mine)
	if !ok {
		return nil, fmt.Errorf("%s has longitudes and latitudes, to which positions in EPSG:%d cannot be converted, but "+
			"those in UTM can: convert the file by gdalwarp -t_srs EPSG:%[2]d", name, mine)
	}
	f.turned = true
	east := g.West + float64(g.Columns)*g.Width
	return func(x, y float64) (longitude, latitude float64) {
		longitude, latitude = inverse(x, y)
		for ; longitude < g.West && longitude+360 <= east; longitude += 360 { // from 0° to 360°, and -180° to 180°
		}
		for ; longitude > east && longitude-360 >= g.West; longitude -= 360 {
		}
		return longitude, latitude
	}, nil
}

// Values reads record k: the values of all cells of the part, in the wanted unit.
func (f *Field) Values(k int) ([]float64, error) {
	g, err := f.open(k)
	if err != nil {
		return nil, err
	}
	if gridOf(g) != f.grid {
		return nil, fmt.Errorf("%s: its cells are others than those of %s: %+v, %+v", f.files[k], f.files[0], gridOf(g),
			f.grid)
	}
	scale := f.scale
	if f.amount {
		scale /= f.times[k+1] - f.times[k]
	}
	values := make([]float64, len(f.part.Cells))
	for i := range values {
		var first, sum float64 // values count from the first, so that equal ones give just that
		for n := f.shares.start[i]; n < f.shares.start[i+1]; n++ {
			pixel := int(f.shares.pixel[n])
			v := g.Value(pixel%f.grid.Columns, pixel/f.grid.Columns)
			if v != v {
				if f.from.Fill == nil {
					return nil, f.gap(i, k, pixel)
				}
				v = *f.from.Fill
			}
			if n == f.shares.start[i] {
				first = v
			}
			sum += f.shares.weight[n] * (v - first)
		}
		values[i] = (first + sum) * scale
	}
	return values, nil
}

// gap is the error about a cell of a raster without a value.
func (f *Field) gap(cell, k, pixel int) error {
	x, y := f.part.Centroid(cell)
	name := f.files[0]
	if f.from.List != "" {
		name = f.files[k]
	}
	return fmt.Errorf("%s: no value at (%g, %g), in column %d and row %d from the south, at t = %g s: fill = 0 would "+
		"give such cells the value 0", name, x, y, pixel%f.grid.Columns, pixel/f.grid.Columns, f.times[k])
}
