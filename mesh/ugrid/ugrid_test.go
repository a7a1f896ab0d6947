package ugrid

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/formats/netcdf"
)

// options change the file of a test.
type options struct {
	start, fill float64
	turned      bool      // dimensions of the nodes of faces in the other order
	nodes       []float64 // of faces
	corners     int64
	topology    netcdf.Attrs // instead of that with its names
}

// file returns a mesh of a square and a triangle beside it, with fields.
func file(t testing.TB, o options) []byte {
	t.Helper()
	text := netcdf.Text
	topology := o.topology
	if topology == nil {
		topology = netcdf.Attrs{text("cf_role", "mesh_topology"), netcdf.Numeric("topology_dimension", netcdf.Int32, 2),
			text("node_coordinates", "x y"), text("face_node_connectivity", "faces"), text("face_dimension", "nface")}
	}
	dims := []int{1, 2}
	if o.turned {
		dims = []int{2, 1}
	}
	at := func(location string) netcdf.Attrs {
		return netcdf.Attrs{text("mesh", "grid"), text("location", location)}
	}
	vars := []*netcdf.Var{
		{Name: "grid", Type: netcdf.Int32, Attrs: topology},
		{Name: "x", Type: netcdf.Float64, Dims: []int{0}}, {Name: "y", Type: netcdf.Float64, Dims: []int{0}},
		{Name: "faces", Type: netcdf.Int32, Dims: dims, Attrs: netcdf.Attrs{
			netcdf.Numeric("start_index", netcdf.Int32, o.start), netcdf.Numeric("_FillValue", netcdf.Int32, o.fill)}},
		{Name: "z", Type: netcdf.Float32, Dims: []int{0}, Attrs: at("node")},
		{Name: "n", Type: netcdf.Float64, Dims: []int{1}, Attrs: at("face")},
		{Name: "time", Type: netcdf.Float64, Dims: []int{3}, Attrs: netcdf.Attrs{text("axis", "T")}},
		{Name: "h", Type: netcdf.Float64, Dims: []int{3, 1}, Attrs: at("face")},
		{Name: "layers", Type: netcdf.Float64, Dims: []int{4, 1}, Attrs: at("face")},
	}
	head, err := netcdf.Define([]netcdf.Dim{{Name: "nnode", Length: 5}, {Name: "nface", Length: 2},
		{Name: "corner", Length: o.corners}, {Name: "time", Length: 3}, {Name: "layer", Length: 2}}, nil, vars)
	if err != nil {
		t.Fatal(err)
	}
	b := head.Encode()
	b = append(b, make([]byte, head.FileSize(0)-int64(len(b)))...)
	for k, values := range [][]float64{{0}, {0, 1, 1, 0, 2}, {0, 0, 1, 1, .5}, o.nodes, {-1, -2, -3, -4, -5}, {7, 8},
		{0, 10, 20}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4}} {
		copy(b[head.Offset(vars[k], 0, 0):], vars[k].Type.Append(nil, values))
	}
	return b
}

func quads() options {
	return options{start: 1, fill: -999, corners: 4, nodes: []float64{1, 2, 3, 4, 2, 5, 3, -999}}
}

// TestRead: meshes have the nodes, cells and fields of their files, and of fields over time the last values.
func TestRead(t *testing.T) {
	const want = "[0 1 1 0 2] [0 0 1 1 0.5] [[0 1 2] [0 2 3] [1 4 2]] map[z:[-1 -2 -3 -4 -5]] map[h:[5 5 6] n:[7 7 8]]"
	turned := quads()
	turned.turned, turned.nodes = true, []float64{1, 2, 2, 5, 3, 3, 4, -999}
	fromZero := quads()
	fromZero.start, fromZero.nodes = 0, []float64{0, 1, 2, 3, 1, 4, 2, -999}
	for name, o := range map[string]options{"from 1": quads(), "other order": turned, "from 0": fromZero} {
		b := file(t, o)
		m, err := parse(bytes.NewReader(b), int64(len(b)), "a.nc")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprint(m.X, m.Y, m.Cells, m.VertexData, m.CellData); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

// TestRefusals: errors tell the variable and the reason.
func TestRefusals(t *testing.T) {
	change := func(f func(o *options)) options {
		o := quads()
		f(&o)
		return o
	}
	role, dim := netcdf.Text("cf_role", "mesh_topology"), netcdf.Numeric("topology_dimension", netcdf.Int32, 2)
	for _, c := range []struct {
		o    options
		want string
	}{
		{change(func(o *options) { o.topology = netcdf.Attrs{role} }), "a.nc: there is no mesh"},
		{change(func(o *options) { o.topology = netcdf.Attrs{role, dim} }), "node_coordinates is"},
		{change(func(o *options) { o.topology = netcdf.Attrs{role, dim, netcdf.Text("node_coordinates", "x q")} }),
			`names "q", which is no variable`},
		{change(func(o *options) { o.topology = netcdf.Attrs{role, dim, netcdf.Text("node_coordinates", "x n")} }),
			`variable "n": coordinates of nodes have one dimension, the same for both`},
		{change(func(o *options) { o.topology = netcdf.Attrs{role, dim, netcdf.Text("node_coordinates", "x y")} }),
			`names "", which is no variable`},
		{change(func(o *options) { o.nodes[2] = 6 }), "face 0 has the node 6; want 1 to 5"},
		{change(func(o *options) { o.nodes[2] = 0 }), "face 0 has the node 0; want 1 to 5"},
		{change(func(o *options) { o.nodes[6] = -999 }), "face 1 has 2 nodes: only triangles and quadrangles"},
		{change(func(o *options) { o.corners, o.nodes = 5, []float64{1, 2, 5, 3, 4, 1, 2, 3, -999, -999} }),
			"face 0 has 5 nodes"},
	} {
		b := file(t, c.o)
		if _, err := parse(bytes.NewReader(b), int64(len(b)), "a.nc"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// FuzzRead: any file is refused, or gives a mesh whose indices are valid.
func FuzzRead(f *testing.F) {
	f.Add(file(f, quads()))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parse(bytes.NewReader(data), int64(len(data)), "a.nc")
		if err != nil {
			return
		}
		for _, v := range m.Cells {
			if min(v[0], v[1], v[2]) < 0 || int(max(v[0], v[1], v[2])) >= len(m.X) {
				t.Fatalf("cell %v of %d vertices", v, len(m.X))
			}
		}
		for name, values := range m.CellData {
			if len(values) != len(m.Cells) {
				t.Fatalf("field %q has %d values for %d cells", name, len(values), len(m.Cells))
			}
		}
		for _, x := range m.X {
			if math.IsNaN(x) || len(m.Y) != len(m.X) {
				t.Fatalf("positions %v, %v", m.X, m.Y)
			}
		}
	})
}
