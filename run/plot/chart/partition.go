package chart

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strconv"

	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Partition shows which rank owns each cell of a mesh.
type Partition struct {
	Page
	Title string
	Axes  Axes
	X, Y  []float64
	Cells [][3]int32
	Rank  []int32 // rank of each cell, from 0
	Edges bool    // draw all edges of cells, not only those between ranks
	Legend
}

// Legend explains the colours of ranks, or of other numbers of cells.
type Legend struct {
	Heading string           // what the numbers are; "" for "rank"
	Names   map[int32]string // names of some numbers
}

func (l *Legend) heading() string { return cmp.Or(l.Heading, "rank") }

func (l *Legend) name(number int32) string { return cmp.Or(l.Names[number], strconv.Itoa(int(number))) }

// side returns the width of the legend and that of its heading, in layout pixels.
func (l *Legend) side(numbers []int32) (side, heading float64) {
	side = sideWidth
	for _, n := range numbers {
		side = max(side, 27+figure.Measure(l.name(n), textSize))
	}
	return side, figure.Measure(l.heading(), textSize)
}

// Draw draws each part in a colour, with dark lines between parts and a legend. If the lines would cover most of the
// picture they are omitted.
func (p *Partition) Draw() (*figure.Figure, error) {
	if len(p.Rank) != len(p.Cells) {
		return nil, fmt.Errorf("got %d ranks, want %d, the number of cells", len(p.Rank), len(p.Cells))
	}
	ranks, err := distinctRanks(p.Rank)
	if err != nil {
		return nil, err
	}
	side, heading := p.side(ranks)
	f, err := newFrame(p.X, p.Y, p.Cells, p.Page, p.Title, side, heading)
	if err != nil {
		return nil, err
	}
	r := rasterise(f.view, p.X, p.Y, p.Cells)
	rank := func(c int32) int32 {
		if c < 0 {
			return -1
		}
		return p.Rank[c]
	}
	reach, differ := max(1, f.px(2)), func(a, b int32) bool { return rank(a) != rank(b) }
	if p.Edges {
		reach, differ = 1, func(a, b int32) bool { return true }
	}
	marked := r.borders(reach, differ)
	f.fig.Image(f.area.Min, r.paint(func(c int32) color.RGBA { return palette.Qualitative(int(p.Rank[c])) }, marked, ink))
	f.axes(p.Title, p.Axes)
	f.legend(&p.Legend, ranks)
	return f.fig, nil
}

// distinctRanks returns the ranks that occur, each once and in order.
func distinctRanks(ranks []int32) ([]int32, error) {
	sorted := slices.Clone(ranks)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	if len(sorted) > 0 && sorted[0] < 0 {
		return nil, fmt.Errorf("a cell has rank %d, want 0 or more", sorted[0])
	}
	return sorted, nil
}

// legend lists the numbers beside the area, as many as fit.
func (f *mapFrame) legend(l *Legend, ranks []int32) {
	const row = 28.0
	x, y := f.area.Max.X+f.px(sideGap), f.area.Min.Y
	f.text(l.heading(), textSize, x, f.area.Min.Y-f.px(20), 0)
	capacity := max(3, f.area.Dy()/f.px(row))
	for i, r := range ranks {
		if i == capacity-1 && len(ranks) > capacity {
			f.text(fmt.Sprintf("and %d more", len(ranks)-i), textSize, x, y+f.px(16), 0)
			return
		}
		box := image.Rect(x, y, x+f.px(18), y+f.px(18))
		f.fig.Fill(box, palette.Qualitative(int(r)))
		f.outline(box)
		f.text(l.name(r), textSize, box.Max.X+f.px(9), box.Max.Y-f.px(2), 0)
		y += f.px(row)
	}
}
