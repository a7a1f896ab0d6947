// Package surface makes views of surfaces in space, with the gaps between the planes of cells closed.
package surface

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// View returns a view of a surface, if it has a size. Gaps between PLIC planes of neighbouring cells are filled.
func View(p *vtk.PolyData, full func(cell [3]int) bool) (v *chart.View, found bool) {
	v = &chart.View{Points: p.Points}
	v.Box, found = boundingBox(p)
	for c := range p.Polys.Len() {
		points := p.Polys.Cell(c)
		for k := 2; k < len(points) && len(p.Points) <= math.MaxInt32; k++ {
			v.Triangles = append(v.Triangles, [3]int32{int32(points[0]), int32(points[k-1]), int32(points[k])})
		}
	}
	if found {
		fillGaps(v, p, full)
	}
	return v, found
}

// boundingBox returns the array Bounds of a surface, the lowest and highest corner of its grid, else the bounding box
// of its polygons.
func boundingBox(p *vtk.PolyData) (b [2][3]float64, found bool) {
	if a, ok := p.FieldData.Find("Bounds"); ok {
		if v := a.Float64s(); len(v) == 6 {
			return [2][3]float64{[3]float64(v[:3]), [3]float64(v[3:])}, true
		}
	}
	b = [2][3]float64{{math.Inf(1), math.Inf(1), math.Inf(1)}, {math.Inf(-1), math.Inf(-1), math.Inf(-1)}}
	for _, point := range p.Polys.Connectivity {
		for d, x := range p.Points[3*point : 3*point+3] {
			b[0][d], b[1][d] = min(b[0][d], x), max(b[1][d], x)
		}
	}
	return b, p.Polys.Len() > 0
}
