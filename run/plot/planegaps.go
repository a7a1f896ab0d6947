package plot

import (
	"math"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// The planes of a piecewise linear reconstruction (PLIC) do not meet at the sides (faces) between cells: each of the
// two cells has its own fluid polygon on the side, and a picture of the planes alone has gaps there. A gap is filled
// with the area that just one of the two polygons covers. A cell without a plane is full or empty.

// cellPlane is the plane of a cell: the fluid is where n·x ≤ alpha, x from the cell's lowest corner on.
type cellPlane struct {
	normal [3]float64
	alpha  float64
}

// planeGaps has the planes of the cells of a grid, by cell indices, and fills the gaps between them.
type planeGaps struct {
	v      *chart.View
	lo, h  [3]float64 // lowest corner of the grid, and its spacings
	cells  [3]int     // of the grid
	planes map[[3]int]cellPlane
	full   func(cell [3]int) bool // of cells without planes; nil if their volume fractions are not known
}

// fillPlaneGaps adds to a view what fills the gaps between the planes of a surface, if the surface has the cell arrays
// normal and alpha and the field arrays Bounds and Spacing. It is shaded with the normals of the planes beside it, so
// that the surface looks smooth.
func fillPlaneGaps(v *chart.View, p *vtk.PolyData, full func(cell [3]int) bool) {
	normal, ok1 := p.CellData.Find("normal")
	alpha, ok2 := p.CellData.Find("alpha")
	spacing, ok3 := p.FieldData.Find("Spacing")
	_, ok4 := p.FieldData.Find("Bounds")
	if !ok1 || !ok2 || !ok3 || !ok4 || normal.Components != 3 || p.Verts.Len()+p.Lines.Len() > 0 {
		return
	}
	h := spacing.Float64s()
	if len(h) != 3 || !(h[0] > 0 && h[1] > 0 && h[2] > 0) {
		return
	}
	s := &planeGaps{v: v, lo: v.Box[0], h: [3]float64(h), planes: map[[3]int]cellPlane{}, full: full}
	for k := range 3 {
		s.cells[k] = int(math.Round((v.Box[1][k] - s.lo[k]) / h[k]))
	}
	n, a := normal.Float64s(), alpha.Float64s()
	v.Normals = map[int32][3]float64{}
	for c := range p.Polys.Len() {
		plane := cellPlane{[3]float64(n[3*c:]), a[c]}
		s.planes[s.cellOf(p, p.Polys.Cell(c), plane)] = plane
		for _, point := range p.Polys.Cell(c) {
			v.Normals[int32(point)] = plane.normal
		}
	}
	for at, plane := range s.planes {
		for axis := range 3 {
			s.side(at, plane, axis, 1)
			below := at
			below[axis]--
			if _, both := s.planes[below]; !both {
				s.side(at, plane, axis, 0)
			}
		}
	}
}

// cellOf is the cell that a polygon lies in: that of its middle, moved a little into the fluid, so that one on a side
// has the cell whose plane it is.
func (s *planeGaps) cellOf(p *vtk.PolyData, points []int64, plane cellPlane) (cell [3]int) {
	for k := range 3 {
		middle := 0.0
		for _, i := range points {
			middle += p.Points[3*i+int64(k)] / float64(len(points))
		}
		const little = 1e-6
		at := (middle-s.lo[k])/s.h[k] - little*plane.normal[k]
		cell[k] = max(0, min(s.cells[k]-1, int(at)))
	}
	return cell
}

// side fills the gap on a side of a cell, at its lower (end 0) or upper (1) end along an axis: what just one of the two
// cells covers.
func (s *planeGaps) side(cell [3]int, plane cellPlane, axis, end int) {
	other := cell
	other[axis] += 2*end - 1
	if other[axis] < 0 || other[axis] >= s.cells[axis] {
		return
	}
	own := s.line(plane, axis, float64(end))
	beside, mixed := s.planes[other]
	shading := plane.normal
	var theirs line
	if mixed {
		theirs = s.line(beside, axis, float64(1-end))
		for k := range shading {
			shading[k] += beside.normal[k]
		}
	} else if s.isFull(other, own) {
		theirs = line{0, 0, 1} // full
	} else {
		theirs = line{0, 0, -1}
	}
	// Where the fluid is in this cell alone, the surface looks into the other.
	s.add(cell, axis, end, clipped(clipped(unitSide, own), theirs.complement()), 2*end-1, shading)
	s.add(cell, axis, end, clipped(clipped(unitSide, theirs), own.complement()), 1-2*end, shading)
}

// isFull reports whether a cell without a plane is full: by its volume fraction if that is known, or else if the cell
// beside it, whose half plane on their common side is beside, covers most of that side.
func (s *planeGaps) isFull(cell [3]int, beside line) bool {
	if s.full != nil {
		return s.full(cell)
	}
	return area(clipped(unitSide, beside)) > 0.5
}

// fluidBeside reads the volume fractions from the grid file of the same frame as the planes at path, and returns which
// cells are full; nil where there is no such file.
func fluidBeside(path string) func(cell [3]int) bool {
	stem, number, ok := cutLast(strings.TrimSuffix(path, filepath.Ext(path)), "_")
	if !ok {
		return nil
	}
	of, _, _ := cutLast(stem, "_")
	m, err := vtk.ReadImage(of + "_" + number + strings.Replace(filepath.Ext(path), "vtp", "vti", 1))
	if err != nil {
		return nil
	}
	f, ok := m.CellData.Find(fluid)
	if !ok || m.Box != (vtk.Box{N: m.Whole}) || f.Components > 1 {
		return nil
	}
	values := f.Float64s()
	return func(cell [3]int) bool { return values[(cell[2]*m.N[1]+cell[1])*m.N[0]+cell[0]] > 0.5 }
}

// fluid is the array of volume fractions.
const fluid = "f"

// line is a half plane a·u + b·v ≤ c of a side of a cell, in which u and v go from 0 to 1 along the axes after its own.
type line struct{ a, b, c float64 }

func (l line) complement() line { return line{-l.a, -l.b, -l.c} }

// line is the half plane of a side that a plane of a cell covers, at the cell's end 0 or 1 along the axis.
func (s *planeGaps) line(p cellPlane, axis int, end float64) line {
	u, v := (axis+1)%3, (axis+2)%3
	return line{p.normal[u] * s.h[u], p.normal[v] * s.h[v], p.alpha - p.normal[axis]*end*s.h[axis]}
}

// unitSide is a whole side.
var unitSide = [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}

// clipped is the part of a convex polygon in a half plane (Sutherland and Hodgman).
func clipped(polygon [][2]float64, l line) (inside [][2]float64) {
	beyond := func(p [2]float64) float64 { return l.a*p[0] + l.b*p[1] - l.c }
	for k, p := range polygon {
		q := polygon[(k+1)%len(polygon)]
		from, to := beyond(p), beyond(q)
		if from <= 0 {
			inside = append(inside, p)
		}
		if from < 0 && to > 0 || from > 0 && to < 0 {
			t := from / (from - to)
			inside = append(inside, [2]float64{p[0] + t*(q[0]-p[0]), p[1] + t*(q[1]-p[1])})
		}
	}
	return inside
}

func area(polygon [][2]float64) (twice float64) {
	for k, p := range polygon {
		q := polygon[(k+1)%len(polygon)]
		twice += p[0]*q[1] - p[1]*q[0]
	}
	return twice / 2
}

// add adds a polygon on a side of a cell, whose normal points along the axis (facing 1) or against it (-1).
func (s *planeGaps) add(cell [3]int, axis, end int, polygon [][2]float64, facing int, shading [3]float64) {
	const nothing = 1e-9 // of a side
	if len(polygon) < 3 || area(polygon) < nothing {
		return
	}
	u, v := (axis+1)%3, (axis+2)%3
	first := int32(len(s.v.Points) / 3)
	for k, p := range polygon {
		var at [3]float64
		at[axis] = s.lo[axis] + float64(cell[axis]+end)*s.h[axis]
		at[u] = s.lo[u] + (float64(cell[u])+p[0])*s.h[u]
		at[v] = s.lo[v] + (float64(cell[v])+p[1])*s.h[v]
		s.v.Points = append(s.v.Points, at[:]...)
		s.v.Normals[first+int32(k)] = shading
		if k < 2 {
			continue
		}
		t := [3]int32{first, first + int32(k) - 1, first + int32(k)}
		if facing < 0 {
			t[1], t[2] = t[2], t[1]
		}
		s.v.Triangles = append(s.v.Triangles, t)
	}
}
