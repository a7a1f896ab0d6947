package final

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/plot/palette"
	"github.com/atoll-hpc/atoll/solvers"
)

// style is a style of QGIS for a raster, which QGIS finds beside it, by its name: the colours of pictures.
type style struct {
	XMLName  xml.Name `xml:"qgis"`
	Version  string   `xml:"version,attr"`
	Renderer renderer `xml:"pipe>rasterrenderer"`
}

type renderer struct {
	Type   string  `xml:"type,attr"`
	Band   int     `xml:"band,attr"`
	Alpha  int     `xml:"alphaBand,attr"`
	Least  float64 `xml:"classificationMin,attr"`
	Most   float64 `xml:"classificationMax,attr"`
	Shader shader  `xml:"rastershader>colorrampshader"`
}

// shader colours values: DISCRETE up to the value of an item, EXACT those values, INTERPOLATED between them.
type shader struct {
	Type  string  `xml:"colorRampType,attr"`
	Clip  int     `xml:"clip,attr"`
	Least float64 `xml:"minimumValue,attr"`
	Most  float64 `xml:"maximumValue,attr"`
	Items []item  `xml:"item"`
}

type item struct {
	Value string `xml:"value,attr"`
	Color string `xml:"color,attr"`
	Alpha int    `xml:"alpha,attr"`
	Label string `xml:"label,attr"`
}

func itemOf(value string, c color.RGBA, label string) item {
	return item{value, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B), 255, label}
}

// depths are the bounds of classes of a thickness, m.
var depths = []float64{1e-4, 2e-4, 5e-4, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 50, 100, 200,
	500, 1000, 2000, 5000, 10000}

// mostDepths is the largest number of classes of a thickness.
const mostDepths = 7

// styleOf returns the style of a raster of a declared field, whose values are those of pixels. Thicknesses have
// classes, and are transparent where a picture of the case shows dry cells.
func styleOf(f *solvers.Field, c *config.Case, values []float64) *style {
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			least, most = min(least, v), max(most, v)
		}
	}
	if f.Range != nil {
		least, most = f.Range[0], f.Range[1]
	}
	if !(least <= most) {
		least, most = 0, 1 // no value
	}
	s := shader{Type: "INTERPOLATED", Least: least, Most: most}
	switch {
	case len(f.Classes) > 0:
		s.Type, s.Least, s.Most = "EXACT", 0, float64(len(f.Classes)-1)
		colours := palette.Classes.Steps(len(f.Classes))
		for k, name := range f.Classes {
			s.Items = append(s.Items, itemOf(fmt.Sprint(k), colours.At((float64(k)+.5)/float64(len(f.Classes))), name))
		}
	case f.Mask == f.Name && f.Unit == "m" && f.MaskThreshold != nil:
		s.depthClasses(maskThreshold(f, c))
	default:
		s.ramp()
	}
	return &style{Version: "3.22", Renderer: renderer{"singlebandpseudocolor", 1, -1, s.Least, s.Most, s}}
}

// maskThreshold returns the value of a field up to which a picture of the case shows cells as dry.
func maskThreshold(f *solvers.Field, c *config.Case) float64 {
	if f.MaskThreshold == nil {
		return 0
	}
	return max(f.MaskThreshold(c, nil), depths[0]/10)
}

// depthClasses adds classes of a thickness, those below the largest value, and one that is transparent up to dry.
func (s *shader) depthClasses(dry float64) {
	s.Type, s.Least = "DISCRETE", 0
	var bounds []float64
	for _, d := range depths {
		if d > dry && d < s.Most {
			bounds = append(bounds, d)
		}
	}
	bounds = bounds[max(0, len(bounds)-mostDepths+1):]
	s.Items = []item{{fmt.Sprint(dry), "#ffffff", 0, "dry"}}
	from := dry
	for k := range len(bounds) + 1 {
		colour := palette.Sequential.At((float64(k) + .5) / float64(len(bounds)+1))
		if k == len(bounds) {
			s.Items = append(s.Items, itemOf("inf", colour, fmt.Sprintf("more than %.3g m", from)))
			return
		}
		s.Items = append(s.Items, itemOf(fmt.Sprint(bounds[k]), colour, fmt.Sprintf("%.3g to %.3g m", from, bounds[k])))
		from = bounds[k]
	}
}

// ramp adds colours of the scale that pictures have: about zero if there are values of both signs.
func (s *shader) ramp() {
	colours := palette.Sequential
	if s.Least < 0 && s.Most > 0 {
		largest := max(-s.Least, s.Most)
		s.Least, s.Most, colours = -largest, largest, palette.Diverging
	}
	const stops = 20
	for k := range stops + 1 {
		share := float64(k) / stops
		value := s.Least + share*(s.Most-s.Least)
		s.Items = append(s.Items, itemOf(fmt.Sprint(value), colours.At(share), fmt.Sprintf("%.4g", value)))
		if s.Least == s.Most {
			return
		}
	}
}

// write writes the style to a file.
func (s *style) write(path string) error {
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(f *atomicfile.File) error {
		_, err := fmt.Fprintf(f, "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n%s\n", text)
		return err
	})
}
