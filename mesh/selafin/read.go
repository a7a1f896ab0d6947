// Package selafin reads meshes of triangles from SELAFIN files (also called SERAFIN), those of Telemac.
package selafin

import (
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// Read reads a SELAFIN file in the plane: records of Fortran in either byte order, numbers of single or double
// precision. Its variables at the last time become vertex fields by their names, such as BOTTOM. Telemac keeps what is
// given at boundaries in another file: the mesh has no groups. Errors name the offset in bytes.
//
// The mesh is as it stands in the file: Check tells whether solvers can use it.
func Read(path string) (*mesh.Mesh, error) {
	return meshfile.Read(path, parse)
}

// head is what comes before the numbers.
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
	if _, err = r.next("boundary numbers", 4*h.points); err != nil {
		return nil, err
	}
	if m.X, err = r.places("x", h.points, h.west); err != nil {
		return nil, err
	}
	if m.Y, err = r.places("y", h.points, h.south); err != nil {
		return nil, err
	}
	if m.VertexData, err = r.fields(h); err != nil {
		return nil, err
	}
	return m, nil
}

// head reads titles and counts.
func (r *records) head() (h head, err error) {
	counts, err := r.integers("the numbers of variables", 2)
	if err != nil {
		return h, err
	}
	const most = 10_000
	if counts[0] < 0 || counts[1] < 0 || counts[0] > most || counts[1] > most {
		return h, r.wrong("%d and %d variables", counts[0], counts[1])
	}
	for range counts[0] + counts[1] {
		title, err := r.next("the name of a variable", 32)
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
		return h, r.wrong("%d planes: a mesh of prisms in space, of which Telemac has a file in the plane too", planes)
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
		return h, r.wrong("cells of %d corners; triangles are read", size[2])
	}
	h.cells, h.points = int(size[0]), int(size[1])
	if h.cells < 1 || h.points < 3 {
		return h, r.wrong("%d triangles of %d vertices", h.cells, h.points)
	}
	return h, nil
}

// triangles reads the corners of all cells, which the file counts from 1.
func (r *records) triangles(h head) ([][3]int32, error) {
	b, err := r.next("the corners of triangles", 12*h.cells)
	if err != nil {
		return nil, err
	}
	cells := make([][3]int32, h.cells)
	for i := range cells {
		for k := range 3 {
			v := int32(r.order.Uint32(b[4*(3*i+k):]))
			if v < 1 || int(v) > h.points {
				return nil, r.wrong("triangle %d has vertex %d, and there are %d", i+1, v, h.points)
			}
			cells[i][k] = v - 1
		}
	}
	return cells, nil
}

// places reads a coordinate of all vertices.
func (r *records) places(what string, points int, origin int32) ([]float64, error) {
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

// fields reads the variables of all times, and returns those of the last; nil for none.
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
