package raster

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/formats/netcdf"
)

// fromNetCDF reads a variable over two coordinates with constant steps.
func fromNetCDF(path, variable string, b Box) (*Grid, error) {
	f, err := netcdf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g, err := gridOfVariable(f, variable, b)
	if err != nil {
		if strings.HasPrefix(err.Error(), path) {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	g.name = path
	return g, nil
}

func gridOfVariable(f *netcdf.File, variable string, b Box) (*Grid, error) {
	v, err := chooseVariable(f, variable)
	if err != nil {
		return nil, err
	}
	n := len(v.Dims)
	shape := f.Shape(v)
	for k, length := range shape[:n-2] {
		if length != 1 {
			return nil, fmt.Errorf("variable %q has %d values along %q: select one by ncks -d %[3]s,0 or gdal_translate -b 1",
				v.Name, length, f.Dims[v.Dims[k]].Name)
		}
	}
	g := &Grid{EPSG: epsgOf(f, v)}
	xDim := n - 1 // index of the dimension of x
	if isEastward(f.Var(f.Dims[v.Dims[n-2]].Name)) && !isEastward(f.Var(f.Dims[v.Dims[n-1]].Name)) {
		return nil, fmt.Errorf("variable %q has x before y: reorder it by ncpdq -a %s,%s", v.Name, f.Dims[v.Dims[n-1]].Name,
			f.Dims[v.Dims[n-2]].Name)
	}
	x, y := f.Var(f.Dims[v.Dims[xDim]].Name), f.Var(f.Dims[v.Dims[n-2]].Name)
	var ascending, northward bool
	if g.West, g.Width, ascending, err = axis(f, x); err != nil {
		return nil, err
	}
	if g.South, g.Height, northward, err = axis(f, y); err != nil {
		return nil, err
	}
	if !ascending {
		return nil, fmt.Errorf("coordinate %q descends: reverse it by ncpdq -a -%[1]s", x.Name)
	}
	g.Columns, g.Rows = int(shape[n-1]), int(shape[n-2])
	if err := g.checkExtent(); err != nil {
		return nil, err
	}
	if g.setWindow(b); g.window.columns == 0 {
		return g, nil
	}
	w := g.window
	if w.columns > MaxCells/w.rows {
		return nil, fmt.Errorf("%d x %d cells are more than %d; cut out or coarsen the raster", w.columns, w.rows, MaxCells)
	}
	start, count := make([]int64, n), slices.Repeat([]int64{1}, n)
	start[n-1], count[n-1] = int64(w.column), int64(w.columns)
	start[n-2], count[n-2] = int64(w.row), int64(w.rows)
	if northward {
		start[n-2] = int64(g.Rows - w.row - w.rows)
	}
	g.values = make([]float64, w.columns*w.rows)
	if err := f.Read(v, start, count, g.values); err != nil {
		return nil, err
	}
	v.Physical(g.values)
	if northward {
		reverseRows(g.values, w.columns)
	}
	return g, nil
}

// chooseVariable finds a variable by name, or the only variable over two coordinates.
func chooseVariable(f *netcdf.File, name string) (*netcdf.Var, error) {
	onGrid := func(v *netcdf.Var) bool {
		n := len(v.Dims)
		return n >= 2 && v.Type != netcdf.Char && hasCoordinate(f, v.Dims[n-1]) && hasCoordinate(f, v.Dims[n-2])
	}
	var names []string
	var found *netcdf.Var
	for _, v := range f.Vars {
		if onGrid(v) {
			names = append(names, v.Name)
			found = v
		}
	}
	if name != "" {
		if v := f.Var(name); v != nil && onGrid(v) {
			return v, nil
		}
		return nil, fmt.Errorf("no variable %q over two coordinates; the file has %q", name, names)
	}
	switch len(names) {
	case 0:
		return nil, errors.New("no variable has two dimensions with coordinate variables")
	case 1:
		return found, nil
	}
	return nil, fmt.Errorf("the file has the variables %q: choose one by variable = %q", names, names[0])
}

// hasCoordinate reports whether a dimension has a numeric coordinate variable.
func hasCoordinate(f *netcdf.File, dim int) bool {
	v := f.Var(f.Dims[dim].Name)
	return v != nil && len(v.Dims) == 1 && v.Dims[0] == dim && v.Type != netcdf.Char
}

// isEastward reports whether the attributes or the name of a coordinate mark it as one from west to east.
func isEastward(v *netcdf.Var) bool {
	units := v.Attrs.Text("units")
	name := v.Attrs.Text("standard_name")
	return v.Attrs.Text("axis") == "X" || name == "longitude" || name == "projection_x_coordinate" ||
		units == "degrees_east" || units == "degree_east" || slices.Contains([]string{"x", "lon", "longitude"}, v.Name)
}

// axis returns the outer edge and the step of a coordinate, and whether it ascends.
func axis(f *netcdf.File, v *netcdf.Var) (edge, step float64, ascending bool, err error) {
	values, err := f.ReadAll(v)
	if err != nil {
		return 0, 0, false, err
	}
	n := len(values)
	if n < 2 {
		return 0, 0, false, fmt.Errorf("coordinate %q has %d values; at least two are needed", v.Name, n)
	}
	step = (values[n-1] - values[0]) / float64(n-1)
	const tolerance = .02 // of a step: longitudes of fine grids are no more precise in float32
	for i, x := range values {
		if want := values[0] + float64(i)*step; !(math.Abs(x-want) <= tolerance*math.Abs(step)) || step == 0 {
			return 0, 0, false, fmt.Errorf("coordinate %q has unequal steps: value %d is %g instead of %g: "+
				"resample it by gdalwarp", v.Name, i, x, want)
		}
	}
	if step < 0 {
		return values[n-1] + step/2, -step, false, nil
	}
	return values[0] - step/2, step, true, nil
}

// epsgOf returns the EPSG code in the variable's grid mapping; 0 if there is none.
func epsgOf(f *netcdf.File, v *netcdf.Var) int {
	m := f.Var(v.Attrs.Text("grid_mapping"))
	if m == nil {
		return 0
	}
	code := strings.TrimPrefix(strings.ToUpper(m.Attrs.Text("epsg_code")), "EPSG:")
	n, err := strconv.Atoi(code)
	if err != nil {
		return 0
	}
	return n
}
