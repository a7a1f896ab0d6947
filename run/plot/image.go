package plot

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// isImage reports whether the file of a frame is a grid, isShape whether it has lines or polygons, of an interface or a
// surface.
func isImage(path string) bool { e := filepath.Ext(path); return e == ".vti" || e == ".pvti" }
func isShape(path string) bool { e := filepath.Ext(path); return e == ".vtp" || e == ".pvtp" }

// maxDrawnCells is the largest number of cells of a grid that can be drawn: each is two triangles.
const maxDrawnCells = math.MaxInt32 / 4

// planeAxes are the horizontal and vertical axis of a picture of a plane, by the axis normal to it.
var planeAxes = [3][2]int{{1, 2}, {0, 2}, {0, 1}}

// loadImage reads a grid and the interface of the same frame. Of a grid in space it takes the cells in a plane, by
// default the middle plane normal to z, and the section of the interface.
func (r *runner) loadImage(path string) (*frameData, error) {
	m, err := vtk.ReadImage(path)
	if err != nil {
		return nil, err
	}
	d := &frameData{count: m.Cells()}
	plane, layer, err := r.layer(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	across, up := planeAxes[plane.Axis][0], planeAxes[plane.Axis][1]
	nx, ny := m.N[across], m.N[up]
	if nx >= maxDrawnCells/ny {
		return nil, fmt.Errorf("%s: %d by %d cells are too many to draw: choose another slice", path, nx, ny)
	}
	for j := range ny + 1 {
		for i := range nx + 1 {
			d.x = append(d.x, m.Origin[across]+float64(m.Lo[across]+i)*m.Spacing[across])
			d.y = append(d.y, m.Origin[up]+float64(m.Lo[up]+j)*m.Spacing[up])
		}
	}
	strides := [3]int{1, m.N[0], m.N[0] * m.N[1]}
	cellOfTriangle := make([]int, 0, 2*nx*ny)
	for j := range ny {
		for i := range nx {
			a := int32(j*(nx+1) + i)
			b := a + int32(nx) + 1
			d.cells = append(d.cells, [3]int32{a, a + 1, b + 1}, [3]int32{a, b + 1, b})
			cell := layer*strides[plane.Axis] + i*strides[across] + j*strides[up]
			cellOfTriangle = append(cellOfTriangle, cell, cell)
		}
	}
	if err := r.addFields(d, path, m.CellData, cellOfTriangle, across, up); err != nil {
		return nil, err
	}
	if m.Dim == 3 {
		d.slice = fmt.Sprintf(" at %v", plane)
		if d.rank != nil && r.options.Slice == nil {
			d.grid = m
		}
	}
	p, err := readInterface(path)
	if err != nil || p == nil {
		return d, err
	}
	d.lines = segmentsOf(p)
	if m.Dim == 3 {
		d.lines = sectionOf(p, plane)
	}
	return d, nil
}

// layer returns the plane to draw and the index of the layer of cells that contains it.
func (r *runner) layer(m *vtk.Image) (*Plane, int, error) {
	plane := r.options.Slice
	if plane == nil {
		layer := m.N[2] / 2
		return &Plane{2, m.Origin[2] + (float64(m.Lo[2]+layer)+0.5)*m.Spacing[2]}, layer, nil
	}
	if m.Dim < 3 {
		return nil, 0, fmt.Errorf("slice %v: slices need a grid in space, and this one is in the plane", plane)
	}
	k := plane.Axis
	lo := m.Origin[k] + float64(m.Lo[k])*m.Spacing[k]
	hi := lo + float64(m.N[k])*m.Spacing[k]
	if plane.At < lo || plane.At > hi {
		return nil, 0, fmt.Errorf("slice %v lies outside the grid, which is from %g to %g", plane, lo, hi)
	}
	return plane, min(m.N[k]-1, int((plane.At-lo)/m.Spacing[k])), nil
}

// exteriorView draws which rank owns which cells of a grid or of tetrahedra, as seen from outside.
func (d *frameData) exteriorView(title string, p chart.Page) (*figure.Figure, error) {
	v := &chart.View{Page: p, Title: title, Axes: axes3D(d.axes)}
	if d.solid != nil {
		cells, err := d.addBoundary(v, func(int) bool { return true })
		if err != nil {
			return nil, err
		}
		for _, c := range cells {
			v.Rank = append(v.Rank, d.rank[c])
		}
		return v.Draw()
	}
	m := d.grid
	rankArray, _ := m.CellData.Find("rank")
	ranks, _ := rankArray.Int64s()
	for k := range 3 {
		v.Box[0][k] = m.Origin[k] + float64(m.Lo[k])*m.Spacing[k]
		v.Box[1][k] = v.Box[0][k] + float64(m.N[k])*m.Spacing[k]
	}
	// The sides that are visible from the front, right and top.
	for _, side := range []struct{ axis, end int }{{0, 1}, {1, 0}, {2, 1}} {
		addSide(v, m, side.axis, side.end, ranks)
	}
	return v.Draw()
}

// addSide adds the faces of cells at one end of a grid to a view, two triangles each.
func addSide(v *chart.View, m *vtk.Image, axis, end int, ranks []int64) {
	a, b := (axis+1)%3, (axis+2)%3
	strides := [3]int{1, m.N[0], m.N[0] * m.N[1]}
	first := int32(len(v.Points) / 3)
	for j := range m.N[b] + 1 {
		for i := range m.N[a] + 1 {
			var point [3]float64
			point[axis] = v.Box[end][axis]
			point[a] = v.Box[0][a] + float64(i)*m.Spacing[a]
			point[b] = v.Box[0][b] + float64(j)*m.Spacing[b]
			v.Points = append(v.Points, point[:]...)
		}
	}
	row := int32(m.N[a] + 1)
	for j := range m.N[b] {
		for i := range m.N[a] {
			p := first + int32(j)*row + int32(i)
			q := [4]int32{p, p + 1, p + row + 1, p + row} // counter-clockwise as seen from the upper end of the axis
			if end == 0 {
				q[1], q[3] = q[3], q[1]
			}
			v.Triangles = append(v.Triangles, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
			cell := end*(m.N[axis]-1)*strides[axis] + i*strides[a] + j*strides[b]
			v.Rank = append(v.Rank, int32(ranks[cell]), int32(ranks[cell]))
		}
	}
}

// axes3D returns the names of three axes, with the unit of the given two.
func axes3D(plane chart.Axes) (axes [3]string) {
	for k := range axes {
		axes[k] = "xyz"[k:k+1] + plane[0][min(1, len(plane[0])):]
	}
	return axes
}
