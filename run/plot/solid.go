package plot

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// tetrahedronCell is a cell type of VTK.
const tetrahedronCell = 10

// loadSolid reads tetrahedra and, if a slice is requested, cuts them.
func (r *runner) loadSolid(path string) (*frameData, error) {
	s, err := vtk.ReadSolid(path)
	if err != nil {
		return nil, err
	}
	d, err := r.solidData(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// solidData returns the data to draw on tetrahedra, or on the triangles and quadrilaterals of a slice.
func (r *runner) solidData(s *mesh.Solid) (*frameData, error) {
	d := &frameData{solid: s, count: len(s.Cells)}
	cells := make([]int, len(s.Cells))
	for i := range cells {
		cells[i] = i
	}
	across, up := 0, 1
	if plane := r.options.Slice; plane != nil {
		across, up = planeAxes[plane.Axis][0], planeAxes[plane.Axis][1]
		d.solid, d.slice = nil, fmt.Sprintf(" at %v", plane)
		if cells = d.cut(s, plane); len(cells) == 0 {
			return nil, fmt.Errorf("slice %v intersects no tetrahedron", plane)
		}
	}
	var data vtk.Arrays
	for _, name := range fieldNames(s) {
		a := vtk.Array{Name: name, Components: 1, Data: s.CellData[name]}
		if name == "rank" {
			a.Data = toInts(s.CellData[name])
		}
		data = append(data, a)
	}
	if d.solid != nil && (len(r.options.Arrows) > 0 || r.options.Isolines != nil) {
		return nil, fmt.Errorf("isolines and arrows need a plane: choose a slice, such as --slice y=0.5")
	}
	return d, r.addFields(d, "cell data", data, cells, across, up)
}

// toInts converts integer-valued numbers, such as ranks.
func toInts(values []float64) []int32 {
	ids := make([]int32, len(values))
	for i, v := range values {
		ids[i] = int32(v)
	}
	return ids
}

// fieldNames returns the names of the cell fields that can be drawn, and of the ranks.
func fieldNames(s *mesh.Solid) (names []string) {
	for name := range s.CellData {
		if name != "cell" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// cut adds the triangles in which a plane intersects tetrahedra, and returns the tetrahedron of each. Points on edges
// are shared by the cells around.
func (d *frameData) cut(s *mesh.Solid, plane *Plane) (cells []int) {
	axes := planeAxes[plane.Axis]
	points := map[[2]int32]int32{}
	point := func(a, b int32) int32 {
		if a > b {
			a, b = b, a
		}
		if i, ok := points[[2]int32{a, b}]; ok {
			return i
		}
		p, q := s.At(a), s.At(b)
		t := (plane.At - p[plane.Axis]) / (q[plane.Axis] - p[plane.Axis])
		d.x = append(d.x, p[axes[0]]+t*(q[axes[0]]-p[axes[0]]))
		d.y = append(d.y, p[axes[1]]+t*(q[axes[1]]-p[axes[1]]))
		i := int32(len(d.x) - 1)
		points[[2]int32{a, b}] = i
		return i
	}
	for c, v := range s.Cells {
		var above, below []int32
		for _, i := range v {
			if s.At(i)[plane.Axis] >= plane.At {
				above = append(above, i)
			} else {
				below = append(below, i)
			}
		}
		switch {
		case len(above) == 0 || len(below) == 0:
		case len(above) == 2:
			p, q := point(above[0], below[0]), point(above[1], below[1])
			d.cells = append(d.cells, [3]int32{p, point(above[0], below[1]), q}, [3]int32{p, q, point(above[1], below[0])})
			cells = append(cells, c, c)
		default:
			single, others := above, below
			if len(single) > 1 {
				single, others = below, above
			}
			d.cells = append(d.cells, [3]int32{point(single[0], others[0]), point(single[0], others[1]), point(single[0],
				others[2])})
			cells = append(cells, c)
		}
	}
	return cells
}

// solidView draws a field of the tetrahedra whose centre is in the rear half, along y.
func (d *frameData) solidView(f *field, c chart.Colouring, title string, p chart.Page) (*figure.Figure, error) {
	v := &chart.View{Page: p, Title: title, Colouring: c, Axes: axes3D(d.axes), Edges: true}
	s := d.solid
	middle := (slices.Min(s.Y) + slices.Max(s.Y)) / 2
	cells, err := d.addBoundary(v, func(c int) bool { return s.Centroid(c)[1] >= middle })
	if err != nil {
		return nil, err
	}
	v.Values = make([]float64, len(cells))
	for i, cell := range cells {
		v.Values[i] = f.values[cell]
	}
	return v.Draw()
}

// addBoundary adds the boundary of the tetrahedra selected by include to a view, in the bounding box of all, and
// returns the tetrahedron of each triangle.
func (d *frameData) addBoundary(v *chart.View, include func(cell int) bool) (cells []int, err error) {
	s := d.solid
	for axis, x := range [3][]float64{s.X, s.Y, s.Z} {
		v.Box[0][axis], v.Box[1][axis] = slices.Min(x), slices.Max(x)
	}
	for i := range s.X {
		v.Points = append(v.Points, s.X[i], s.Y[i], s.Z[i])
	}
	selected := &mesh.Solid{X: s.X, Y: s.Y, Z: s.Z}
	var ids []int
	for c := range s.Cells {
		if include(c) {
			selected.Cells, ids = append(selected.Cells, s.Cells[c]), append(ids, c)
		}
	}
	skin, err := selected.Skin()
	if err != nil {
		return nil, err
	}
	for _, f := range skin {
		v.Triangles = append(v.Triangles, f.V)
		cells = append(cells, ids[f.Cell])
	}
	return cells, nil
}
