package plot

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"path/filepath"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// isImage tells that a file of a frame is a grid, alone or of pieces; isLines that it is lines or polygons, which are
// drawn over the grid of the same frame.
func isImage(path string) bool { e := filepath.Ext(path); return e == ".vti" || e == ".pvti" }
func isLines(path string) bool { e := filepath.Ext(path); return e == ".vtp" || e == ".pvtp" }

// maxDrawn bounds the cells of a grid that is drawn, two triangles each.
const maxDrawn = math.MaxInt32 / 4

// loadImage reads a grid, and the interface beside it. Of one in space the cells in the middle along z are drawn, and
// where the plane through their middles cuts the interface.
func (r *runner) loadImage(path string) (*frameData, error) {
	m, err := vtk.ReadImage(path)
	if err != nil {
		return nil, err
	}
	nx, ny := m.N[0], m.N[1]
	if nx >= maxDrawn/ny {
		return nil, fmt.Errorf("%s: %d by %d cells are too many to draw", path, nx, ny)
	}
	d := &frameData{count: m.Cells()}
	for j := range ny + 1 {
		for i := range nx + 1 {
			d.x = append(d.x, m.Origin[0]+float64(m.Lo[0]+i)*m.Spacing[0])
			d.y = append(d.y, m.Origin[1]+float64(m.Lo[1]+j)*m.Spacing[1])
		}
	}
	layer := m.N[2] / 2
	z := m.Origin[2] + (float64(m.Lo[2]+layer)+0.5)*m.Spacing[2]
	if m.Dim == 3 {
		d.slice = fmt.Sprintf(" at z = %.3g", z)
	}
	first := layer * nx * ny // cell of the slice
	drawn := make([]int, 0, 2*nx*ny)
	for j := range ny {
		for i := range nx {
			a := int32(j*(nx+1) + i)
			b := a + int32(nx) + 1
			d.cells = append(d.cells, [3]int32{a, a + 1, b + 1}, [3]int32{a, b + 1, b})
			drawn = append(drawn, first+j*nx+i, first+j*nx+i)
		}
	}
	g := &vtk.Grid{CellData: m.CellData}
	for _, a := range m.CellData {
		if a.Name == "rank" {
			r.note(a.Name)
			if d.rank, err = ranks(a, drawn); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			continue
		}
		r.note(a.Name)
		// The planes of cells are there to go on from; the field that they come from is what is to be seen.
		planes := a.Name == "normal" || a.Name == "alpha" || a.Name == "curvature"
		if r.options.Field == a.Name || r.options.Field == "" && !planes {
			f := r.field(g, a, drawn)
			if a.Name == "f" {
				f.asFraction()
			}
			d.fields = append(d.fields, f)
		}
	}
	p, err := interfaceBeside(path)
	if err != nil || p == nil {
		return d, err
	}
	d.lines = segmentsOf(p)
	if m.Dim == 3 {
		d.lines = sectionOf(p, z)
	}
	return d, nil
}

// asFraction makes the colour bar that of a volume fraction. What is beyond it by rounding is not marked as beyond.
func (f *field) asFraction() {
	const rounding = 1e-9
	f.span = &[2]float64{0, 1}
	for i, v := range f.values {
		if v > -rounding && v < 1+rounding {
			f.values[i] = max(0, min(1, v))
		}
	}
}

// lineInk is that of an interface: it stands out from both ends of the colour map.
var lineInk = color.RGBA{235, 64, 52, 255}

// segments draws lines over the plotted area. What several of them cover is drawn once.
func (f *frame) segments(lines [][4]float64) {
	half := f.unit * 1.3
	cover := map[image.Point]float64{}
	for _, l := range lines {
		ax, ay := (l[0]-f.view.x0)*f.view.scale, (f.view.y1-l[1])*f.view.scale
		bx, by := (l[2]-f.view.x0)*f.view.scale, (f.view.y1-l[3])*f.view.scale
		dx, dy := bx-ax, by-ay
		size := dx*dx + dy*dy
		reach := half + 1
		for y := int(math.Max(0, min(ay, by)-reach)); y <= int(min(float64(f.view.height-1), max(ay, by)+reach)); y++ {
			for x := int(math.Max(0, min(ax, bx)-reach)); x <= int(min(float64(f.view.width-1), max(ax, bx)+reach)); x++ {
				px, py := float64(x)+0.5-ax, float64(y)+0.5-ay
				t := 0.0
				if size > 0 {
					t = min(1, max(0, (px*dx+py*dy)/size))
				}
				c := half + 0.5 - math.Hypot(px-t*dx, py-t*dy)
				if at := image.Pt(x, y); c > cover[at] {
					cover[at] = min(1, c)
				}
			}
		}
	}
	for at, c := range cover {
		ink := lineInk
		ink.A = uint8(math.Round(255 * c))
		at = at.Add(f.area.Min)
		f.img.SetRGBA(at.X, at.Y, blend(f.img.RGBAAt(at.X, at.Y), ink))
	}
}
