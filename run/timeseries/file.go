// Package timeseries writes series in time to NetCDF files by CF.
package timeseries

import (
	"math"
	"os"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/ugrid"
)

// File is a NetCDF file of time series by CF: a series an instance, at the times of all of them, NaN where one
// has none.
type File struct {
	names  []string // of the instances
	times  []float64
	attrs  netcdf.Attrs // of each variable with values
	where  string       // names of the variables that tell where instances are
	dims   []netcdf.Dim
	global netcdf.Attrs
	parts  []variable
}

// variable is a variable and its values in order; of text, that of all instances.
type variable struct {
	*netcdf.Var
	numbers []float64
	text    []string
}

// Dimensions of such a file.
const (
	instance = iota
	moment
	letter
)

// New begins the file of instances of a kind: what its dimension is called, and what people call it.
func New(c *config.Case, dimension, called string, names []string, times []float64) *File {
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
	name := &netcdf.Var{Name: dimension + "_name", Type: netcdf.Char, Dims: []int{instance, letter},
		Attrs: netcdf.Attrs{netcdf.Text("cf_role", "timeseries_id"), netcdf.Text("long_name", called)}}
	clock := &netcdf.Var{Name: "time", Type: netcdf.Float64, Dims: []int{moment},
		Attrs: ugrid.TimeAttrs(c.Time.Epoch)}
	f.parts = []variable{{Var: name, text: names}, {Var: clock, numbers: times}}
	return f
}

// Coordinate adds a number of each instance that tells where it is.
func (f *File) Coordinate(name string, attrs netcdf.Attrs, values []float64) {
	f.Add(name, netcdf.Float64, attrs, []int{instance}, values)
	f.where += " " + name
}

// Add adds a variable.
func (f *File) Add(name string, kind netcdf.Type, attrs netcdf.Attrs, dims []int, values []float64) {
	v := &netcdf.Var{Name: name, Type: kind, Dims: dims, Attrs: attrs}
	f.parts = append(f.parts, variable{Var: v, numbers: values})
}

// Values adds a series of each instance; of says what it is at a time, if it has a value then. nil adds nothing.
func (f *File) Values(name string, attrs netcdf.Attrs, of func(i int, t float64) (float64, bool)) {
	if of == nil {
		return
	}
	numbers := make([]float64, 0, len(f.names)*len(f.times))
	for i := range f.names {
		for _, t := range f.times {
			v, ok := of(i, t)
			if !ok {
				v = math.NaN()
			}
			numbers = append(numbers, v)
		}
	}
	attrs = append(attrs, netcdf.Text("coordinates", "time"+f.where+" "+f.dims[instance].Name+"_name"),
		netcdf.Numeric("_FillValue", netcdf.Float64, math.NaN()))
	f.Add(name, netcdf.Float64, append(attrs, f.attrs...), []int{instance, moment}, numbers)
}

// Write writes all of it.
func (f *File) Write(path string) error {
	vars := make([]*netcdf.Var, len(f.parts))
	for k, p := range f.parts {
		vars[k] = p.Var
	}
	head, err := netcdf.Define(f.dims, f.global, vars)
	if err != nil {
		return err
	}
	b := append(head.Head(), make([]byte, head.End()-int64(len(head.Head())))...)
	longest := f.dims[letter].Length
	for _, p := range f.parts {
		if len(p.numbers) > 0 {
			copy(b[head.At(p.Var, 0, 0):], p.Type.Append(nil, p.numbers))
		}
		for i, name := range p.text {
			copy(b[head.At(p.Var, 0, int64(i)*longest):], name)
		}
	}
	return atomicfile.Write(path, func(file *os.File) error {
		_, err := file.Write(b)
		return err
	})
}

// Lines adds the geometry of lines, as CF has it: how many corners each has, and the corners of all.
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
	f.Add("corners", netcdf.Int32, netcdf.Attrs{netcdf.Text("long_name", "corners of each line")}, []int{instance}, counts)
	for k, axis := range []string{"x", "y"} {
		attrs := append(ugrid.CoordinateAttrs(axis, epsg), netcdf.Text("axis", strings.ToUpper(axis)))
		f.Add("corner_"+axis, netcdf.Float64, attrs, []int{node}, [][]float64{x, y}[k])
	}
	f.attrs = netcdf.Attrs{netcdf.Text("geometry", "lines")}
}
