package tide

import "math"

// century is the length of a Julian century in days.
const century = 36525

// polynomial is a mean longitude in degrees over the time in Julian centuries, by rising powers.
type polynomial [5]float64

// longitudes are the mean longitudes of the moon (s), of the sun (h), of the moon's perigee (p), of its ascending node
// (N), and of the sun's perigee, in the order of Doodson's numbers but for the sign of N. Time counts from 2000-01-01
// 12:00. Source: J. Meeus, Astronomical Algorithms, 2nd edition, 1998: (47.1), (25.2), (47.7), and the text after
// (47.7); for the sun's perigee that of the earth's orbit (25.4) and half a turn.
var longitudes = [5]polynomial{
	{218.3164477, 481267.88123421, -.0015786, 1. / 538841, -1. / 65194000},
	{280.46646, 36000.76983, .0003032},
	{83.3532465, 4069.0137287, -.01032, -1. / 80053, 1. / 18999000},
	{125.0445479, -1934.1362891, .0020754, 1. / 467441, -1. / 60616000},
	{282.93735, 1.71946, .00046},
}

// at returns the value, in degrees, and the rate in degrees a day.
func (p *polynomial) at(days float64) (value, rate float64) {
	t := days / century
	for k := len(p) - 1; k > 0; k-- {
		value = (value + p[k]) * t
		rate = rate*t + float64(k)*p[k]
	}
	return math.Mod(value+p[0], 360), rate / century
}

// sky has the arguments of the tides at a time: of the mean lunar time τ, s, h, p, N' = -N and p' the values in degrees
// and the rates in degrees a day.
type sky struct{ values, rates [6]float64 }

// skyAt returns the arguments at a time in days since 2000-01-01 12:00 of universal time. Dynamical time, by which the
// moon moves, is a minute ahead, in which it travels half a minute of arc.
func skyAt(days float64) (a sky) {
	for k := range longitudes {
		a.values[k+1], a.rates[k+1] = longitudes[k].at(days)
	}
	a.values[4], a.rates[4] = -a.values[4], -a.rates[4]
	// The mean sun is at the meridian at noon, the moon where it is later by the difference of their longitudes. τ and T
	// count from the lower transit.
	_, day := math.Modf(days + .5)
	a.values[0] = 360*day + a.values[2] - a.values[1]
	a.rates[0] = 360 + a.rates[2] - a.rates[1]
	return a
}

// node returns the longitude of the moon's ascending node, and of its perigee, in radians.
func (a *sky) node() (n, p float64) { return -a.values[4] * degree, a.values[3] * degree }

const degree = math.Pi / 180
