package plot

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// tetrahedronCell is VTK's number for them.
const tetrahedronCell = 10

// loadSolid reads tetrahedra, and cuts them where a slice is asked for.
func (r *runner) loadSolid(path string) (*frameData, error) {
	s, err := vtk.ReadSolid(path)
	if err != nil {
		return nil, err
	}
	d, err := r.solid(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// solid takes what is to be drawn on tetrahedra, or on the triangles and quadrilaterals in which a slice cuts them.
func (r *runner) solid(s *mesh.Solid) (*frameData, error) {
	d := &frameData{solid: s, count: len(s.Cells)}
	cells := make([]int, len(s.Cells))
	for i := range cells {
		cells[i] = i
	}
	across, up := 0, 1
	if plane := r.options.Slice; plane != nil {
		across, up = inPlane[plane.Axis][0], inPlane[plane.Axis][1]
		d.solid, d.slice = nil, fmt.Sprintf(" at %v", plane)
		if cells = d.cut(s, plane); len(cells) == 0 {
			return nil, fmt.Errorf("the slice %v meets no tetrahedron", plane)
		}
	}
	var data vtk.Arrays
	for _, name := range fieldsOf(s) {
		a := vtk.Array{Name: name, Components: 1, Data: s.CellData[name]}
		if name == "rank" {
			a.Data = whole(s.CellData[name])
		}
		data = append(data, a)
	}
	if d.solid != nil && (len(r.options.Arrows) > 0 || r.options.Isolines != nil) {
		return nil, fmt.Errorf("isolines and arrows are of a plane: give a slice, as in --slice y=0.5")
	}
	return d, r.take(d, "cell data", data, cells, across, up)
}

// whole are numbers that are whole, as ranks.
func whole(values []float64) []int32 {
	ids := make([]int32, len(values))
	for i, v := range values {
		ids[i] = int32(v)
	}
	return ids
}

// fieldsOf are the cell fields that are worth a picture, and the ranks.
func fieldsOf(s *mesh.Solid) (names []string) {
	for name := range s.CellData {
		if name != "cell" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// cut makes the picture's triangles where a plane meets tetrahedra, and returns the tetrahedron of each. Points on
// edges are shared by the cells around.
func (d *frameData) cut(s *mesh.Solid, plane *Plane) (cells []int) {
	axes := inPlane[plane.Axis]
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
			one, three := above, below
			if len(one) > 1 {
				one, three = below, above
			}
			d.cells = append(d.cells, [3]int32{point(one[0], three[0]), point(one[0], three[1]), point(one[0], three[2])})
			cells = append(cells, c)
		}
	}
	return cells
}

// solidView draws a field of tetrahedra: of those whose centre is behind the middle, seen along y.
func (d *frameData) solidView(f *field, c chart.Colouring, title string, p chart.Page) (*figure.Figure, error) {
	v := &chart.View{Page: p, Title: title, Colouring: c, Axes: inSpace(d.axes), Edges: true}
	s := d.solid
	middle := (slices.Min(s.Y) + slices.Max(s.Y)) / 2
	cells, err := d.skin(v, func(c int) bool { return s.Centroid(c)[1] >= middle })
	if err != nil {
		return nil, err
	}
	v.Values = make([]float64, len(cells))
	for i, cell := range cells {
		v.Values[i] = f.values[cell]
	}
	return v.Draw()
}

// skin adds the boundary of some tetrahedra to a view, in the box of all, and returns the tetrahedron of each triangle.
func (d *frameData) skin(v *chart.View, of func(cell int) bool) (cells []int, err error) {
	s := d.solid
	for axis, x := range [3][]float64{s.X, s.Y, s.Z} {
		v.Box[0][axis], v.Box[1][axis] = slices.Min(x), slices.Max(x)
	}
	for i := range s.X {
		v.Points = append(v.Points, s.X[i], s.Y[i], s.Z[i])
	}
	some := &mesh.Solid{X: s.X, Y: s.Y, Z: s.Z}
	var ids []int
	for c := range s.Cells {
		if of(c) {
			some.Cells, ids = append(some.Cells, s.Cells[c]), append(ids, c)
		}
	}
	skin, err := some.Skin()
	if err != nil {
		return nil, err
	}
	for _, f := range skin {
		v.Triangles = append(v.Triangles, f.V)
		cells = append(cells, ids[f.Cell])
	}
	return cells, nil
}
