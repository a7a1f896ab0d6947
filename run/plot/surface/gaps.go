package surface

import (
	"math"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// The planes of a piecewise linear reconstruction (PLIC) do not meet at the faces between cells: each of the two cells
// has its own fluid polygon on the face, so a picture of the planes alone has gaps. A gap is filled with the area that
// exactly one of the two polygons covers. A cell without a plane is full or empty.

// cellPlane is the plane of a cell. The fluid is where n·x ≤ alpha, with x relative to the lowest corner of the cell.
type cellPlane struct {
	normal [3]float64
	alpha  float64
}

// planeGaps fills the gaps between the planes of the cells of a grid, which are stored by cell indices.
type planeGaps struct {
	view   *chart.View
	lo, h  [3]float64 // lowest corner of the grid, and its spacings
	cells  [3]int     // number of cells of the grid
	planes map[[3]int]cellPlane
	full   func(cell [3]int) bool // whether a cell without a plane is full; nil if volume fractions are unknown
}

// fillGaps adds polygons to a view that fill the gaps between the planes of a surface, if the surface has the cell
// arrays normal and alpha and the field arrays Bounds and Spacing. Their shading uses the normals of the adjacent
// planes, so that the surface looks smooth.
func fillGaps(v *chart.View, p *vtk.PolyData, full func(cell [3]int) bool) {
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
	s := &planeGaps{view: v, lo: v.Box[0], h: [3]float64(h), planes: map[[3]int]cellPlane{}, full: full}
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
	for cell, plane := range s.planes {
		for axis := range 3 {
			s.closeFace(cell, plane, axis, 1)
			previous := cell
			previous[axis]--
			if _, hasPlane := s.planes[previous]; !hasPlane {
				s.closeFace(cell, plane, axis, 0)
			}
		}
	}
}

// cellOf returns the cell of a polygon: the cell at its centre, moved slightly into the fluid, so that a polygon on a
// face is assigned to the cell that has the plane.
func (g *planeGaps) cellOf(p *vtk.PolyData, points []int64, plane cellPlane) (cell [3]int) {
	for k := range 3 {
		middle := 0.0
		for _, i := range points {
			middle += p.Points[3*i+int64(k)] / float64(len(points))
		}
		const offset = 1e-6
		position := (middle-g.lo[k])/g.h[k] - offset*plane.normal[k]
		cell[k] = max(0, min(g.cells[k]-1, int(position)))
	}
	return cell
}

// closeFace fills the gap on the lower (end 0) or upper (end 1) face of a cell along an axis: the area that exactly one
// of the two cells covers.
func (g *planeGaps) closeFace(cell [3]int, plane cellPlane, axis, end int) {
	other := cell
	other[axis] += 2*end - 1
	if other[axis] < 0 || other[axis] >= g.cells[axis] {
		return
	}
	ownHalf := g.halfPlane(plane, axis, float64(end))
	neighbour, mixed := g.planes[other]
	shading := plane.normal
	var otherHalf halfPlane
	if mixed {
		otherHalf = g.halfPlane(neighbour, axis, float64(1-end))
		for k := range shading {
			shading[k] += neighbour.normal[k]
		}
	} else if g.isFull(other, ownHalf) {
		otherHalf = halfPlane{0, 0, 1} // full
	} else {
		otherHalf = halfPlane{0, 0, -1}
	}
	// Where only this cell has fluid, the surface faces the other cell.
	g.addPolygon(cell, axis, end, clipPolygon(clipPolygon(unitFace, ownHalf), otherHalf.complement()), 2*end-1, shading)
	g.addPolygon(cell, axis, end, clipPolygon(clipPolygon(unitFace, otherHalf), ownHalf.complement()), 1-2*end, shading)
}

// isFull reports whether a cell without a plane is full: by its volume fraction if that is known, else if the fluid
// of the neighbour, the given half plane, covers most of their common face.
func (g *planeGaps) isFull(cell [3]int, neighbour halfPlane) bool {
	if g.full != nil {
		return g.full(cell)
	}
	return area(clipPolygon(unitFace, neighbour)) > 0.5
}

// ReadFull reads the volume fractions in the grid file of the same frame as the planes at path, and returns a function
// that reports which cells are full; nil without such a file.
func ReadFull(path string) func(cell [3]int) bool {
	stem := strings.TrimSuffix(path, filepath.Ext(path)) // such as out/enright_plic_000003
	i := strings.LastIndex(stem, "_")
	if i < 0 {
		return nil
	}
	base, number := stem[:i], stem[i:]
	if k := strings.LastIndex(base, "_"); k >= 0 {
		base = base[:k]
	}
	m, err := vtk.ReadImage(base + number + strings.Replace(filepath.Ext(path), "vtp", "vti", 1))
	if err != nil {
		return nil
	}
	f, ok := m.CellData.Find(fractionArray)
	if !ok || m.Box != (vtk.Box{N: m.Whole}) || f.Components > 1 {
		return nil
	}
	values := f.Float64s()
	return func(cell [3]int) bool { return values[(cell[2]*m.N[1]+cell[1])*m.N[0]+cell[0]] > 0.5 }
}

// fractionArray is the name of the array of volume fractions.
const fractionArray = "f"

// halfPlane is the half plane a·u + b·v ≤ c on a face of a cell. u and v go from 0 to 1 along the two axes that follow
// the face's normal axis cyclically.
type halfPlane struct{ a, b, c float64 }

func (l halfPlane) complement() halfPlane { return halfPlane{-l.a, -l.b, -l.c} }

// halfPlane returns the part of a face, at end 0 or 1 of the cell along the axis, that the fluid of a plane covers.
func (g *planeGaps) halfPlane(p cellPlane, axis int, end float64) halfPlane {
	u, v := (axis+1)%3, (axis+2)%3
	return halfPlane{p.normal[u] * g.h[u], p.normal[v] * g.h[v], p.alpha - p.normal[axis]*end*g.h[axis]}
}

// unitFace is a whole face.
var unitFace = [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}

// clipPolygon returns the part of a convex polygon in a half plane (Sutherland and Hodgman).
func clipPolygon(polygon [][2]float64, l halfPlane) (inside [][2]float64) {
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

// addPolygon adds a polygon on a face of a cell. Its normal points along the axis (facing 1) or against it (-1).
func (g *planeGaps) addPolygon(cell [3]int, axis, end int, polygon [][2]float64, facing int, shading [3]float64) {
	const minArea = 1e-9 // area of a face that is ignored
	if len(polygon) < 3 || area(polygon) < minArea {
		return
	}
	u, v := (axis+1)%3, (axis+2)%3
	first := int32(len(g.view.Points) / 3)
	for k, p := range polygon {
		var point [3]float64
		point[axis] = g.lo[axis] + float64(cell[axis]+end)*g.h[axis]
		point[u] = g.lo[u] + (float64(cell[u])+p[0])*g.h[u]
		point[v] = g.lo[v] + (float64(cell[v])+p[1])*g.h[v]
		g.view.Points = append(g.view.Points, point[:]...)
		g.view.Normals[first+int32(k)] = shading
		if k < 2 {
			continue
		}
		t := [3]int32{first, first + int32(k) - 1, first + int32(k)}
		if facing < 0 {
			t[1], t[2] = t[2], t[1]
		}
		g.view.Triangles = append(g.view.Triangles, t)
	}
}
