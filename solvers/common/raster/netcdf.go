package raster

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/formats/series"
	"github.com/atoll-hpc/atoll/formats/units"
)

// fromNetCDF reads a variable over two coordinates with constant steps.
func fromNetCDF(path string, o Options) (*Grid, error) {
	f, err := netcdf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g, err := gridOfVariable(f, path, o)
	if err != nil {
		if strings.HasPrefix(err.Error(), path) {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

func gridOfVariable(f *netcdf.File, path string, o Options) (*Grid, error) {
	v, err := ChooseVariable(f, o.Variable)
	if err != nil {
		return nil, err
	}
	n := len(v.Dims)
	shape := f.Shape(v)
	record := -1 // the dimension of time
	if o.Record > 0 {
		if record, err = series.TimeDimension(f, v); err != nil {
			return nil, err
		}
	}
	for k, length := range shape[:n-2] {
		if length != 1 && k != record {
			return nil, fmt.Errorf("variable %q has %d values along %q: select one by ncks -d %[3]s,0 or gdal_translate -b 1",
				v.Name, length, f.Dims[v.Dims[k]].Name)
		}
	}
	g := newGrid(path)
	x, y := f.Var(f.Dims[v.Dims[n-1]].Name), f.Var(f.Dims[v.Dims[n-2]].Name)
	if axisOf(y) == "X" && axisOf(x) != "X" || axisOf(x) == "Y" && axisOf(y) != "Y" {
		return nil, fmt.Errorf("variable %q has x before y: reorder it by ncpdq -a %s,%s", v.Name, x.Name, y.Name)
	}
	g.readMapping(f, v)
	if err := g.readDeclared(v, x, y); err != nil {
		return nil, err
	}
	var ascending, northward bool
	if g.West, g.Width, ascending, err = axis(f, x); err != nil {
		return nil, err
	}
	if g.South, g.Height, northward, err = axis(f, y); err != nil {
		return nil, err
	}
	g.scaleCoordinates()
	if !ascending {
		return nil, fmt.Errorf("coordinate %q descends: reverse it by ncpdq -a -%[1]s", x.Name)
	}
	g.Columns, g.Rows = int(shape[n-1]), int(shape[n-2])
	if err := g.checkExtent(); err != nil {
		return nil, err
	}
	return g, g.readValues(f, v, o, record, northward)
}

// readValues reads the values in a box, of records along the dimension of time unless that is -1.
func (g *Grid) readValues(f *netcdf.File, v *netcdf.Var, o Options, time int, northward bool) error {
	if g.setWindow(o.Box); g.window.columns == 0 {
		return nil
	}
	w := g.window
	if w.columns > MaxCells/w.rows {
		return fmt.Errorf("%d x %d cells are more than %d; cut out or coarsen the raster", w.columns, w.rows, MaxCells)
	}
	n, cells := len(v.Dims), w.columns*w.rows
	start, count := make([]int64, n), slices.Repeat([]int64{1}, n)
	start[n-1], count[n-1] = int64(w.column), int64(w.columns)
	start[n-2], count[n-2] = int64(w.row), int64(w.rows)
	if time >= 0 {
		start[time], count[time] = int64(o.Record-1), int64(max(1, o.Records))
		cells *= max(1, o.Records)
	}
	if northward {
		start[n-2] = int64(g.Rows - w.row - w.rows)
	}
	g.values = make([]float64, cells)
	if err := f.Read(v, start, count, g.values); err != nil {
		return err
	}
	if err := v.Physical(g.values); err != nil {
		return err
	}
	for k := 0; northward && k < cells; k += w.columns * w.rows {
		reverseRows(g.values[k:k+w.columns*w.rows], w.columns)
	}
	return nil
}

// ChooseVariable finds a variable by name, or the only variable over two coordinates.
func ChooseVariable(f *netcdf.File, name string) (*netcdf.Var, error) {
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
		return nil, fmt.Errorf("no variable %q over two coordinates; the file has %q%s", name, names, f.Others())
	}
	switch len(names) {
	case 0:
		return nil, errors.New("no variable has two dimensions with coordinate variables" + f.Others())
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

// axisOf returns the axis, X or Y, that the attributes of a coordinate or its name mark; "" if they do not.
func axisOf(v *netcdf.Var) string {
	standard := v.Attrs.Text("standard_name")
	unit := strings.ToLower(v.Attrs.Text("units"))
	for _, axis := range []struct {
		letter, degrees        string
		standardNames, ofNames []string
	}{
		{"X", "_e", []string{"longitude", "projection_x_coordinate", "grid_longitude"},
			[]string{"x", "lon", "longitude", "long", "easting", "east", "rlon", "xc", "nav_lon"}},
		{"Y", "_n", []string{"latitude", "projection_y_coordinate", "grid_latitude"},
			[]string{"y", "lat", "latitude", "northing", "north", "rlat", "yc", "nav_lat"}},
	} {
		isDegrees := strings.HasPrefix(unit, "degree") && strings.Contains(unit, axis.degrees)
		switch {
		case strings.EqualFold(v.Attrs.Text("axis"), axis.letter), slices.Contains(axis.standardNames, standard), isDegrees,
			slices.Contains(axis.ofNames, strings.ToLower(v.Name)):
			return axis.letter
		}
	}
	return ""
}

// readDeclared reads what the attributes say about values and coordinates.
func (g *Grid) readDeclared(v, x, y *netcdf.Var) error {
	g.declared.variable, g.declared.unit = v.Name, v.Attrs.Text("units")
	g.declared.advice = "ncatted -a _FillValue," + v.Name + ",c,f,%g " + g.name
	for _, note := range v.OtherNames() {
		g.declared.notes = append(g.declared.notes, g.name+": "+note)
	}
	standard := v.Attrs.Text("standard_name")
	switch positive := strings.ToLower(v.Attrs.Text("positive")); {
	case positive == "up" || positive == "down":
		g.declared.positive, g.declared.positiveBy = positive, "attribute positive"
	case strings.HasPrefix(standard, "sea_floor_depth") || strings.HasPrefix(standard, "depth") ||
		strings.HasPrefix(standard, "sea_water_depth") || strings.HasPrefix(standard, "model_sea_floor_depth"):
		g.declared.positive, g.declared.positiveBy = "down", "standard_name "+standard
	case strings.Contains(standard, "altitude") || strings.HasPrefix(standard, "height") ||
		strings.HasPrefix(standard, "sea_surface_height") || strings.HasPrefix(standard, "water_surface_height"):
		g.declared.positive, g.declared.positiveBy = "up", "standard_name "+standard
	case standard == "" && depthName.MatchString(v.Name+" "+v.Attrs.Text("long_name")):
		g.declared.positive, g.declared.positiveBy = "down", "by its name, a depth"
	}
	ofX, ofY := coordinateUnit(x), coordinateUnit(y)
	if ofX != ofY && ofX != "" && ofY != "" {
		return fmt.Errorf("the units of the coordinates differ: %q of %q and %q of %q", x.Attrs.Text("units"), x.Name,
			y.Attrs.Text("units"), y.Name)
	}
	isDegrees := strings.HasPrefix(strings.ToLower(x.Name), "lon") && strings.HasPrefix(strings.ToLower(y.Name), "lat")
	switch declared := cmp.Or(ofX, ofY); {
	case declared != "":
		g.declared.coordinateUnit = declared
	case g.EPSG != 0:
		g.declared.coordinateUnit = epsg.Unit(g.EPSG)
	case isDegrees && g.declared.coordinateUnit == "":
		g.declared.coordinateUnit = "degree"
	}
	return nil
}

// depthName matches names of depths of the bed.
var depthName = regexp.MustCompile(`(?i)(?:^|[\s_])depths?(?:$|[\s_])`)

// coordinateUnit returns the unit of a coordinate: degree, a unit of length, or "" if it has none or another one.
func coordinateUnit(v *netcdf.Var) string {
	unit := strings.TrimSpace(v.Attrs.Text("units"))
	if _, err := units.Scale(unit, "degree"); err == nil && strings.HasPrefix(strings.ToLower(unit), "deg") {
		return "degree"
	}
	if scale, err := units.Scale(unit, "m"); err == nil {
		if scale == 1 {
			return "m"
		}
		return unit
	}
	return ""
}

// scaleCoordinates converts coordinates in another unit of length to m.
func (g *Grid) scaleCoordinates() {
	scale, err := units.Scale(g.declared.coordinateUnit, "m")
	if err != nil || scale == 1 || g.EPSG != 0 && epsg.Unit(g.EPSG) != "m" {
		return // in a system that is not in m, positions of the case are not in m either
	}
	g.West, g.South, g.Width, g.Height = scale*g.West, scale*g.South, scale*g.Width, scale*g.Height
	g.declared.coordinateUnit = "m"
}

// axis returns the outer edge and the step of a coordinate, and whether it ascends.
func axis(f *netcdf.File, v *netcdf.Var) (edge, step float64, ascending bool, err error) {
	values, err := f.ReadAll(v)
	if err != nil {
		return 0, 0, false, err
	}
	if err := v.Physical(values); err != nil {
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

// readMapping reads the coordinate reference system from the variable's grid mapping, whose attribute has its name,
// or in the extended form "crs: x y".
func (g *Grid) readMapping(f *netcdf.File, v *netcdf.Var) {
	words := strings.Fields(v.Attrs.Text("grid_mapping"))
	if len(words) == 0 {
		return
	}
	m := f.Var(strings.TrimSuffix(words[0], ":"))
	if m == nil {
		return
	}
	var wkt epsg.System
	for _, name := range []string{"crs_wkt", "spatial_ref"} { // as GDAL and rioxarray write it
		if s, err := epsg.ParsePRJ(m.Attrs.Text(name)); err == nil {
			wkt = s
			break
		}
	}
	g.setSystem(wkt)
	for _, name := range []string{"epsg_code", "EPSG_code", "epsg", "EPSG"} {
		text := strings.TrimPrefix(strings.ToUpper(m.Attrs.Text(name)), "EPSG:")
		if n, ok := m.Attrs.Number(name); ok && text == "" {
			text = strconv.FormatFloat(n, 'f', -1, 64)
		}
		if n, err := strconv.Atoi(text); err == nil {
			g.EPSG = n
			break
		}
	}
	if m.Attrs.Text("grid_mapping_name") == "latitude_longitude" && g.EPSG == 0 {
		g.declared.coordinateUnit = "degree"
	}
}
