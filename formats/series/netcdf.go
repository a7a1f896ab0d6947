package series

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/formats/units"
	"github.com/atoll-hpc/atoll/internal/dates"
	"github.com/atoll-hpc/atoll/internal/pattern"
)

// fromNetCDF reads the variable with a name, which must depend only on time. If name is "", it reads the only such
// variable.
func fromNetCDF(path, name string, toSeconds Dates) (*Series, error) {
	f, err := netcdf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names := candidates(f)
	var v *netcdf.Var
	if name == "" && len(names) > 0 {
		v = f.Var(names[0])
	} else if slices.Contains(names, name) {
		v = f.Var(name)
	}
	if v == nil || name == "" && len(names) > 1 {
		return nil, fmt.Errorf("%s: cannot read variable %q as a series: set column to one of %q, which have only the "+
			"dimension of time", path, name, names)
	}
	times, err := readTimes(f, v, 0, toSeconds)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	values, err := f.ReadAll(v)
	if err != nil {
		return nil, err
	}
	if err := v.Physical(values); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &Series{Name: v.Name, Unit: v.Attrs.Text("units"), Rows: make([]Row, len(values)), notes: v.OtherNames()}
	for i, x := range values {
		s.Rows[i] = Row{times[i], x}
	}
	s.findGaps(func(row int) string { return fmt.Sprintf("%s: variable %q: value %d", path, v.Name, row) })
	return s, nil
}

// readTimes returns the times of a variable along a dimension in s.
func readTimes(f *netcdf.File, v *netcdf.Var, dim int, toSeconds Dates) ([]float64, error) {
	if n := f.Shape(v)[dim]; n < 1 || n > MaxRows {
		return nil, fmt.Errorf("variable %q has %d values, want 1 to %d", v.Name, n, MaxRows)
	}
	timeVar := timeOf(f, v, dim)
	if timeVar == nil {
		return nil, fmt.Errorf("variable %q has the dimension %q, but there is no variable %[2]q with times", v.Name,
			f.Dims[v.Dims[dim]].Name)
	}
	unit, start, err := timeUnits(timeVar, toSeconds)
	if err != nil {
		return nil, fmt.Errorf("variable %q: %w", timeVar.Name, err)
	}
	times, err := f.ReadAll(timeVar)
	if err != nil {
		return nil, err
	}
	if err := timeVar.Physical(times); err != nil {
		return nil, err
	}
	for i, t := range times {
		times[i] = sum(start, unit*t)
		if times[i]-times[i] != 0 || i > 0 && times[i] <= times[i-1] {
			return nil, fmt.Errorf("variable %q: time %d is %g s, after %g s: want increasing times", timeVar.Name, i, times[i],
				times[max(0, i-1)])
		}
	}
	return times, nil
}

// Times are the times of a variable of a NetCDF file, in s.
type Times struct {
	At     []float64
	Bounds [][2]float64 // the ends of the interval of each, by the CF conventions; nil if the file has none
}

// TimeDimension returns which dimension of a variable is that of time: the only one besides the last two that has more
// than one value, or that has a variable of times.
func TimeDimension(f *netcdf.File, v *netcdf.Var) (dim int, err error) {
	dim = -1
	for k, length := range f.Shape(v)[:max(0, len(v.Dims)-2)] {
		isTime := timeOf(f, v, k) != nil && isMarkedAsTime(timeOf(f, v, k))
		if isTime || length > 1 && dim < 0 {
			if dim = k; isTime {
				return dim, nil
			}
		}
	}
	if dim < 0 {
		return 0, fmt.Errorf("variable %q has no dimension of time", v.Name)
	}
	return dim, nil
}

// TimesOf returns the times of a variable along a dimension.
func TimesOf(f *netcdf.File, v *netcdf.Var, dim int, toSeconds Dates) (t Times, err error) {
	if t.At, err = readTimes(f, v, dim, toSeconds); err != nil {
		return t, err
	}
	timeVar := timeOf(f, v, dim)
	bounds := f.Var(timeVar.Attrs.Text("bounds"))
	if bounds == nil {
		return t, nil
	}
	if shape := f.Shape(bounds); len(shape) != 2 || shape[0] != int64(len(t.At)) || shape[1] != 2 {
		return t, fmt.Errorf("variable %q, the bounds of %q, has %d values, want 2 for each of %d times", bounds.Name,
			timeVar.Name, shape, len(t.At))
	}
	of := bounds // which has the units of the times by the conventions
	if of.Attrs.Text("units") == "" {
		of = timeVar
	}
	unit, start, err := timeUnits(of, toSeconds)
	if err != nil {
		return t, fmt.Errorf("variable %q: %w", of.Name, err)
	}
	values, err := f.ReadAll(bounds)
	if err != nil {
		return t, err
	}
	if of = bounds; !isPacked(bounds) && isPacked(timeVar) { // attributes of the times hold for the bounds, too
		of = timeVar
	}
	if err := of.Physical(values); err != nil {
		return t, err
	}
	for k := range t.At {
		b := [2]float64{sum(start, unit*values[2*k]), sum(start, unit*values[2*k+1])}
		if b[0]-b[0] != 0 || b[1]-b[1] != 0 {
			return t, fmt.Errorf("variable %q: interval %d is from %g s to %g s", bounds.Name, k, b[0], b[1])
		}
		t.Bounds = append(t.Bounds, b)
	}
	return t, nil
}

// isPacked reports whether a variable has a scale or an offset.
func isPacked(v *netcdf.Var) bool {
	return slices.ContainsFunc(v.Attrs, func(a netcdf.Attr) bool {
		return a.Name == "scale_factor" || a.Name == "add_offset"
	})
}

// sum returns a + b, rounded to a multiple of twice the last place of the larger one. So a time that equals the
// reference date of a remote year but for rounding is 0.
func sum(a, b float64) float64 {
	largest := max(math.Abs(a), math.Abs(b))
	if a == 0 || math.IsInf(largest, 0) || largest != largest {
		return a + b
	}
	_, exponent := math.Frexp(largest)
	step := math.Ldexp(1, exponent-51)
	return math.RoundToEven((a+b)/step) * step
}

// timeOf returns the variable with the times of v along a dimension: the one with the name of the dimension, or one
// with only that dimension that is marked as time; nil if there is none.
func timeOf(f *netcdf.File, v *netcdf.Var, dim int) *netcdf.Var {
	isTime := func(t *netcdf.Var) bool {
		return t != nil && slices.Equal(t.Dims, v.Dims[dim:dim+1]) && t.Type != netcdf.Char
	}
	if t := f.Var(f.Dims[v.Dims[dim]].Name); isTime(t) {
		return t
	}
	k := slices.IndexFunc(f.Vars, func(t *netcdf.Var) bool { return isTime(t) && t != v && isMarkedAsTime(t) })
	if k < 0 {
		return nil
	}
	return f.Vars[k]
}

func isMarkedAsTime(v *netcdf.Var) bool {
	return v.Attrs.Text("standard_name") == "time" || v.Attrs.Text("axis") == "T" ||
		since().MatchString(v.Attrs.Text("units"))
}

// candidates returns the names of the variables that may be series: those of numbers with one dimension, or several of
// which all but the first have one value, except coordinates.
func candidates(f *netcdf.File) (names []string) {
	for _, v := range f.Vars {
		shape := f.Shape(v)
		if len(shape) == 0 || v.Type == netcdf.Char || v.Name == f.Dims[v.Dims[0]].Name ||
			slices.ContainsFunc(shape[1:], func(n int64) bool { return n != 1 }) || isMarkedAsTime(v) {
			continue
		}
		if len(shape) == 1 || timeOf(f, v, 0) != nil {
			names = append(names, v.Name)
		}
	}
	return names
}

// variables returns the names of a file's variables that may be series.
func variables(path string) ([]string, error) {
	f, err := netcdf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return candidates(f), nil
}

// since separates the unit of times from their reference date.
var since = pattern.Of(`(?i)^\s*(\S+)\s+since\s+(.*?)\s*$`)

// timeUnits returns the length of the unit of a time variable, and its zero in the time of the run, both in s.
func timeUnits(v *netcdf.Var, toSeconds Dates) (unit, start float64, err error) {
	text := v.Attrs.Text("units")
	name, reference := strings.TrimSpace(text), ""
	if m := since().FindStringSubmatch(text); m != nil {
		name, reference = m[1], m[2]
	}
	if unit, err = units.Scale(name, "s"); err != nil {
		return 0, 0, fmt.Errorf("its units are %q, want seconds, minutes, hours or days", text)
	}
	calendar, ok := dates.CalendarOf(strings.ToLower(v.Attrs.Text("calendar")))
	if !ok {
		return 0, 0, fmt.Errorf("its calendar is %q, want standard, proleptic_gregorian or julian", v.Attrs.Text("calendar"))
	}
	if reference == "" {
		return unit, 0, nil
	}
	date, err := dates.ParseReference(reference, calendar)
	if err != nil {
		return 0, 0, fmt.Errorf("its units are %q: %w", text, err)
	}
	start, err = toSeconds(date)
	return unit, start, err
}
