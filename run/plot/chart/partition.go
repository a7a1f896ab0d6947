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
	Plain bool    // all cells have one pale colour, which the legend omits
	Lines []NamedLine
	Legend
}

// NamedLine is a set of segments with a colour of its own and a name in the legend.
type NamedLine struct {
	Name     string
	Segments [][4]float64 // x, y of both ends
}

// Legend explains the colours of ranks, or of other numbers of cells.
type Legend struct {
	Heading string           // what the numbers are; "" for "rank"
	Names   map[int32]string // names of some numbers
}

func (l *Legend) heading() string { return cmp.Or(l.Heading, "rank") }

func (l *Legend) name(number int32) string { return cmp.Or(l.Names[number], strconv.Itoa(int(number))) }

// entry is an entry of a legend: a box, or a line.
type entry struct {
	name   string
	colour color.RGBA
	isLine bool
}

// entries returns the entries of numbers.
func (l *Legend) entries(numbers []int32) (list []entry) {
	for _, n := range numbers {
		list = append(list, entry{l.name(n), palette.Qualitative(int(n)), false})
	}
	return list
}

// side returns the width of the legend and that of its heading, in layout pixels.
func (l *Legend) side(list []entry) (side, heading float64) {
	side = sideWidth
	for _, e := range list {
		side = max(side, 27+figure.Measure(e.name, textSize))
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
	list := p.entries(ranks)
	if p.Plain {
		list = nil
	}
	first := len(list) // of the lines
	for _, l := range p.Lines {
		list = append(list, entry{l.Name, palette.Qualitative(len(list)), true})
	}
	side, heading := p.side(list)
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
	colour, line := func(c int32) color.RGBA { return palette.Qualitative(int(p.Rank[c])) }, ink
	if p.Plain {
		colour, line = func(int32) color.RGBA { return plainColour }, color.RGBA{0, 0, 0, 70}
	}
	f.fig.Image(f.area.Min, r.paint(colour, marked, line))
	f.axes(p.Title, p.Axes) // below lines along its sides
	for i, l := range p.Lines {
		f.segments(l.Segments, namedWidth+3, white)
		f.segments(l.Segments, namedWidth, list[first+i].colour)
	}
	f.legend(&p.Legend, list)
	return f.fig, nil
}

// plainColour is the colour of cells without groups; namedWidth is the width of lines with names, in layout pixels.
var plainColour = color.RGBA{238, 236, 230, 255}

const namedWidth = 4.0

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

// legend lists the entries beside the area, as many as fit.
func (f *mapFrame) legend(l *Legend, list []entry) {
	const row = 28.0
	x, y := f.area.Max.X+f.px(sideGap), f.area.Min.Y
	f.text(l.heading(), textSize, x, f.area.Min.Y-f.px(20), 0)
	capacity := max(3, f.area.Dy()/f.px(row))
	for i, e := range list {
		if i == capacity-1 && len(list) > capacity {
			f.text(fmt.Sprintf("and %d more", len(list)-i), textSize, x, y+f.px(16), 0)
			return
		}
		box := image.Rect(x, y, x+f.px(18), y+f.px(18))
		if e.isLine {
			f.fig.Fill(image.Rect(box.Min.X, y+f.px(9-namedWidth/2), box.Max.X, y+f.px(9+namedWidth/2)), e.colour)
		} else {
			f.fig.Fill(box, e.colour)
			f.outline(box)
		}
		f.text(e.name, textSize, box.Max.X+f.px(9), box.Max.Y-f.px(2), 0)
		y += f.px(row)
	}
}
