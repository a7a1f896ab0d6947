// Package selafin reads triangle meshes from SELAFIN files (also called SERAFIN), the format of Telemac.
package selafin

import (
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Read reads a SELAFIN file of a mesh in the plane: Fortran records in either byte order, with numbers of single or
// double precision. The variables at the last time become vertex fields with their names, such as BOTTOM. The mesh has
// no groups, since Telemac has boundary conditions in another file. Errors give the byte offset.
//
// The mesh is that of the file, unchecked: Check reports whether solvers can use it.
func Read(path string) (*mesh.Mesh, error) {
	return meshfile.Read(path, parse)
}

// head has the data of the first records, which describe the others.
type head struct {
	names         []string // of variables
	west, south   int32    // added to coordinates, m
	cells, points int
}

func parse(data []byte) (*mesh.Mesh, error) {
	r, err := newRecords(data)
	if err != nil {
		return nil, err
	}
	h, err := r.head()
	if err != nil {
		return nil, err
	}
	m := &mesh.Mesh{}
	if m.Cells, err = r.triangles(h); err != nil {
		return nil, err
	}
	if _, err = r.record("boundary numbers", 4*h.points); err != nil {
		return nil, err
	}
	if m.X, err = r.coordinates("x", h.points, h.west); err != nil {
		return nil, err
	}
	if m.Y, err = r.coordinates("y", h.points, h.south); err != nil {
		return nil, err
	}
	if m.VertexData, err = r.fields(h); err != nil {
		return nil, err
	}
	return m, nil
}

// head reads the names of variables, the parameters and the size of the mesh.
func (r *records) head() (h head, err error) {
	counts, err := r.integers("the numbers of variables", 2)
	if err != nil {
		return h, err
	}
	const maxVariables = 10_000
	if counts[0] < 0 || counts[1] < 0 || counts[0] > maxVariables || counts[1] > maxVariables {
		return h, r.wrong("%d and %d variables; want 0 to %d of each kind", counts[0], counts[1], maxVariables)
	}
	for range counts[0] + counts[1] {
		title, err := r.record("the name of a variable", 32)
		if err != nil {
			return h, err
		}
		name := strings.TrimSpace(string(title[:16])) // its unit follows
		for _, other := range h.names {
			if name == other {
				return h, r.wrong("a second variable %q", name)
			}
		}
		h.names = append(h.names, name)
	}
	settings, err := r.integers("the ten parameters", 10)
	if err != nil {
		return h, err
	}
	h.west, h.south = settings[2], settings[3]
	if planes := settings[6]; planes > 1 {
		return h, r.wrong("%d planes: a mesh of prisms in space cannot be read; give Telemac's file of the mesh in the plane",
			planes)
	}
	if settings[9] == 1 {
		if _, err = r.integers("a date", 6); err != nil {
			return h, err
		}
	}
	size, err := r.integers("the size of the mesh", 4)
	if err != nil {
		return h, err
	}
	if size[2] != 3 {
		return h, r.wrong("cells have %d vertices; only triangles can be read", size[2])
	}
	h.cells, h.points = int(size[0]), int(size[1])
	if h.cells < 1 || h.points < 3 {
		return h, r.wrong("%d triangles and %d vertices; want at least 1 and 3", h.cells, h.points)
	}
	return h, nil
}

// triangles reads the vertices of all cells, which the file numbers from 1.
func (r *records) triangles(h head) ([][3]int32, error) {
	b, err := r.record("the vertices of triangles", 12*h.cells)
	if err != nil {
		return nil, err
	}
	cells := make([][3]int32, h.cells)
	for i := range cells {
		for k := range 3 {
			v := int32(r.order.Uint32(b[4*(3*i+k):]))
			if v < 1 || int(v) > h.points {
				return nil, r.wrong("triangle %d refers to vertex %d; the file has vertices 1 to %d", i+1, v, h.points)
			}
			cells[i][k] = v - 1
		}
	}
	return cells, nil
}

// coordinates reads one coordinate of all vertices and adds the origin.
func (r *records) coordinates(what string, points int, origin int32) ([]float64, error) {
	x, err := r.numbers(what, points)
	if err != nil {
		return nil, err
	}
	for i := range x {
		if x[i]-x[i] != 0 {
			return nil, r.wrong("%s of vertex %d is %v", what, i+1, x[i])
		}
		x[i] += float64(origin)
	}
	return x, nil
}

// fields reads the variables at all times, and returns those at the last; nil if there is none.
func (r *records) fields(h head) (map[string][]float64, error) {
	var last map[string][]float64
	for !r.ended() {
		if _, err := r.numbers("a time", 1); err != nil {
			return nil, err
		}
		for k, name := range h.names {
			values, err := r.numbers("variable "+name, h.points)
			if err != nil {
				return nil, err
			}
			if k == 0 {
				last = map[string][]float64{}
			}
			last[name] = values
		}
	}
	return last, nil
}
