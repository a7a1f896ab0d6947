package run

import (
	"math"
	"os"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/ugrid"
)

// seriesFile is a NetCDF file of time series by CF: a series an instance, at the times of all of them, NaN where one
// has none.
type seriesFile struct {
	names  []string // of the instances
	times  []float64
	attrs  netcdf.Attrs // of each variable with values
	where  string       // names of the variables that tell where instances are
	dims   []netcdf.Dim
	global netcdf.Attrs
	parts  []seriesVar
}

// seriesVar is a variable and its values in order; of text, that of all instances.
type seriesVar struct {
	*netcdf.Var
	numbers []float64
	text    []string
}

// Dimensions of a series file.
const (
	instance = iota
	moment
	letter
)

// newSeriesFile begins the file of instances of a kind: what its dimension is called, and what people call it.
func newSeriesFile(c *config.Case, dimension, called string, names []string, times []float64) *seriesFile {
	longest := 1
	for _, name := range names {
		longest = max(longest, len(name))
	}
	f := &seriesFile{names: names, times: times, dims: []netcdf.Dim{{Name: dimension, Length: int64(len(names))},
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
	f.parts = []seriesVar{{Var: name, text: names}, {Var: clock, numbers: times}}
	return f
}

// coordinate adds a number of each instance that tells where it is.
func (f *seriesFile) coordinate(name string, attrs netcdf.Attrs, values []float64) {
	f.add(name, netcdf.Float64, attrs, []int{instance}, values)
	f.where += " " + name
}

// add adds a variable.
func (f *seriesFile) add(name string, kind netcdf.Type, attrs netcdf.Attrs, dims []int, values []float64) {
	v := &netcdf.Var{Name: name, Type: kind, Dims: dims, Attrs: attrs}
	f.parts = append(f.parts, seriesVar{Var: v, numbers: values})
}

// values adds a series of each instance; of says what it is at a time, if it has a value then. nil adds nothing.
func (f *seriesFile) values(name string, attrs netcdf.Attrs, of func(i int, t float64) (float64, bool)) {
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
	f.add(name, netcdf.Float64, append(attrs, f.attrs...), []int{instance, moment}, numbers)
}

// write writes all of it.
func (f *seriesFile) write(path string) error {
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
