package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Frame numbers that are not the place of a frame in a series.
const (
	LastFrame = -1
	AllFrames = -2
)

// Options says what is drawn, and how. The zero value draws frame 0.
type Options struct {
	// What of a run: the place of the frame in the .pvd file, from 0, or LastFrame or AllFrames; and the names of fields,
	// gauges and columns of tables. Where there are any, nothing else is drawn; "all" is all of a kind.
	Frame                   int
	Fields, Gauges, Columns []string

	// Where to: files of a format in a folder, "" for plots in the folder of the run; or one file.
	Format string // of figure.Formats or figure.Films, "" for what Out says, or png
	Dir    string
	Out    string
	Page   chart.Page
	Rate   float64 // pictures of a film a second, 0 for 10

	Title *string // nil for what is drawn, and when
	chart.Colouring
	Isolines *chart.Levels
	Arrows   []string // a field of several components, or two of one
	Slice    *Plane   // nil for the middle along z of grids, and a view of what lies behind the middle of tetrahedra
	Dry      *float64 // m: a layer at most this deep is drawn as dry; nil for what the run counts as such
	Edges    bool     // draw the edges of cells

	Histogram bool   // how often the values of fields occur, and not where
	Quality   bool   // of meshes: how well shaped their cells are
	Measured  string // a table of what was measured at gauges
}

// Plane is where one coordinate has a value.
type Plane struct {
	Axis int // 0 to 2
	At   float64
}

func (p *Plane) String() string { return fmt.Sprintf("%c = %.6g", "xyz"[p.Axis], p.At) }

// ParsePlane reads a plane as a user gives it, as in x=0.5.
func ParsePlane(text string) (*Plane, error) {
	axis, at, ok := strings.Cut(text, "=")
	k := strings.Index("xyz", strings.ToLower(strings.TrimSpace(axis)))
	v, err := strconv.ParseFloat(strings.TrimSpace(at), 64)
	if !ok || k < 0 || len(strings.TrimSpace(axis)) != 1 || err != nil || v-v != 0 {
		return nil, fmt.Errorf("slice %q: give an axis and where, as in x=0.5", text)
	}
	return &Plane{k, v}, nil
}

// ParseFrame reads a frame as a user gives it: "last" or nothing, "all", or a number from 0.
func ParseFrame(s string) (int, error) {
	switch s {
	case "", "last":
		return LastFrame, nil
	case "all":
		return AllFrames, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("frame %q: give a number from 0, all or last", s)
	}
	return n, nil
}

// ParseRange reads a range as a user gives it, as in 0:2.5.
func ParseRange(text string) (*[2]float64, error) {
	lo, hi, ok := strings.Cut(text, ":")
	a, err := strconv.ParseFloat(strings.TrimSpace(lo), 64)
	b, err2 := strconv.ParseFloat(strings.TrimSpace(hi), 64)
	if !ok || err != nil || err2 != nil {
		return nil, fmt.Errorf("range %q: give the lowest and the highest value, as in 0:2.5", text)
	}
	if !(a < b) || b-a-(b-a) != 0 {
		return nil, fmt.Errorf("range %q is empty: the first value is to be the lower one", text)
	}
	return &[2]float64{a, b}, nil
}

// ParseWindow reads what is shown as a user gives it: from and to along both axes, as in 0:500,-20:20, or along the
// horizontal one.
func ParseWindow(text string) (*[2][2]float64, error) {
	w := [2][2]float64{{}, {math.Inf(-1), math.Inf(1)}}
	parts := strings.Split(text, ",")
	for k, part := range parts {
		r, err := ParseRange(part)
		if err != nil || k > 1 {
			return nil, fmt.Errorf("window %q: give from and to along x and y, as in 0:500,-20:20, or of series 0:500", text)
		}
		w[k] = *r
	}
	return &w, nil
}

// ParseWidth reads a width as a user gives it: pixels, or cm, mm or in of paper.
func ParseWidth(text string) (chart.Page, error) {
	for unit, inches := range map[string]float64{"cm": 1 / 2.54, "mm": 1 / 25.4, "in": 1} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || !(v*inches >= 1.5) || v*inches > 26 {
				return chart.Page{}, fmt.Errorf("width %q: on paper it can be from 1.5 to 26 inches", text)
			}
			return chart.OnPaper(v*inches, paperDots), nil
		}
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, "px"))
	if err != nil || n <= 0 {
		return chart.Page{}, fmt.Errorf("width %q: give pixels, as in 1200, or a width on paper, as in 8.5cm or 3.3in", text)
	}
	return chart.Page{Width: n}, nil
}

// paperDots are the pixels an inch of pictures for paper.
const paperDots = 300

// filmWidth is that of films in pixels if nobody says.
const filmWidth = 800

// settled fills in what is left to choose, and refuses what cannot be.
func (o Options) settled() (Options, error) {
	if o.Out != "" {
		format, err := figure.FormatOf(o.Out)
		switch {
		case err != nil:
			return o, err
		case o.Format != "" && o.Format != format && (o.Format != "apng" || format != "png"):
			return o, fmt.Errorf("%s is no file of format %s", o.Out, o.Format)
		case format == "png" && (o.Format == "apng" || o.Frame == AllFrames):
			format = "apng"
		}
		o.Format = format
	}
	switch {
	case o.Format == "":
		o.Format = "png"
	case !slices.Contains(figure.Formats, o.Format) && !slices.Contains(figure.Films, o.Format):
		return o, fmt.Errorf("format %q: there are %s, and films as %s", o.Format, strings.Join(figure.Formats, ", "),
			strings.Join(figure.Films, ", "))
	}
	if o.film() && o.Frame < 0 {
		o.Frame = AllFrames
	}
	if o.Page.Width == 0 {
		window := o.Page.Window
		switch {
		case o.film():
			o.Page.Width = filmWidth
		case o.Format != "png":
			o.Page = chart.OnPaper(figure.WidthOnPaper, paperDots)
		}
		o.Page.Window = window
	}
	return o, nil
}

// film reports whether frames follow each other in one file.
func (o *Options) film() bool { return slices.Contains(figure.Films, o.Format) }

// everything tells that no kind of picture was chosen.
func (o *Options) everything() bool {
	return len(o.Fields)+len(o.Gauges)+len(o.Columns) == 0 && !o.Histogram
}

// wants reports whether something of a list is to be drawn: what it names, or all.
func wants(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, all)
}

// all stands for all of a kind.
const all = "all"

// Colours is the colour map of a name, nil for none.
func Colours(name string) (*palette.Map, error) {
	if name == "" {
		return nil, nil
	}
	return palette.Find(name)
}
