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

// Values of Options.Frame that are not the index of a frame.
const (
	LastFrame = -1
	AllFrames = -2
)

// Options select what is drawn, and how. The zero value draws frame 0.
type Options struct {
	// Frame is the index of the frame in the .pvd file, from 0, or LastFrame or AllFrames. Fields, Gauges and Columns are
	// names; if any is given, only these are drawn. "all" stands for all of a kind.
	Frame                   int
	Fields, Gauges, Columns []string

	// Output: files in folder Dir, by default the folder plots of the run, or the single file Out.
	Format string // one of figure.Formats or figure.AnimationFormats; "" for that of Out, or png
	Dir    string
	Out    string
	Page   chart.Page
	Rate   float64 // pictures per second of an animation; 0 for 10

	Title *string // nil for a title with the field and the time
	chart.Colouring
	Isolines     *chart.Levels
	Arrows       []string // one field with several components, or two with one
	Slice        *Plane   // nil for the middle plane normal to z of a grid, and a view of the rear half of tetrahedra
	DryThreshold *float64 // dry threshold of layers, m; nil for that of the run
	Edges        bool     // draw the edges of cells
	NoPlaces     bool     // leave out of maps what the case declares at places: see package places

	Histogram bool   // draw histograms instead of maps
	Quality   bool   // draw the quality of the cells of meshes
	Measured  string // path of a table of measurements at gauges
}

// Plane is the plane where the coordinate along Axis equals At.
type Plane struct {
	Axis int // 0 to 2
	At   float64
}

func (p *Plane) String() string { return fmt.Sprintf("%c = %.10g", "xyz"[p.Axis], p.At) }

// ParsePlane parses a plane from the command line, such as x=0.5.
func ParsePlane(text string) (*Plane, error) {
	axis, coordinate, ok := strings.Cut(text, "=")
	k := strings.Index("xyz", strings.ToLower(strings.TrimSpace(axis)))
	v, err := strconv.ParseFloat(strings.TrimSpace(coordinate), 64)
	if !ok || k < 0 || len(strings.TrimSpace(axis)) != 1 || err != nil || !chart.IsFinite(v) {
		return nil, fmt.Errorf("slice %q: want an axis and a coordinate, such as x=0.5", text)
	}
	return &Plane{k, v}, nil
}

// ParseFrame parses a frame from the command line: "last" or nothing, "all", or a number from 0.
func ParseFrame(s string) (int, error) {
	switch s {
	case "", "last":
		return LastFrame, nil
	case "all":
		return AllFrames, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("frame %q: want a number from 0, all or last", s)
	}
	return n, nil
}

// ParseRange parses a range from the command line, such as 0:2.5.
func ParseRange(text string) (*[2]float64, error) {
	lo, hi, ok := strings.Cut(text, ":")
	a, err := strconv.ParseFloat(strings.TrimSpace(lo), 64)
	b, err2 := strconv.ParseFloat(strings.TrimSpace(hi), 64)
	if !ok || err != nil || err2 != nil {
		return nil, fmt.Errorf("range %q: want the lowest and the highest value, such as 0:2.5", text)
	}
	if !(a < b) || !chart.IsFinite(b-a) {
		return nil, fmt.Errorf("range %q is empty: the first value must be lower than the second", text)
	}
	return &[2]float64{a, b}, nil
}

// ParseWindow parses a window from the command line: ranges of both axes, such as 0:500,-20:20, or of the horizontal
// axis only.
func ParseWindow(text string) (*[2][2]float64, error) {
	w := [2][2]float64{{}, {math.Inf(-1), math.Inf(1)}}
	parts := strings.Split(text, ",")
	for k, part := range parts {
		r, err := ParseRange(part)
		if err != nil || k > 1 {
			return nil, fmt.Errorf("window %q: want ranges of x and y, such as 0:500,-20:20, or for curves 0:500", text)
		}
		w[k] = *r
	}
	return &w, nil
}

// ParseWidth parses a width from the command line: in pixels, or in cm, mm or in on paper.
func ParseWidth(text string) (chart.Page, error) {
	for unit, inches := range map[string]float64{"cm": 1 / 2.54, "mm": 1 / 25.4, "in": 1} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || !(v*inches >= 1.5) || v*inches > 26 {
				return chart.Page{}, fmt.Errorf("width %q: on paper it must be from 1.5 to 26 inches", text)
			}
			return chart.OnPaper(v*inches, paperDots), nil
		}
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, "px"))
	if err != nil || n <= 0 {
		return chart.Page{}, fmt.Errorf("width %q: want pixels, such as 1200, or a width on paper, such as 8.5cm or 3.3in",
			text)
	}
	return chart.Page{Width: n}, nil
}

// paperDots is the resolution of pictures for paper in pixels per inch.
const paperDots = 300

// animationWidth is the default width of animations in pixels.
const animationWidth = 800

// withDefaults fills in defaults and checks the options.
func (o Options) withDefaults() (Options, error) {
	if o.Out != "" {
		format, err := figure.FormatOf(o.Out)
		switch {
		case err != nil:
			return o, err
		case o.Format != "" && o.Format != format && (o.Format != "apng" || format != "png"):
			return o, fmt.Errorf("the name %s does not fit format %s", o.Out, o.Format)
		case format == "png" && (o.Format == "apng" || o.Frame == AllFrames):
			format = "apng"
		}
		o.Format = format
	}
	switch {
	case o.Format == "":
		o.Format = "png"
	case !slices.Contains(figure.Formats, o.Format) && !slices.Contains(figure.AnimationFormats, o.Format):
		return o, fmt.Errorf("unknown format %q: choose %s, or for animations %s", o.Format, strings.Join(figure.Formats,
			", "),
			strings.Join(figure.AnimationFormats, ", "))
	}
	if o.isAnimation() && o.Frame < 0 {
		o.Frame = AllFrames
	}
	if o.Page.Width == 0 {
		window := o.Page.Window
		switch {
		case o.isAnimation():
			o.Page.Width = animationWidth
		case o.Format != "png":
			o.Page = chart.OnPaper(figure.WidthOnPaper, paperDots)
		}
		o.Page.Window = window
	}
	return o, nil
}

// isAnimation reports whether frames become one animation.
func (o *Options) isAnimation() bool { return slices.Contains(figure.AnimationFormats, o.Format) }

// drawsEverything reports whether the user requests no particular pictures.
func (o *Options) drawsEverything() bool {
	return len(o.Fields)+len(o.Gauges)+len(o.Columns) == 0 && !o.Histogram
}

// wants reports whether a list has a name, or "all".
func wants(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, allNames)
}

// allNames stands for all names of a kind.
const allNames = "all"

// Colours returns the colour map with a name; nil for "".
func Colours(name string) (*palette.Map, error) {
	if name == "" {
		return nil, nil
	}
	return palette.Find(name)
}
