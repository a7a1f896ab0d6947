package plot

import (
	"fmt"
	"image"
	"image/draw"
	"slices"
	"strings"
)

// qualityField is the cell field of meshes that were smoothed: 1 is best, and less than 0 is turned over.
const qualityField = "quality"

// panels draws the quality of the triangles of two frames side by side, in the same colours, with their edges.
func (r *runner) panels(name string, first, last *frameData, titles [2]string) error {
	var drawn [2]*image.RGBA
	for k, d := range []*frameData{first, last} {
		i := slices.IndexFunc(d.fields, func(f field) bool { return f.name == qualityField })
		if i < 0 {
			return nil
		}
		m := &Map{X: d.x, Y: d.y, Cells: d.cells, Values: d.fields[i].values, Title: titles[k], Label: qualityField,
			Range: &[2]float64{0, 1}, Edges: true, Width: r.options.Width}
		var err error
		if drawn[k], err = m.Draw(); err != nil {
			return err
		}
	}
	return r.save(name+"-before-after", beside(drawn[0], drawn[1]))
}

// beside puts two pictures of one height next to each other.
func beside(a, b *image.RGBA) *image.RGBA {
	size := image.Rect(0, 0, a.Rect.Dx()+b.Rect.Dx(), max(a.Rect.Dy(), b.Rect.Dy()))
	all := image.NewRGBA(size)
	draw.Draw(all, size, image.NewUniform(white), image.Point{}, draw.Src)
	draw.Draw(all, a.Rect, a, image.Point{}, draw.Src)
	draw.Draw(all, b.Rect.Add(image.Pt(a.Rect.Dx(), 0)), b, image.Point{}, draw.Src)
	return all
}

// moment says when a frame is. Meshes that were smoothed count sweeps.
func (d *frameData) moment(time float64) string {
	if slices.ContainsFunc(d.fields, func(f field) bool { return f.name == qualityField }) {
		return fmt.Sprintf("after %g sweeps", time)
	}
	return fmt.Sprintf("t = %.6g s", time)
}

// convergence draws how a mesh became better, sweep by sweep, from a table with a column quality_mean.
func convergence(t *table, sweeps []float64, width int) *Series {
	s := &Series{Title: "mesh quality", T: sweeps, Across: "sweeps", Width: width}
	panel := func(label string, names ...string) {
		p := Panel{Label: label}
		for _, name := range names {
			if i := slices.Index(t.names, name); i >= 0 {
				p.Curves = append(p.Curves, Curve{Name: strings.ReplaceAll(name, "_", " "), Values: t.columns[i]})
			}
		}
		if len(p.Curves) > 0 {
			s.Panels = append(s.Panels, p)
		}
	}
	panel("quality", "quality_mean", "quality_min")
	panel("share of edges", "edge_in_range")
	panel("½Σ u'Mu", "objective")
	return s
}
