package chart

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// Map is a coloured map of a cell field on a mesh of triangles.
type Map struct {
	Page
	Colouring
	Title string
	Axes  Axes

	X, Y     []float64
	Cells    [][3]int32 // any orientation
	Values   []float64  // value of each cell; see Colouring.Missing for values that are not finite
	Dry      []bool     // cells to draw in the colour of sand; nil for none
	Relief   []float64  // brightness of the ground of each cell, 1 for level ground; nil for none
	OffScale []bool     // cells that do not influence the range of the scale; nil means the dry cells

	Edges    bool         // draw the edges of triangles, unless they would cover most of the picture
	Lines    [][4]float64 // segments to draw on top: x, y of both ends
	Isolines *Levels      // nil for none
	Arrows   *Arrows      // nil for none

	Over func(on *Canvas) // draws over the map; nil for nothing
}

// Canvas is the area of a map.
type Canvas struct {
	Page
	Fig   *figure.Figure
	Area  image.Rectangle                                // pixels
	Pixel func(x, y float64) (px, py float64)            // of a position
	Clip  func(line [][2]float64) (parts [][][2]float64) // the parts of a line in the area, in pixels
}

// Draw draws the map.
func (m *Map) Draw() (*figure.Figure, error) {
	if len(m.Values) != len(m.Cells) || m.Dry != nil && len(m.Dry) != len(m.Cells) {
		return nil, fmt.Errorf("got %d values and %d dry flags, want %d, the number of cells", len(m.Values), len(m.Dry),
			len(m.Cells))
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
	absentColour, _ := m.missing()
	for i, v := range m.Values {
		switch {
		case m.Dry != nil && m.Dry[i]:
			if cells[i], dry = dryColour, true; m.Relief != nil {
				cells[i] = brightened(dryColour, m.Relief[i])
			}
		case !IsFinite(v):
			cells[i], missing = absentColour, true
		default:
			cells[i] = s.colour(v)
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
		marks = m.Isolines.valuesFor(s)
		f.isolines(m, s, marks)
	}
	f.segments(m.Lines, 2.6, lineColour)
	if m.Arrows != nil {
		if err := f.arrows(m, r); err != nil {
			return nil, err
		}
	}
	f.axes(m.Title, m.Axes)
	if m.Over != nil {
		m.Over(&Canvas{f.Page, f.fig, f.area, f.toPixel, f.clipToArea})
	}
	if m.NoBar && !dry && !missing && s.beyondText() == "" {
		f.fig.Width = min(f.fig.Width, max(f.area.Max.X, f.area.Min.X+f.measure(m.Title, titleSize))+f.px(24))
		return f.fig, nil
	}
	f.bar(s, m.Label, marks)
	f.specialColours(&m.Colouring, dry, missing)
	return f.fig, nil
}

// brightened returns a colour times a brightness.
func brightened(c color.RGBA, by float64) color.RGBA {
	times := func(v uint8) uint8 { return uint8(min(255, math.Round(by*float64(v)))) }
	return color.RGBA{times(c.R), times(c.G), times(c.B), 255}
}

// scale returns the scale. If values of cells in OffScale lie beyond it, the colour bar says so.
func (m *Map) scale() (*scale, error) {
	if len(m.OffScale) != len(m.Cells) {
		return m.scaleOf(m.Values, m.Dry)
	}
	s, err := m.scaleOf(m.Values, m.OffScale)
	if err == nil {
		lo, hi := Extent(m.Values, m.Dry)
		s.markBeyond(lo, hi)
	}
	return s, err
}

// Bar returns the range of the colour bar; ok is false if it has none, or classes.
func (m *Map) Bar() (lo, hi float64, ok bool) {
	s, err := m.scale()
	if err != nil || s.classes != nil {
		return 0, 0, false
	}
	return s.lo, s.hi, true
}

func (m *Map) frame(s *scale) (*mapFrame, error) {
	side, heading := s.side(m.Label)
	if m.Dry != nil {
		side = max(side, figure.Measure(cmp.Or(m.Colouring.Dry, "dry"), textSize)+boxSize+2*boxGap)
	}
	f, err := newFrame(m.X, m.Y, m.Cells, m.Page, m.Title, side, heading)
	if err == nil && m.Arrows != nil {
		f.reserveArrowLegend(m.Arrows, m.Axes.withDefaults()[0])
	}
	return f, err
}

// PixelAt returns the pixel of the drawn map at a position.
func (m *Map) PixelAt(x, y float64) (image.Point, error) {
	s, err := m.scale()
	if err != nil {
		return image.Point{}, err
	}
	f, err := m.frame(s)
	if err != nil {
		return image.Point{}, err
	}
	px, py := f.toPixel(x, y)
	return image.Pt(int(px), int(py)), nil
}

// lineColour is the colour of interfaces. It contrasts with both ends of the usual colour maps.
var lineColour = color.RGBA{235, 64, 52, 255}

// segments draws segments on the plotted area. Segments with common ends are joined. width is in layout pixels.
func (f *mapFrame) segments(lines [][4]float64, width float64, c color.RGBA) {
	for _, chain := range Chains(lines) {
		for _, part := range f.clipToArea(chain) {
			f.fig.Line(part, width*f.Unit, c)
		}
	}
}

// clipToArea returns the parts of a polyline, in pixels, that lie in the plotted area.
func (f *mapFrame) clipToArea(chain [][2]float64) (parts [][][2]float64) {
	box := [4]float64{float64(f.area.Min.X), float64(f.area.Min.Y), float64(f.area.Max.X), float64(f.area.Max.Y)}
	var part [][2]float64
	flush := func() {
		if len(part) > 1 {
			parts = append(parts, part)
		}
		part = nil
	}
	for i := 1; i < len(chain); i++ {
		ax, ay := f.toPixel(chain[i-1][0], chain[i-1][1])
		bx, by := f.toPixel(chain[i][0], chain[i][1])
		t0, t1 := clip(ax, bx-ax, box[0], box[2], 0, 1)
		t0, t1 = clip(ay, by-ay, box[1], box[3], t0, t1)
		if t0 > t1 {
			flush()
			continue
		}
		if part == nil || t0 > 0 {
			flush()
			part = append(part, [2]float64{ax + t0*(bx-ax), ay + t0*(by-ay)})
		}
		part = append(part, [2]float64{ax + t1*(bx-ax), ay + t1*(by-ay)})
		if t1 < 1 {
			flush()
		}
	}
	flush()
	return parts
}

// clip returns the part of the parameters t0 … t1 for which a + t·d lies between lo and hi (Liang and Barsky).
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

// Chains joins segments to polylines at points where exactly two of them end.
func Chains(lines [][4]float64) (polylines [][][2]float64) {
	ends := make(map[[2]float64][]int, 2*len(lines))
	for i, l := range lines {
		a, b := [2]float64{l[0], l[1]}, [2]float64{l[2], l[3]}
		ends[a], ends[b] = append(ends[a], i), append(ends[b], i)
	}
	used := make([]bool, len(lines))
	// next returns the other end of an unused segment at a point where exactly two segments end.
	next := func(point [2]float64) ([2]float64, bool) {
		if len(ends[point]) != 2 {
			return point, false
		}
		for _, i := range ends[point] {
			if used[i] {
				continue
			}
			used[i] = true
			if a := [2]float64{lines[i][0], lines[i][1]}; a != point {
				return a, true
			}
			return [2]float64{lines[i][2], lines[i][3]}, true
		}
		return point, false
	}
	for i, l := range lines {
		if used[i] {
			continue
		}
		used[i] = true
		var before [][2]float64
		for point, ok := next([2]float64{l[0], l[1]}); ok; point, ok = next(point) {
			before = append(before, point)
		}
		chain := make([][2]float64, 0, len(before)+2)
		for k := len(before) - 1; k >= 0; k-- {
			chain = append(chain, before[k])
		}
		chain = append(chain, [2]float64{l[0], l[1]}, [2]float64{l[2], l[3]})
		for point, ok := next([2]float64{l[2], l[3]}); ok; point, ok = next(point) {
			chain = append(chain, point)
		}
		polylines = append(polylines, chain)
	}
	return polylines
}
