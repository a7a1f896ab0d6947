package plot

import (
	"image"
	"image/draw"
	"slices"
)

// compared is the field of a frame that is shown before and after the run, -1 if there is none.
func (d *frameData) compared() int {
	return slices.IndexFunc(d.fields, func(f field) bool { return rangeOf(f.name) != nil })
}

// panels draws a field of two frames side by side, in the same colours, with the edges of the triangles.
func (r *runner) panels(name string, first, last *frameData, titles [2]string) error {
	var drawn [2]*image.RGBA
	for k, d := range []*frameData{first, last} {
		i := d.compared()
		if i < 0 {
			return nil
		}
		f := d.fields[i]
		m := &Map{X: d.x, Y: d.y, Cells: d.cells, Values: f.values, Title: titles[k], Label: f.name,
			Range: rangeOf(f.name), Edges: true, Width: r.options.Width}
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

func (d *frameData) moment(time float64) string {
	var names []string
	for _, f := range d.fields {
		names = append(names, f.name)
	}
	return moment(names, time)
}
