package ugrid

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/solvers"
)

// gridMappingName is the variable in which MDAL, the reader of QGIS, looks for the coordinate reference system.
const gridMappingName = "projected_coordinate_system"

// layout holds the variables of a file, which know their offsets.
type layout struct {
	header                          *netcdf.Header
	time                            *netcdf.Var
	nodeX, nodeY, faces             *netcdf.Var
	faceX, faceY, mesh, gridMapping *netcdf.Var // gridMapping is nil if the coordinate system is unknown
	values                          []*netcdf.Var
	crs                             int
}

// newLayout defines a file with the given numbers of vertices and cells.
func newLayout(nodes, cells int64, fields []solvers.Field, about About) (*layout, error) {
	const timeDim, node, face, corner = 0, 1, 2, 3
	text := netcdf.Text
	crs := Coordinates(about.CRS)
	axis := func(name, axis, entities string, dim int) *netcdf.Var {
		return &netcdf.Var{Name: name, Type: netcdf.Float64, Dims: []int{dim}, Attrs: append(CoordinateAttrs(axis,
			crs), text("long_name", axis+" of "+entities))}
	}
	l := &layout{
		crs:   crs,
		time:  &netcdf.Var{Name: "time", Type: netcdf.Float64, Dims: []int{timeDim}, Attrs: TimeAttrs(about.Epoch)},
		nodeX: axis("node_x", "x", "vertices", node), nodeY: axis("node_y", "y", "vertices", node),
		faceX: axis("face_x", "x", "centroids of cells", face), faceY: axis("face_y", "y", "centroids of cells", face),
		faces: &netcdf.Var{Name: "face_nodes", Type: netcdf.Int32, Dims: []int{face, corner}, Attrs: netcdf.Attrs{
			text("cf_role", "face_node_connectivity"), text("long_name", "vertices of each cell, anticlockwise"),
			netcdf.Numeric("start_index", netcdf.Int32, 0)}},
		mesh: &netcdf.Var{Name: "mesh", Type: netcdf.Int32, Attrs: netcdf.Attrs{text("cf_role", "mesh_topology"),
			text("long_name", "triangles"), netcdf.Numeric("topology_dimension", netcdf.Int32, 2),
			text("node_coordinates", "node_x node_y"), text("face_node_connectivity", "face_nodes"),
			text("face_coordinates", "face_x face_y"), text("face_dimension", "face")}},
	}
	vars := []*netcdf.Var{l.mesh, l.nodeX, l.nodeY, l.faces, l.faceX, l.faceY}
	if crs > 0 {
		l.gridMapping = &netcdf.Var{Name: gridMappingName, Type: netcdf.Int32, Attrs: MappingAttrs(crs)}
		vars = append(vars, l.gridMapping)
	}
	vars = append(vars, l.time)
	for _, f := range fields {
		for _, name := range f.Numbers() {
			v := &netcdf.Var{Name: name, Type: netcdf.Float64, Dims: []int{timeDim, face}, Attrs: FieldAttrs(&f)}
			v.Attrs = append(v.Attrs, text("mesh", "mesh"), text("location", "face"), text("coordinates", "face_x face_y"))
			if crs > 0 {
				v.Attrs = append(v.Attrs, text("grid_mapping", gridMappingName))
			}
			l.values, vars = append(l.values, v), append(vars, v)
		}
	}
	dims := []netcdf.Dim{{Name: "time"}, {Name: "node", Length: nodes}, {Name: "face", Length: cells},
		{Name: "three", Length: 3}}
	attrs := netcdf.Attrs{text("Conventions", "CF-1.11 UGRID-1.0"), text("source", about.Source)}
	if about.Title != "" {
		attrs = append(attrs, text("title", about.Title))
	}
	var err error
	l.header, err = netcdf.Define(dims, attrs, vars)
	return l, err
}

// readLayout returns the layout of an existing file, which another version of the program may have written. It returns
// an error if the file does not fit the case.
func readLayout(f *netcdf.File, cells int64, fields []solvers.Field) (*layout, error) {
	l := &layout{header: &f.Header, time: f.Var("time")}
	isSeries := func(v *netcdf.Var, lengths ...int64) bool {
		if v == nil || v.Type != netcdf.Float64 || len(v.Dims) != 1+len(lengths) || f.Dims[v.Dims[0]].Length != 0 {
			return false
		}
		for k, n := range lengths {
			if f.Dims[v.Dims[k+1]].Length != n {
				return false
			}
		}
		return true
	}
	if !isSeries(l.time) {
		return nil, errors.New("the file has no variable \"time\"")
	}
	for _, field := range fields {
		for _, name := range field.Numbers() {
			v := f.Var(name)
			if !isSeries(v, cells) {
				return nil, fmt.Errorf("the file has no field %q on %d cells", name, cells)
			}
			l.values = append(l.values, v)
		}
	}
	if n := len(l.values); n != len(f.Vars)-l.countOthers(f) {
		return nil, fmt.Errorf("the file has other fields than the %d of the case", n)
	}
	return l, nil
}

// countOthers returns the number of variables that are not fields.
func (l *layout) countOthers(f *netcdf.File) (n int) {
	for _, v := range f.Vars {
		if v == l.time || len(v.Dims) == 0 || f.Dims[v.Dims[0]].Length != 0 {
			n++
		}
	}
	return n
}

// FieldAttrs returns the attributes that describe a field.
func FieldAttrs(f *solvers.Field) netcdf.Attrs {
	return netcdf.Attrs{netcdf.Text("units", Units(f.Unit)), netcdf.Text("long_name", f.Doc)}
}

// Units converts a unit to the spelling of CF.
func Units(unit string) string {
	if unit == "" {
		return "1"
	}
	return strings.NewReplacer("²", "2", "³", "3", "⁴", "4").Replace(unit)
}

// TimeAttrs returns the attributes of the time. epoch is the date of t = 0; if it is not a date, times count in seconds
// from the start.
func TimeAttrs(epoch string) netcdf.Attrs {
	list := netcdf.Attrs{netcdf.Text("axis", "T"), netcdf.Text("long_name", "time"), netcdf.Text("standard_name", "time")}
	start, err := time.Parse(time.RFC3339Nano, epoch)
	if err != nil {
		return netcdf.Attrs{netcdf.Text("axis", "T"), netcdf.Text("long_name", "time since the start"),
			netcdf.Text("units", "s")}
	}
	return append(list, netcdf.Text("units", "seconds since "+start.UTC().Format("2006-01-02 15:04:05.999999999")),
		netcdf.Text("calendar", "proleptic_gregorian"))
}

// Coordinates returns the code of a coordinate system such as "EPSG:25832"; 0 if crs is not of that form.
func Coordinates(crs string) int {
	code, err := strconv.Atoi(strings.TrimPrefix(crs, "EPSG:"))
	if err != nil {
		return 0
	}
	return code
}

// CoordinateAttrs returns the attributes of the x or y coordinates of an EPSG code.
func CoordinateAttrs(axis string, code int) netcdf.Attrs {
	if epsg.Geographic(code) {
		name, units := "longitude", "degrees_east"
		if axis == "y" {
			name, units = "latitude", "degrees_north"
		}
		return netcdf.Attrs{netcdf.Text("standard_name", name), netcdf.Text("units", units)}
	}
	return netcdf.Attrs{netcdf.Text("standard_name", "projection_"+axis+"_coordinate"), netcdf.Text("units", "m")}
}

// MappingAttrs returns the attributes of the grid mapping: the code in each form that some reader expects.
func MappingAttrs(epsg int) netcdf.Attrs {
	code := fmt.Sprintf("EPSG:%d", epsg)
	return netcdf.Attrs{netcdf.Text("epsg_code", code), netcdf.Text("EPSG_code", code),
		netcdf.Numeric("epsg", netcdf.Int32, float64(epsg)), netcdf.Text("long_name", code)}
}

// create writes the file with its mesh and no records. The bytes with the number of records are a part of their own.
func (w *Writer) create(n *nodes) error {
	l := w.layout
	return atomicfile.Write(w.path, func(f *atomicfile.File) error {
		header := l.header.Encode()
		_, err := f.WriteAt(header[:AfterCount], 0)
		if err == nil {
			_, err = f.WriteAt(header[AfterCount:], AfterCount)
		}
		if err != nil {
			return err
		}
		for _, item := range []struct {
			v      *netcdf.Var
			values []float64
		}{{l.nodeX, n.x}, {l.nodeY, n.y}, {l.faces, n.faces}, {l.faceX, n.centreX}, {l.faceY, n.centreY},
			{l.mesh, []float64{0}}, {l.gridMapping, []float64{float64(l.crs)}}} {
			if item.v == nil {
				continue
			}
			if err := writeAt(f, l.header.Offset(item.v, 0, 0), item.v.Type, item.values); err != nil {
				return err
			}
		}
		return f.Truncate(l.header.FileSize(0))
	})
}
