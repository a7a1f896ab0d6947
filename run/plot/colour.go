package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/palette/moreland"
)

// ColourMap turns a number from 0 to 1 into a colour.
type ColourMap struct {
	table [256]color.RGBA
}

// At returns the colour of t, which is taken as 0 below 0 and as 1 above 1.
func (m *ColourMap) At(t float64) color.RGBA {
	return m.table[int(math.Round(255*math.Max(0, math.Min(1, t))))]
}

var (
	// Sequential is for fields of one sign: matplotlib's viridis, whose lightness rises evenly, so that it reads
	// the same in grey and to the colour-blind.
	Sequential = tabulate(viridis)

	// Diverging is for fields about zero: blue through light grey to red, by K. Moreland, "Diverging Color Maps
	// for Scientific Visualization" (2009).
	Diverging = tabulate(blueRed())
)

func tabulate(at func(t float64) color.RGBA) *ColourMap {
	m := &ColourMap{}
	for i := range m.table {
		m.table[i] = at(float64(i) / 255)
	}
	return m
}

// viridis evaluates a fit of degree six to the table of viridis, by M. Zucker (CC0); at ten of its colours it is
// within 4/255.
func viridis(t float64) color.RGBA {
	coefficients := [7][3]float64{
		{0.2777273272234177, 0.005407344544966578, 0.3340998053353061},
		{0.1050930431085774, 1.404613529898575, 1.384590162594685},
		{-0.3308618287255563, 0.214847559468213, 0.09509516302823659},
		{-4.634230498983486, -5.799100973351585, -19.33244095627987},
		{6.228269936347081, 14.17993336680509, 56.69055260068105},
		{4.776384997670288, -13.74514537774601, -65.35303263337234},
		{-5.435455855934631, 4.645852612178535, 26.3124352495832},
	}
	var channel [3]uint8
	for k := range channel {
		v := 0.0
		for i := len(coefficients) - 1; i >= 0; i-- {
			v = v*t + coefficients[i][k]
		}
		channel[k] = uint8(math.Round(255 * math.Max(0, math.Min(1, v))))
	}
	return color.RGBA{channel[0], channel[1], channel[2], 255}
}

func blueRed() func(t float64) color.RGBA {
	m := moreland.SmoothBlueRed()
	m.SetMin(0)
	m.SetMax(1)
	m.SetConvergePoint(0.5)
	return func(t float64) color.RGBA {
		c, err := m.At(t)
		if err != nil {
			panic("plot: the colour map has no colour between its ends")
		}
		return color.RGBAModel.Convert(c).(color.RGBA)
	}
}

// Colours of what is not data.
var (
	white  = color.RGBA{255, 255, 255, 255}
	ink    = color.RGBA{38, 38, 38, 255}
	dryInk = color.RGBA{214, 207, 196, 255} // sand: a cell without water
	noData = color.RGBA{255, 0, 255, 255}   // a cell whose value is not a number must be seen
)

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
