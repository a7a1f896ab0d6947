package plot

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// surfaceField is the field name of pictures of surfaces.
const surfaceField = "surface"

// drawSurfaces draws the chosen frames of a series of surfaces in space. Lines in the plane are drawn with the grid
// instead.
func (r *runner) drawSurfaces(path string, frames []vtk.Frame, chosen []int) error {
	name := strings.TrimSuffix(filepath.Base(path), ".pvd")
	field := surfaceField
	if base, suffix, found := cutLast(name, "_"); found && suffix == "vtp" {
		name = base
	} else if found && r.hasSurface(base) {
		field = suffix
	}
	for _, i := range chosen {
		p, err := vtk.ReadPolyData(framePath(path, frames[i]))
		if err != nil {
			return err
		}
		v, found := newView(p, readFull(framePath(path, frames[i])))
		if !found || p.Verts.Len() > 0 { // a series of points
			return nil
		}
		addUnique(&r.fields, field)
		if !wants(r.options.Fields, field) && (len(r.options.Fields) > 0 || r.options.Slice != nil) || r.options.Histogram {
			return nil
		}
		v.Page, v.Axes = r.options.Page, axes3D(axes(0, 1, true))
		time := (&frameData{}).timeText(frames[i].Time)
		v.Title = r.title(fmt.Sprintf("%s, %s", name, time), field, time)
		picture, err := v.Draw()
		if err != nil {
			return fmt.Errorf("%s: frame %d: %w", path, i, err)
		}
		if err := r.save(name+"-surface", i, picture); err != nil {
			return err
		}
	}
	return nil
}

// hasSurface reports whether a run has a series of surfaces in format vtp; name is the base name of its series.
func (r *runner) hasSurface(name string) bool {
	_, err := os.Stat(filepath.Join(r.dir, name+"_vtp.pvd"))
	return err == nil
}

// cutLast cuts s around the last occurrence of sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// newView returns a view of a surface, if it has a size. Gaps between PLIC planes of neighbouring cells are filled.
func newView(p *vtk.PolyData, full func(cell [3]int) bool) (v *chart.View, found bool) {
	v = &chart.View{Points: p.Points}
	v.Box, found = boundingBox(p)
	for c := range p.Polys.Len() {
		points := p.Polys.Cell(c)
		for k := 2; k < len(points) && len(p.Points) <= math.MaxInt32; k++ {
			v.Triangles = append(v.Triangles, [3]int32{int32(points[0]), int32(points[k-1]), int32(points[k])})
		}
	}
	if found {
		fillPlaneGaps(v, p, full)
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
