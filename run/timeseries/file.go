// Package timeseries writes time series at several places, such as gauges, to NetCDF files by CF. A File collects
// variables and is then written at once.
package timeseries

import (
	"math"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/ugrid"
)

// File is a NetCDF file of time series by CF. Each instance, such as a station, has a series; all share the same times,
// with NaN where an instance has no value.
type File struct {
	names       []string // names of the instances
	times       []float64
	attrs       netcdf.Attrs // attributes of each variable with values
	coordinates string       // names of the coordinate variables, each after a space
	dims        []netcdf.Dim
	global      netcdf.Attrs
	variables   []variable
}

// variable is a variable with its numbers, or with its text for each instance.
type variable struct {
	*netcdf.Var
	numbers []float64
	text    []string
}

// Indices of the dimensions of a file.
const (
	instanceDim = iota
	timeDim
	letterDim
)

// New returns a file without series. dimension is the name of the instance dimension, description the long name of an
// instance.
func New(c *config.Case, dimension, description string, names []string, times []float64) *File {
	longest := 1
	for _, name := range names {
		longest = max(longest, len(name))
	}
	f := &File{names: names, times: times, dims: []netcdf.Dim{{Name: dimension, Length: int64(len(names))},
		{Name: "time", Length: int64(max(1, len(times)))}, {Name: "letter", Length: int64(longest)}}}
	f.global = netcdf.Attrs{netcdf.Text("Conventions", "CF-1.11"), netcdf.Text("featureType", "timeSeries"),
		netcdf.Text("source", "atoll "+summary.Version())}
	if c.CRS != "" {
		f.global = append(f.global, netcdf.Text("crs", c.CRS))
	}
	nameVar := &netcdf.Var{Name: dimension + "_name", Type: netcdf.Char, Dims: []int{instanceDim, letterDim},
		Attrs: netcdf.Attrs{netcdf.Text("cf_role", "timeseries_id"), netcdf.Text("long_name", description)}}
	timeVar := &netcdf.Var{Name: "time", Type: netcdf.Float64, Dims: []int{timeDim},
		Attrs: ugrid.TimeAttrs(c.Time.Epoch)}
	f.variables = []variable{{Var: nameVar, text: names}, {Var: timeVar, numbers: times}}
	return f
}

// Coordinate adds a coordinate of the instances: one number each.
func (f *File) Coordinate(name string, attrs netcdf.Attrs, values []float64) {
	f.Add(name, netcdf.Float64, attrs, []int{instanceDim}, values)
	f.coordinates += " " + name
}

// Add adds a variable.
func (f *File) Add(name string, typ netcdf.Type, attrs netcdf.Attrs, dims []int, values []float64) {
	v := &netcdf.Var{Name: name, Type: typ, Dims: dims, Attrs: attrs}
	f.variables = append(f.variables, variable{Var: v, numbers: values})
}

// Values adds a series for each instance. value returns the value of instance i at time t, if there is one. A nil value
// adds nothing.
func (f *File) Values(name string, attrs netcdf.Attrs, value func(i int, t float64) (float64, bool)) {
	if value == nil {
		return
	}
	numbers := make([]float64, 0, len(f.names)*len(f.times))
	for i := range f.names {
		for _, t := range f.times {
			v, ok := value(i, t)
			if !ok {
				v = math.NaN()
			}
			numbers = append(numbers, v)
		}
	}
	attrs = append(attrs, netcdf.Text("coordinates", "time"+f.coordinates+" "+f.dims[instanceDim].Name+"_name"),
		netcdf.Numeric("_FillValue", netcdf.Float64, math.NaN()))
	f.Add(name, netcdf.Float64, append(attrs, f.attrs...), []int{instanceDim, timeDim}, numbers)
}

// Write writes the file.
func (f *File) Write(path string) error {
	vars := make([]*netcdf.Var, len(f.variables))
	for k, p := range f.variables {
		vars[k] = p.Var
	}
	header, err := netcdf.Define(f.dims, f.global, vars)
	if err != nil {
		return err
	}
	b := append(header.Encode(), make([]byte, header.FixedSize()-int64(len(header.Encode())))...)
	longest := f.dims[letterDim].Length
	for _, p := range f.variables {
		if len(p.numbers) > 0 {
			copy(b[header.Offset(p.Var, 0, 0):], p.Type.Append(nil, p.numbers))
		}
		for i, name := range p.text {
			copy(b[header.Offset(p.Var, 0, int64(i)*longest):], name)
		}
	}
	return atomicfile.Write(path, func(file *atomicfile.File) error {
		_, err := file.Write(b)
		return err
	})
}

// Lines adds the geometry of lines by CF: the number of corners of each line, and the coordinates of all corners.
func (f *File) Lines(list []config.Transect, epsg int) {
	node := len(f.dims)
	var counts, x, y []float64
	for _, t := range list {
		counts = append(counts, float64(len(t.Line)))
		for _, corner := range t.Line {
			x, y = append(x, corner[0]), append(y, corner[1])
		}
	}
	f.dims = append(f.dims, netcdf.Dim{Name: "corner", Length: int64(len(x))})
	f.Add("lines", netcdf.Int32, netcdf.Attrs{netcdf.Text("geometry_type", "line"),
		netcdf.Text("node_count", "corners"), netcdf.Text("node_coordinates", "corner_x corner_y")}, nil, []float64{0})
	f.Add("corners", netcdf.Int32, netcdf.Attrs{netcdf.Text("long_name", "corners of each line")}, []int{instanceDim},
		counts)
	for k, axis := range []string{"x", "y"} {
		attrs := append(ugrid.CoordinateAttrs(axis, epsg), netcdf.Text("axis", strings.ToUpper(axis)))
		f.Add("corner_"+axis, netcdf.Float64, attrs, []int{node}, [][]float64{x, y}[k])
	}
	f.attrs = netcdf.Attrs{netcdf.Text("geometry", "lines")}
}
