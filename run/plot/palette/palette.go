// Package palette holds the colours of pictures: maps from numbers to colours that are perceptually uniform, and lists
// of colours that differ.
package palette

import (
	"encoding/hex"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/palette/moreland"
)

// Map turns a number from 0 to 1 into a colour.
type Map struct {
	Diverging bool // from a colour in the middle to two ends: for fields about a value
	table     [256]color.RGBA
}

// At returns the colour of t, which is taken as 0 below 0 and as 1 above 1.
func (m *Map) At(t float64) color.RGBA {
	return m.table[int(math.Round(255*math.Max(0, math.Min(1, t))))]
}

// reversed is the map from its end to its start.
func (m *Map) reversed() *Map {
	r := &Map{Diverging: m.Diverging}
	for i := range m.table {
		r.table[i] = m.table[len(m.table)-1-i]
	}
	return r
}

// Steps is the map in n steps of one colour each.
func (m *Map) Steps(n int) *Map {
	s := &Map{Diverging: m.Diverging}
	for i := range s.table {
		s.table[i] = m.At((float64(i*n/len(s.table)) + 0.5) / float64(n))
	}
	return s
}

var (
	// Sequential is for fields of one sign: viridis, whose lightness rises evenly, so that it reads the same in grey and
	// to the colour-blind.
	Sequential = tabulate(false, between(tables[0].colours))

	// Diverging is for fields about zero: blue through light grey to red, by K. Moreland, "Diverging Color Maps
	// for Scientific Visualization" (2009).
	Diverging = tabulate(true, blueRed())

	// Classes is for classes of danger, the worst of them dark: inferno, turned round.
	Classes = classes()
)

func classes() *Map {
	m, err := Find("inferno_r")
	if err != nil {
		panic(err)
	}
	return m
}

// coolwarm is what Moreland's map is called by ParaView and matplotlib.
const coolwarm = "coolwarm"

// Names are those of all maps.
func Names() []string {
	var names []string
	for _, t := range tables {
		names = append(names, t.name)
	}
	return append(names, coolwarm)
}

// Find returns the map of a name; with _r behind it, it is turned round.
func Find(name string) (*Map, error) {
	base, turned := strings.CutSuffix(name, "_r")
	var m *Map
	for _, t := range tables {
		if strings.EqualFold(t.name, base) {
			m = tabulate(t.diverging, between(t.colours))
		}
	}
	if strings.EqualFold(base, coolwarm) {
		m = Diverging
	}
	switch {
	case m == nil:
		return nil, fmt.Errorf("there are no colours %q; there are %s, and each turned round as %s_r", name,
			strings.Join(Names(), ", "), Names()[0])
	case turned:
		return m.reversed(), nil
	}
	return m, nil
}

func tabulate(diverging bool, at func(t float64) color.RGBA) *Map {
	m := &Map{Diverging: diverging}
	for i := range m.table {
		m.table[i] = at(float64(i) / 255)
	}
	return m
}

// between is linear between the colours of a table.
func between(table string) func(t float64) color.RGBA {
	c, err := hex.DecodeString(table)
	if err != nil || len(c)%3 != 0 || len(c) < 6 {
		panic("palette: a table is broken")
	}
	last := len(c)/3 - 1
	return func(t float64) color.RGBA {
		k := min(int(t*float64(last)), last-1)
		part := t*float64(last) - float64(k)
		mix := func(i int) uint8 {
			return uint8(math.Round(float64(c[3*k+i])*(1-part) + float64(c[3*k+3+i])*part))
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

// Qualitative returns colour i of a list in which colours near each other differ much: the ten of Tableau, then hues
// by the golden angle.
func Qualitative(i int) color.RGBA {
	tableau := [...]color.RGBA{
		{78, 121, 167, 255}, {242, 142, 43, 255}, {89, 161, 79, 255}, {225, 87, 89, 255}, {118, 183, 178, 255},
		{237, 201, 72, 255}, {176, 122, 161, 255}, {255, 157, 167, 255}, {156, 117, 95, 255}, {186, 176, 172, 255},
	}
	if i < len(tableau) {
		return tableau[i]
	}
	const goldenAngle = 137.50776405003785
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
