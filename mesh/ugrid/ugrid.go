// Package ugrid reads meshes in the plane from NetCDF files by the UGRID conventions (version 1.0), such as those of
// Delft3D FM and of Atoll's own frames.
package ugrid

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Read reads a mesh of triangles and quadrangles, of which the latter are divided into triangles. Numbers at nodes and
// at faces become fields with their names; of those that depend on time as well, the last. The mesh has no groups,
// since the conventions have no names for parts of the boundary.
//
// The mesh is that of the file, unchecked: Check reports whether solvers can use it.
func Read(path string) (*mesh.Mesh, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return parse(f, info.Size(), path)
}

func parse(from io.ReaderAt, size int64, name string) (*mesh.Mesh, error) {
	f, err := netcdf.New(from, size, name)
	if err != nil {
		return nil, err
	}
	r := &reader{f: f, mesh: &mesh.Mesh{}}
	for _, read := range []func() error{r.findTopology, r.readNodes, r.readFaces, r.readFields} {
		if err := read(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return r.mesh, nil
}

// reader is the state of reading one file.
type reader struct {
	f            *netcdf.File
	topology     *netcdf.Var
	nodes, faces int // their dimensions
	mesh         *mesh.Mesh
	faceOf       []int32 // of each cell
}

// findTopology finds the variable that describes the mesh.
func (r *reader) findTopology() error {
	for _, v := range r.f.Vars {
		if dim, _ := v.Attrs.Number("topology_dimension"); v.Attrs.Text("cf_role") != "mesh_topology" || dim != 2 {
			continue
		}
		if r.topology != nil {
			return fmt.Errorf("there are two meshes, %q and %q: want one", r.topology.Name, v.Name)
		}
		r.topology = v
	}
	if r.topology == nil {
		return errors.New("there is no mesh: no variable has cf_role = mesh_topology and topology_dimension = 2 (UGRID)")
	}
	return nil
}

// named returns the variable that an attribute of the topology names.
func (r *reader) named(attribute string, name string) (*netcdf.Var, error) {
	v := r.f.Var(name)
	if v == nil || v.Type == netcdf.Char {
		return nil, fmt.Errorf("variable %q: its attribute %s names %.40q, which is no variable with numbers",
			r.topology.Name, attribute, name)
	}
	return v, nil
}

// readNodes reads the coordinates of nodes.
func (r *reader) readNodes() error {
	const attribute = "node_coordinates"
	names := strings.Fields(r.topology.Attrs.Text(attribute))
	if len(names) < 2 {
		return fmt.Errorf("variable %q: its attribute %s is %.40q, want two names", r.topology.Name, attribute, names)
	}
	for k, to := range []*[]float64{&r.mesh.X, &r.mesh.Y} {
		v, err := r.named(attribute, names[k])
		if err != nil {
			return err
		}
		if len(v.Dims) != 1 || k == 1 && v.Dims[0] != r.nodes {
			return fmt.Errorf("variable %q: coordinates of nodes have one dimension, the same for both", v.Name)
		}
		r.nodes = v.Dims[0]
		if *to, err = r.values(v); err != nil {
			return err
		}
		if at := slices.IndexFunc(*to, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }); at >= 0 {
			return fmt.Errorf("variable %q: node %d has no coordinate", v.Name, at)
		}
	}
	if n := len(r.mesh.X); n < 3 || n > math.MaxInt32 {
		return fmt.Errorf("there are %d nodes; want 3 to %d", n, math.MaxInt32)
	}
	return nil
}

// values reads all values of a variable, NaN for missing ones.
func (r *reader) values(v *netcdf.Var) ([]float64, error) {
	values, err := r.f.ReadAll(v)
	if err != nil {
		return nil, err
	}
	return values, v.Physical(values)
}

// readFaces reads the nodes of faces: an array of faces and up to four nodes, in either order of its dimensions.
func (r *reader) readFaces() error {
	const attribute = "face_node_connectivity"
	v, err := r.named(attribute, r.topology.Attrs.Text(attribute))
	if err != nil {
		return err
	}
	if len(v.Dims) != 2 {
		return fmt.Errorf("variable %q has %d dimensions; want that of faces and that of their nodes", v.Name, len(v.Dims))
	}
	shape := r.f.Shape(v)
	corners, stride, step := shape[1], shape[1], int64(1)
	r.faces = v.Dims[0]
	if name := r.topology.Attrs.Text("face_dimension"); name != "" && name == r.f.Dims[v.Dims[1]].Name {
		r.faces, corners, stride, step = v.Dims[1], shape[0], 1, shape[1]
	}
	values, err := r.values(v)
	if err != nil {
		return err
	}
	if corners < 3 || len(values) == 0 {
		return fmt.Errorf("variable %q: there are no faces of at least three nodes", v.Name)
	}
	start, _ := v.Attrs.Number("start_index")
	for face := range int64(len(values)) / corners {
		var list []int32
		for k := range corners {
			n := values[face*stride+k*step]
			if math.IsNaN(n) || n == -999 && n < start { // files without _FillValue
				continue
			}
			node := n - start
			if !(node >= 0 && node < float64(len(r.mesh.X))) || node != math.Trunc(node) {
				return fmt.Errorf("variable %q: face %d has the node %g; want %g to %g", v.Name, face, n, start,
					start+float64(len(r.mesh.X)-1))
			}
			list = append(list, int32(node))
		}
		switch len(list) {
		case 3:
			r.add(face, [3]int32(list))
		case 4:
			halves := meshfile.Split(r.mesh.X, r.mesh.Y, [4]int32(list))
			r.add(face, halves[0])
			r.add(face, halves[1])
		default:
			return fmt.Errorf("variable %q: face %d has %d nodes: only triangles and quadrangles can be read", v.Name, face,
				len(list))
		}
	}
	return nil
}

func (r *reader) add(face int64, cell [3]int32) {
	r.mesh.Cells, r.faceOf = append(r.mesh.Cells, cell), append(r.faceOf, int32(face))
}

// isTime reports whether a dimension is that of times, by the attributes of its coordinates.
func (r *reader) isTime(dim int) bool {
	v := r.f.Var(r.f.Dims[dim].Name)
	return v != nil && (v.Attrs.Text("axis") == "T" || strings.Contains(v.Attrs.Text("units"), " since "))
}

// lastValues reads the values of a variable, at the last time if it depends on time, NaN for missing ones; nil if there
// is no time yet.
func (r *reader) lastValues(v *netcdf.Var) ([]float64, error) {
	shape := r.f.Shape(v)
	if len(shape) == 1 {
		return r.values(v)
	}
	if shape[0] == 0 {
		return nil, nil
	}
	values := make([]float64, shape[1])
	if err := r.f.Read(v, []int64{shape[0] - 1, 0}, []int64{1, shape[1]}, values); err != nil {
		return nil, err
	}
	return values, v.Physical(values)
}

// readFields reads what is known at nodes and at faces.
func (r *reader) readFields() error {
	for _, v := range r.f.Vars {
		location := v.Attrs.Text("location")
		if v.Attrs.Text("mesh") != r.topology.Name || v.Type == netcdf.Char || len(v.Dims) == 0 ||
			len(v.Dims) > 2 || len(v.Dims) == 2 && !r.isTime(v.Dims[0]) {
			continue
		}
		dim := v.Dims[len(v.Dims)-1]
		atNodes := location == "node" && dim == r.nodes
		if !atNodes && !(location == "face" && dim == r.faces) {
			continue
		}
		values, err := r.lastValues(v)
		if err != nil {
			return err
		}
		if values == nil {
			continue
		}
		if atNodes {
			mesh.SetField(&r.mesh.VertexData, v.Name, values)
			continue
		}
		cells := make([]float64, len(r.faceOf))
		for i, face := range r.faceOf {
			cells[i] = values[face]
		}
		mesh.SetField(&r.mesh.CellData, v.Name, cells)
	}
	return nil
}
