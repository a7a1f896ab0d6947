package plot

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// isImage tells that a file of a frame is a grid, alone or of pieces; isLines that it is lines or polygons, which are
// drawn over the grid of the same frame.
func isImage(path string) bool { e := filepath.Ext(path); return e == ".vti" || e == ".pvti" }
func isLines(path string) bool { e := filepath.Ext(path); return e == ".vtp" || e == ".pvtp" }

// maxDrawn bounds the cells of a grid that is drawn, two triangles each.
const maxDrawn = math.MaxInt32 / 4

// inPlane are the axes of pictures of the plane in which one coordinate has a value.
var inPlane = [3][2]int{{1, 2}, {0, 2}, {0, 1}}

// loadImage reads a grid, and the interface beside it. Of one in space the cells in a plane are drawn, in the middle
// along z if nobody says where, and where the plane cuts the interface.
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
	across, up := inPlane[plane.Axis][0], inPlane[plane.Axis][1]
	nx, ny := m.N[across], m.N[up]
	if nx >= maxDrawn/ny {
		return nil, fmt.Errorf("%s: %d by %d cells are too many to draw", path, nx, ny)
	}
	for j := range ny + 1 {
		for i := range nx + 1 {
			d.x = append(d.x, m.Origin[across]+float64(m.Lo[across]+i)*m.Spacing[across])
			d.y = append(d.y, m.Origin[up]+float64(m.Lo[up]+j)*m.Spacing[up])
		}
	}
	strides := [3]int{1, m.N[0], m.N[0] * m.N[1]}
	drawn := make([]int, 0, 2*nx*ny)
	for j := range ny {
		for i := range nx {
			a := int32(j*(nx+1) + i)
			b := a + int32(nx) + 1
			d.cells = append(d.cells, [3]int32{a, a + 1, b + 1}, [3]int32{a, b + 1, b})
			cell := layer*strides[plane.Axis] + i*strides[across] + j*strides[up]
			drawn = append(drawn, cell, cell)
		}
	}
	if err := r.take(d, path, m.CellData, drawn, across, up); err != nil {
		return nil, err
	}
	if m.Dim == 3 {
		d.slice = fmt.Sprintf(" at %v", plane)
		if d.rank != nil && r.options.Slice == nil {
			d.grid = m
		}
	}
	p, err := interfaceBeside(path)
	if err != nil || p == nil {
		return d, err
	}
	d.lines = segmentsOf(p)
	if m.Dim == 3 {
		d.lines = sectionOf(p, plane)
	}
	return d, nil
}

// layer is the plane that is drawn of a grid, and the layer of cells that has it.
func (r *runner) layer(m *vtk.Image) (*Plane, int, error) {
	asked := r.options.Slice
	if asked == nil {
		layer := m.N[2] / 2
		return &Plane{2, m.Origin[2] + (float64(m.Lo[2]+layer)+0.5)*m.Spacing[2]}, layer, nil
	}
	if m.Dim < 3 {
		return nil, 0, fmt.Errorf("a slice, %v, is of what lies in space, and this is a grid of the plane", asked)
	}
	k := asked.Axis
	lo := m.Origin[k] + float64(m.Lo[k])*m.Spacing[k]
	hi := lo + float64(m.N[k])*m.Spacing[k]
	if asked.At < lo || asked.At > hi {
		return nil, 0, fmt.Errorf("the slice %v lies outside of the grid, which is from %g to %g there", asked, lo, hi)
	}
	return asked, min(m.N[k]-1, int((asked.At-lo)/m.Spacing[k])), nil
}

// outside draws which rank has which cells of a grid or of tetrahedra, as seen from outside.
func (d *frameData) outside(title string, p chart.Page) (*figure.Figure, error) {
	v := &chart.View{Page: p, Title: title, Axes: inSpace(d.axes)}
	if d.solid != nil {
		cells, err := d.skin(v, func(int) bool { return true })
		if err != nil {
			return nil, err
		}
		for _, c := range cells {
			v.Rank = append(v.Rank, d.rank[c])
		}
		return v.Draw()
	}
	m := d.grid
	all, _ := m.CellData.Find("rank")
	ranks, _ := all.Int64s()
	for k := range 3 {
		v.Box[0][k] = m.Origin[k] + float64(m.Lo[k])*m.Spacing[k]
		v.Box[1][k] = v.Box[0][k] + float64(m.N[k])*m.Spacing[k]
	}
	// The sides that a viewer in front, to the right and above sees.
	for _, side := range []struct{ axis, end int }{{0, 1}, {1, 0}, {2, 1}} {
		sideOf(v, m, side.axis, side.end, ranks)
	}
	return v.Draw()
}

// sideOf adds the sides of cells at one end of a grid to a view, two triangles each.
func sideOf(v *chart.View, m *vtk.Image, axis, end int, ranks []int64) {
	a, b := (axis+1)%3, (axis+2)%3
	strides := [3]int{1, m.N[0], m.N[0] * m.N[1]}
	first := int32(len(v.Points) / 3)
	for j := range m.N[b] + 1 {
		for i := range m.N[a] + 1 {
			var at [3]float64
			at[axis] = v.Box[end][axis]
			at[a] = v.Box[0][a] + float64(i)*m.Spacing[a]
			at[b] = v.Box[0][b] + float64(j)*m.Spacing[b]
			v.Points = append(v.Points, at[:]...)
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

// inSpace are the names of three axes whose unit is that of two.
func inSpace(plane chart.Axes) (axes [3]string) {
	for k := range axes {
		axes[k] = "xyz"[k:k+1] + plane[0][min(1, len(plane[0])):]
	}
	return axes
}
