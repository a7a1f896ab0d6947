// Package palette has the colours of plots: perceptually uniform colour maps, and a list of distinct colours.
package palette

import (
	"encoding/hex"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/palette/moreland"
)

// Map maps numbers from 0 to 1 to colours.
type Map struct {
	Diverging bool // two ramps from a neutral middle, for fields around a reference value
	table     [256]color.RGBA
}

// At returns the colour of t, clamped to 0 … 1.
func (m *Map) At(t float64) color.RGBA {
	return m.table[int(math.Round(255*math.Max(0, math.Min(1, t))))]
}

// reversed returns the map in reverse order.
func (m *Map) reversed() *Map {
	r := &Map{Diverging: m.Diverging}
	for i := range m.table {
		r.table[i] = m.table[len(m.table)-1-i]
	}
	return r
}

// Steps returns a map with n steps of constant colour.
func (m *Map) Steps(n int) *Map {
	s := &Map{Diverging: m.Diverging}
	for i := range s.table {
		s.table[i] = m.At((float64(i*n/len(s.table)) + 0.5) / float64(n))
	}
	return s
}

var (
	// Sequential is for fields of one sign: viridis, whose lightness increases evenly, so that it is readable in grey and
	// for colour-blind people.
	Sequential = tabulate(false, interpolate(tables[0].colours))

	// Diverging is for fields about zero: blue through light grey to red, by K. Moreland, "Diverging Color Maps
	// for Scientific Visualization" (2009).
	Diverging = tabulate(true, blueRed())

	// Classes is for classes of hazard, with dark colours for the worst: inferno, reversed.
	Classes = newClasses()
)

func newClasses() *Map {
	m, err := Find("inferno_r")
	if err != nil {
		panic(err)
	}
	return m
}

// coolwarm is the name of Moreland's map in ParaView and matplotlib.
const coolwarm = "coolwarm"

// Names returns the names of all maps.
func Names() []string {
	var names []string
	for _, t := range tables {
		names = append(names, t.name)
	}
	return append(names, coolwarm)
}

// Find returns a map by its name; the suffix _r reverses it.
func Find(name string) (*Map, error) {
	base, isReversed := strings.CutSuffix(name, "_r")
	var m *Map
	for _, t := range tables {
		if strings.EqualFold(t.name, base) {
			m = tabulate(t.diverging, interpolate(t.colours))
		}
	}
	if strings.EqualFold(base, coolwarm) {
		m = Diverging
	}
	switch {
	case m == nil:
		return nil, fmt.Errorf("unknown colour map %q; choose %s, or reverse one, as in %s_r", name,
			strings.Join(Names(), ", "), Names()[0])
	case isReversed:
		return m.reversed(), nil
	}
	return m, nil
}

func tabulate(diverging bool, colour func(t float64) color.RGBA) *Map {
	m := &Map{Diverging: diverging}
	for i := range m.table {
		m.table[i] = colour(float64(i) / 255)
	}
	return m
}

// interpolate returns a function that interpolates the colours of a table linearly.
func interpolate(table string) func(t float64) color.RGBA {
	c, err := hex.DecodeString(table)
	if err != nil || len(c)%3 != 0 || len(c) < 6 {
		panic("palette: a table is not a list of colours in hexadecimal")
	}
	last := len(c)/3 - 1
	return func(t float64) color.RGBA {
		k := min(int(t*float64(last)), last-1)
		fraction := t*float64(last) - float64(k)
		mix := func(i int) uint8 {
			return uint8(math.Round(float64(c[3*k+i])*(1-fraction) + float64(c[3*k+3+i])*fraction))
		}
		return color.RGBA{mix(0), mix(1), mix(2), 255}
	}
}

func blueRed() func(t float64) color.RGBA {
	m := moreland.SmoothBlueRed()
	m.SetMin(0)
	m.SetMax(1)
	m.SetConvergePoint(0.5)
	return func(t float64) color.RGBA {
		c, err := m.At(t)
		if err != nil {
			panic("palette: the colour map has no colour between its ends")
		}
		return color.RGBAModel.Convert(c).(color.RGBA)
	}
}

// Qualitative returns colour i of a list in which neighbouring colours differ strongly: the ten colours of Tableau,
// then hues spaced by the golden angle.
func Qualitative(i int) color.RGBA {
	tableau := [...]color.RGBA{
		{78, 121, 167, 255}, {242, 142, 43, 255}, {89, 161, 79, 255}, {225, 87, 89, 255}, {118, 183, 178, 255},
		{237, 201, 72, 255}, {176, 122, 161, 255}, {255, 157, 167, 255}, {156, 117, 95, 255}, {186, 176, 172, 255},
	}
	if i < len(tableau) {
		return tableau[i]
	}
	const goldenAngle = 137.50776405003785 // degrees
	hue := math.Mod(float64(i)*goldenAngle, 360) / 60
	value := 0.92 - 0.12*float64(i%3)
	low := value * (0.35 + 0.2*float64(i%2))
	// HSV to RGB: one channel is high, one low, the third between them.
	f := hue - math.Floor(hue)
	up, down := low+(value-low)*f, value-(value-low)*f
	rgb := [6][3]float64{
		{value, up, low}, {down, value, low}, {low, value, up}, {low, down, value}, {up, low, value}, {value, low, down},
	}[int(hue)%6]
	return color.RGBA{uint8(255 * rgb[0]), uint8(255 * rgb[1]), uint8(255 * rgb[2]), 255}
}
