package plot

import (
	"fmt"
	"image"
	"image/color"
	"slices"
)

// Partition is a picture of a mesh that shows which rank owns each cell.
type Partition struct {
	X, Y  []float64
	Cells [][3]int32
	Rank  []int32 // of each cell, from 0
	Title string
	Width int // of the picture in pixels, 0 for 1200
}

// Draw draws the parts in colours of their own, with dark lines between them and a legend. Where the parts are so
// mixed that the lines would cover most of the picture, there are none.
func (p *Partition) Draw() (*image.RGBA, error) {
	if len(p.Rank) != len(p.Cells) {
		return nil, fmt.Errorf("%d ranks for %d cells", len(p.Rank), len(p.Cells))
	}
	f, err := newFrame(p.X, p.Y, p.Cells, p.Width)
	if err != nil {
		return nil, err
	}
	ranks := slices.Clone(p.Rank)
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	if ranks[0] < 0 {
		return nil, fmt.Errorf("a cell belongs to rank %d", ranks[0])
	}
	r := rasterise(f.view, p.X, p.Y, p.Cells)
	rank := func(c int32) int32 {
		if c < 0 {
			return -1
		}
		return p.Rank[c]
	}
	marked := r.borders(max(1, f.px(2)), func(a, b int32) bool { return rank(a) != rank(b) })
	r.paint(f.img, f.area.Min, func(c int32) color.RGBA { return Qualitative(int(p.Rank[c])) }, marked, ink)
	f.axes(p.Title)
	f.legend(ranks)
	return f.img, nil
}

// legend lists the ranks beside the area, as many as there is room for.
func (f *frame) legend(ranks []int32) {
	const row = 28.0
	x, y := f.area.Max.X+f.px(sideGap), f.area.Min.Y
	f.text("rank", textSize, x, f.area.Min.Y-f.px(20), 0)
	room := max(3, f.area.Dy()/f.px(row))
	for i, r := range ranks {
		if i == room-1 && len(ranks) > room {
			f.text(fmt.Sprintf("and %d more", len(ranks)-i), textSize, x, y+f.px(16), 0)
			return
		}
		box := image.Rect(x, y, x+f.px(18), y+f.px(18))
		f.fill(box, Qualitative(int(r)))
		f.outline(box)
		f.text(fmt.Sprint(r), textSize, box.Max.X+f.px(9), box.Max.Y-f.px(2), 0)
		y += f.px(row)
	}
}
