package chart

import (
	"fmt"
	"image"
	"image/color"

	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// Map is a filled map of a cell field on a triangle mesh.
type Map struct {
	Page
	Colouring
	Title string
	Axes  Axes

	X, Y   []float64
	Cells  [][3]int32 // any orientation
	Values []float64  // of each cell; one that is not a number is drawn in magenta
	Dry    []bool     // cells to draw in sand instead, nil for none
	Apart  []bool     // cells whose values the range need not span, nil for the dry ones

	Edges    bool         // draw the edges of the triangles, unless they would cover most of the picture
	Lines    [][4]float64 // to draw over it: x, y of one end and of the other
	Isolines *Levels      // nil for none
	Arrows   *Arrows      // nil for none
}

// Draw draws the map.
func (m *Map) Draw() (*figure.Figure, error) {
	if len(m.Values) != len(m.Cells) || m.Dry != nil && len(m.Dry) != len(m.Cells) {
		return nil, fmt.Errorf("%d values and %d dry flags for %d cells", len(m.Values), len(m.Dry), len(m.Cells))
	}
	s, err := m.scale()
	if err != nil {
		return nil, err
	}
	f, err := m.frame(s)
	if err != nil {
		return nil, err
	}
	cells := make([]color.RGBA, len(m.Cells))
	dry, missing := false, false
	absent, _ := m.missing()
	for i, v := range m.Values {
		switch {
		case m.Dry != nil && m.Dry[i]:
			cells[i], dry = dryInk, true
		case v-v != 0:
			cells[i], missing = absent, true
		default:
			cells[i] = s.at(v)
		}
	}
	r := rasterise(f.view, m.X, m.Y, m.Cells)
	var marked []bool
	if m.Edges {
		marked = r.borders(1, func(a, b int32) bool { return true })
	}
	img := r.paint(func(c int32) color.RGBA { return cells[c] }, marked, color.RGBA{0, 0, 0, 110})
	f.fig.Image(f.area.Min, img)
	var marks []float64
	if m.Isolines != nil {
		marks = m.Isolines.of(s)
		f.isolines(m, s, marks)
	}
	f.segments(m.Lines, 2.6, lineInk)
	if m.Arrows != nil {
		if err := f.arrows(m, r); err != nil {
			return nil, err
		}
	}
	f.axes(m.Title, m.Axes)
	if m.NoBar && !dry && !missing && s.beyond() == "" {
		f.fig.Width = min(f.fig.Width, max(f.area.Max.X, f.area.Min.X+f.measure(m.Title, titleSize))+f.px(24))
		return f.fig, nil
	}
	f.bar(s, m.Label, marks)
	f.keys(&m.Colouring, dry, missing)
	return f.fig, nil
}

// scale is that of the cells that set it. The bar says where others lie beyond.
func (m *Map) scale() (*scale, error) {
	if len(m.Apart) != len(m.Cells) {
		return m.of(m.Values, m.Dry)
	}
	s, err := m.of(m.Values, m.Apart)
	if err == nil {
		lo, hi := Extent(m.Values, m.Dry)
		s.mark(lo, hi)
	}
	return s, err
}

func (m *Map) frame(s *scale) (*frame, error) {
	side, heading := s.side(m.Label)
	f, err := newFrame(m.X, m.Y, m.Cells, m.Page, m.Title, side, heading)
	if err == nil && m.Arrows != nil {
		f.below(m.Arrows, m.Axes.named()[0])
	}
	return f, err
}

// Where is the pixel of the drawn map that shows a place.
func (m *Map) Where(x, y float64) (image.Point, error) {
	s, err := m.scale()
	if err != nil {
		return image.Point{}, err
	}
	f, err := m.frame(s)
	if err != nil {
		return image.Point{}, err
	}
	px, py := f.at(x, y)
	return image.Pt(int(px), int(py)), nil
}

// lineInk is that of an interface: it stands out from both ends of the usual colours.
var lineInk = color.RGBA{235, 64, 52, 255}

// segments draws lines over the plotted area, so many pixels of the layout wide. Those that meet are drawn as one.
func (f *frame) segments(lines [][4]float64, width float64, c color.RGBA) {
	for _, chain := range chains(lines) {
		for _, part := range f.inside(chain) {
			f.fig.Line(part, width*f.Unit, c)
		}
	}
}

// inside are the parts of a line in the picture that lie in the plotted area.
func (f *frame) inside(chain [][2]float64) (parts [][][2]float64) {
	box := [4]float64{float64(f.area.Min.X), float64(f.area.Min.Y), float64(f.area.Max.X), float64(f.area.Max.Y)}
	var open [][2]float64
	end := func() {
		if len(open) > 1 {
			parts = append(parts, open)
		}
		open = nil
	}
	for i := 1; i < len(chain); i++ {
		ax, ay := f.at(chain[i-1][0], chain[i-1][1])
		bx, by := f.at(chain[i][0], chain[i][1])
		t0, t1 := clip(ax, bx-ax, box[0], box[2], 0, 1)
		t0, t1 = clip(ay, by-ay, box[1], box[3], t0, t1)
		if t0 > t1 {
			end()
			continue
		}
		if open == nil || t0 > 0 {
			end()
			open = append(open, [2]float64{ax + t0*(bx-ax), ay + t0*(by-ay)})
		}
		open = append(open, [2]float64{ax + t1*(bx-ax), ay + t1*(by-ay)})
		if t1 < 1 {
			end()
		}
	}
	end()
	return parts
}

// clip is the part of a line from a on by d that lies between lo and hi, of the part from t0 to t1 (Liang and Barsky).
func clip(a, d, lo, hi, t0, t1 float64) (float64, float64) {
	if d == 0 {
		if a < lo || a > hi {
			return 1, 0
		}
		return t0, t1
	}
	u, v := (lo-a)/d, (hi-a)/d
	return max(t0, min(u, v)), min(t1, max(u, v))
}

// chains joins segments at ends that two of them share exactly.
func chains(lines [][4]float64) (all [][][2]float64) {
	ends := make(map[[2]float64][]int, 2*len(lines))
	for i, l := range lines {
		a, b := [2]float64{l[0], l[1]}, [2]float64{l[2], l[3]}
		ends[a], ends[b] = append(ends[a], i), append(ends[b], i)
	}
	used := make([]bool, len(lines))
	// next is the far end of an unused segment from a point at which just two meet.
	next := func(at [2]float64) ([2]float64, bool) {
		if len(ends[at]) != 2 {
			return at, false
		}
		for _, i := range ends[at] {
			if used[i] {
				continue
			}
			used[i] = true
			if a := [2]float64{lines[i][0], lines[i][1]}; a != at {
				return a, true
			}
			return [2]float64{lines[i][2], lines[i][3]}, true
		}
		return at, false
	}
	for i, l := range lines {
		if used[i] {
			continue
		}
		used[i] = true
		var before [][2]float64
		for at, more := next([2]float64{l[0], l[1]}); more; at, more = next(at) {
			before = append(before, at)
		}
		chain := make([][2]float64, 0, len(before)+2)
		for k := len(before) - 1; k >= 0; k-- {
			chain = append(chain, before[k])
		}
		chain = append(chain, [2]float64{l[0], l[1]}, [2]float64{l[2], l[3]})
		for at, more := next([2]float64{l[2], l[3]}); more; at, more = next(at) {
			chain = append(chain, at)
		}
		all = append(all, chain)
	}
	return all
}
