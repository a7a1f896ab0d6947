package series

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/formats/netcdf"
)

// inSeconds are the units of time in the CF conventions that have a fixed length, in seconds.
var inSeconds = map[string]float64{"s": 1, "sec": 1, "second": 1, "seconds": 1, "min": 60, "minute": 60, "minutes": 60,
	"h": 3600, "hr": 3600, "hour": 3600, "hours": 3600, "d": 86400, "day": 86400, "days": 86400}

// fromNetCDF reads the variable with a name, which must depend only on time. If name is "", it reads the only such
// variable.
func fromNetCDF(path, name string, parseDate Dates) ([]Row, error) {
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
	timeVar := f.Var(f.Dims[v.Dims[0]].Name)
	if timeVar == nil || !slices.Equal(timeVar.Dims, v.Dims) || timeVar.Type == netcdf.Char {
		return nil, fmt.Errorf("%s: variable %q has the dimension %q, but there is no variable %[3]q with times", path,
			v.Name, f.Dims[v.Dims[0]].Name)
	}
	unit, start, err := timeUnits(timeVar, parseDate)
	if err != nil {
		return nil, fmt.Errorf("%s: variable %q: %w", path, timeVar.Name, err)
	}
	times, err := f.ReadAll(timeVar)
	if err != nil {
		return nil, err
	}
	values, err := f.ReadAll(v)
	if err != nil {
		return nil, err
	}
	v.Physical(values)
	if len(values) == 0 || len(values) > MaxRows {
		return nil, fmt.Errorf("%s: variable %q has %d values, want 1 to %d", path, v.Name, len(values), MaxRows)
	}
	rows := make([]Row, len(values))
	for i, x := range values {
		rows[i] = Row{start + unit*times[i], x}
		if x-x != 0 || rows[i].T-rows[i].T != 0 || i > 0 && rows[i].T <= rows[i-1].T {
			return nil, fmt.Errorf("%s: variable %q: value %d is %g at %g s: want finite values at increasing times", path,
				v.Name, i, x, rows[i].T)
		}
	}
	return rows, nil
}

// candidates returns the names of the variables that may be series: those of numbers with one dimension, except
// coordinates.
func candidates(f *netcdf.File) (names []string) {
	for _, v := range f.Vars {
		if len(v.Dims) == 1 && v.Type != netcdf.Char && v.Name != f.Dims[v.Dims[0]].Name {
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

// timeUnits returns the length of the unit of a time variable, and its zero in the time of the run, both in s.
func timeUnits(v *netcdf.Var, parseDate Dates) (unit, start float64, err error) {
	text := v.Attrs.Text("units")
	name, since, dated := strings.Cut(strings.TrimSpace(text), " since ")
	unit, ok := inSeconds[strings.ToLower(strings.TrimSpace(name))]
	if !ok {
		return 0, 0, fmt.Errorf("its units are %q, want seconds, minutes, hours or days", text)
	}
	switch calendar := v.Attrs.Text("calendar"); calendar {
	case "", "standard", "gregorian", "proleptic_gregorian":
	default:
		return 0, 0, fmt.Errorf("its calendar is %q, want standard or proleptic_gregorian", calendar)
	}
	if !dated {
		return unit, 0, nil
	}
	since = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(since), " UTC"), ".0")
	start, err = parseDate(since)
	return unit, start, err
}
