package series

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/formats/netcdf"
)

// inSeconds are the units of time that CF knows and that have a fixed length.
var inSeconds = map[string]float64{"s": 1, "sec": 1, "second": 1, "seconds": 1, "min": 60, "minute": 60, "minutes": 60,
	"h": 3600, "hr": 3600, "hour": 3600, "hours": 3600, "d": 86400, "day": 86400, "days": 86400}

// fromNetCDF reads a variable over time, by its name or the only one.
func fromNetCDF(path, name string, when Dates) ([]Row, error) {
	f, err := netcdf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names := alongTime(f)
	var found *netcdf.Var
	if name == "" && len(names) > 0 {
		found = f.Var(names[0])
	} else if slices.Contains(names, name) {
		found = f.Var(name)
	}
	if found == nil || name == "" && len(names) > 1 {
		return nil, fmt.Errorf("%s: no one variable %q along time alone; choose one by column, of %q", path, name, names)
	}
	clock := f.Var(f.Dims[found.Dims[0]].Name)
	if clock == nil || !slices.Equal(clock.Dims, found.Dims) || clock.Type == netcdf.Char {
		return nil, fmt.Errorf("%s: variable %q lies along %q, which has no times", path, found.Name,
			f.Dims[found.Dims[0]].Name)
	}
	unit, start, err := clockOf(clock, when)
	if err != nil {
		return nil, fmt.Errorf("%s: variable %q: %w", path, clock.Name, err)
	}
	times, err := f.ReadAll(clock)
	if err != nil {
		return nil, err
	}
	values, err := f.ReadAll(found)
	if err != nil {
		return nil, err
	}
	found.Physical(values)
	if len(values) == 0 || len(values) > MaxRows {
		return nil, fmt.Errorf("%s: variable %q has %d values; a series has 1 to %d", path, found.Name, len(values), MaxRows)
	}
	rows := make([]Row, len(values))
	for i, v := range values {
		rows[i] = Row{start + unit*times[i], v}
		if v-v != 0 || rows[i].T-rows[i].T != 0 || i > 0 && rows[i].T <= rows[i-1].T {
			return nil, fmt.Errorf("%s: variable %q: value %d is %g at %g s: numbers are needed, at times that increase", path,
				found.Name, i, v, rows[i].T)
		}
	}
	return rows, nil
}

// alongTime are the names of variables that may be series.
func alongTime(f *netcdf.File) (names []string) {
	for _, v := range f.Vars {
		if len(v.Dims) == 1 && v.Type != netcdf.Char && v.Name != f.Dims[v.Dims[0]].Name {
			names = append(names, v.Name)
		}
	}
	return names
}

// variables are the names of a file's series.
func variables(path string) ([]string, error) {
	f, err := netcdf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return alongTime(f), nil
}

// clockOf finds the length of a unit of time, and when its zero is in seconds of the run.
func clockOf(v *netcdf.Var, when Dates) (unit, start float64, err error) {
	text := v.Attrs.Text("units")
	name, since, dated := strings.Cut(strings.TrimSpace(text), " since ")
	unit, ok := inSeconds[strings.ToLower(strings.TrimSpace(name))]
	if !ok {
		return 0, 0, fmt.Errorf("its units %q are not of time: seconds, minutes, hours or days", text)
	}
	switch calendar := v.Attrs.Text("calendar"); calendar {
	case "", "standard", "gregorian", "proleptic_gregorian":
	default:
		return 0, 0, fmt.Errorf("its calendar %q is not that of dates", calendar)
	}
	if !dated {
		return unit, 0, nil
	}
	since = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(since), " UTC"), ".0")
	start, err = when(since)
	return unit, start, err
}
