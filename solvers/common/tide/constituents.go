package tide

import (
	"math"
	"strings"
)

// Constituent is a harmonic of the tide.
type Constituent struct {
	Name    string
	doodson [6]int  // multiples of τ, s, h, p, N' and p' in its argument
	phase   float64 // what is added to it, degrees
	factors []factor
}

// factor is a power of a modulation: it multiplies the amplitude by f^|power|, and adds power u to the argument.
type factor struct {
	of    modulation
	power float64
}

// modulation is how the amplitude of a wave, as the factor f, and its phase, as the angle u, vary with the plane of the
// moon's orbit: in 18.6 years.
type modulation int

const (
	ofMm modulation = iota
	ofMf
	ofO1
	ofK1
	ofJ1
	ofOO1
	ofM2
	ofK2
	ofL2
)

// modulations are f as a sum of cosines of 0, N, 2N and 3N, and u in degrees as a sum of sines of N, 2N and 3N. Source:
// A. T. Doodson, H. D. Warburg, Admiralty Manual of Tides, 1941, as in D. T. Pugh, Tides, Surges and Mean Sea-Level,
// 1987, Table 4:3.
var modulations = [...]struct {
	f [4]float64
	u [3]float64
}{
	ofMm:  {f: [4]float64{1, -.13, .0013}},
	ofMf:  {[4]float64{1.0429, .4135, -.004}, [3]float64{-23.74, 2.68, -.38}},
	ofO1:  {[4]float64{1.0089, .1871, -.0147, .0014}, [3]float64{10.8, -1.34, .19}},
	ofK1:  {[4]float64{1.006, .115, -.0088, .0006}, [3]float64{-8.86, .68, -.07}},
	ofJ1:  {[4]float64{1.0129, .1676, -.017, .0016}, [3]float64{-12.94, 1.34, -.19}},
	ofOO1: {[4]float64{1.1027, .6504, .0317, -.0014}, [3]float64{-36.68, 4.02, -.57}},
	ofM2:  {[4]float64{1.0004, -.0373, .0002}, [3]float64{-2.14}},
	ofK2:  {[4]float64{1.0241, .2863, .0083, -.0015}, [3]float64{-17.74, .68, -.04}},
}

// at returns f and u, in degrees.
func (m modulation) at(a *sky) (f, u float64) {
	n, p := a.node()
	if m == ofL2 { // L2 is the sum of waves of nearly the same speed
		x := 1 - .2505*math.Cos(2*p) - .1102*math.Cos(2*p-n) - .0156*math.Cos(2*p-2*n) - .037*math.Cos(n)
		y := -.2505*math.Sin(2*p) - .1102*math.Sin(2*p-n) - .0156*math.Sin(2*p-2*n) - .037*math.Sin(n)
		return math.Sqrt(x*x + y*y), math.Atan2(y, x) / degree
	}
	c := &modulations[m]
	f = c.f[0]
	for k := range c.u {
		f += c.f[k+1] * math.Cos(float64(k+1)*n)
		u += c.u[k] * math.Sin(float64(k+1)*n)
	}
	return f, u
}

// modulationAt returns the factor of the amplitude, and the angle in degrees that is added to the argument.
func (c *Constituent) modulationAt(a *sky) (f, u float64) {
	f = 1
	for _, part := range c.factors {
		partF, partU := part.of.at(a)
		switch power := math.Abs(part.power); power {
		case 1.5: // of M3
			f *= partF * math.Sqrt(partF)
		default:
			for range int(power) {
				f *= partF
			}
		}
		u += part.power * partU
	}
	return f, u
}

// argumentAt returns the argument V in degrees, and its rate in degrees a day.
func (c *Constituent) argumentAt(a *sky) (v, rate float64) {
	v = c.phase
	for k, n := range c.doodson {
		v += float64(n) * a.values[k]
		rate += float64(n) * a.rates[k]
	}
	return v, rate
}

func once(m modulation) []factor { return []factor{{m, 1}} }

// constituents are those that are known, by rising speed. Arguments are those of P. Schureman, Manual of Harmonic
// Analysis and Prediction of Tides, 1958, Tables 2 and 2a.
var constituents = []Constituent{
	{"Sa", [6]int{0, 0, 1}, 0, nil},
	{"Ssa", [6]int{0, 0, 2}, 0, nil},
	{"Mm", [6]int{0, 1, 0, -1}, 0, once(ofMm)},
	{"Mf", [6]int{0, 2}, 0, once(ofMf)},
	{"Mtm", [6]int{0, 3, 0, -1}, 0, once(ofMf)},
	{"2Q1", [6]int{1, -3, 0, 2}, -90, once(ofO1)},
	{"Sigma1", [6]int{1, -3, 2}, -90, once(ofO1)},
	{"Q1", [6]int{1, -2, 0, 1}, -90, once(ofO1)},
	{"Rho1", [6]int{1, -2, 2, -1}, -90, once(ofO1)},
	{"O1", [6]int{1, -1}, -90, once(ofO1)},
	{"P1", [6]int{1, 1, -2}, -90, nil},
	{"K1", [6]int{1, 1}, 90, once(ofK1)},
	{"J1", [6]int{1, 2, 0, -1}, 90, once(ofJ1)},
	{"OO1", [6]int{1, 3}, 90, once(ofOO1)},
	{"2N2", [6]int{2, -2, 0, 2}, 0, once(ofM2)},
	{"Mu2", [6]int{2, -2, 2}, 0, once(ofM2)},
	{"N2", [6]int{2, -1, 0, 1}, 0, once(ofM2)},
	{"Nu2", [6]int{2, -1, 2, -1}, 0, once(ofM2)},
	{"M2", [6]int{2}, 0, once(ofM2)},
	{"Lambda2", [6]int{2, 1, -2, 1}, 180, once(ofM2)},
	{"L2", [6]int{2, 1, 0, -1}, 180, once(ofL2)},
	{"T2", [6]int{2, 2, -3, 0, 0, 1}, 0, nil},
	{"S2", [6]int{2, 2, -2}, 0, nil},
	{"R2", [6]int{2, 2, -1, 0, 0, -1}, 180, nil},
	{"K2", [6]int{2, 2}, 0, once(ofK2)},
	{"2SM2", [6]int{2, 4, -4}, 0, []factor{{ofM2, -1}}},
	{"2MK3", [6]int{3, -1}, -90, []factor{{ofM2, 2}, {ofK1, -1}}},
	{"M3", [6]int{3}, 180, []factor{{ofM2, 1.5}}},
	{"MK3", [6]int{3, 1}, 90, []factor{{ofM2, 1}, {ofK1, 1}}},
	{"N4", [6]int{4, -2, 0, 2}, 0, []factor{{ofM2, 2}}},
	{"MN4", [6]int{4, -1, 0, 1}, 0, []factor{{ofM2, 2}}},
	{"M4", [6]int{4}, 0, []factor{{ofM2, 2}}},
	{"MS4", [6]int{4, 2, -2}, 0, once(ofM2)},
	{"S4", [6]int{4, 4, -4}, 0, nil},
	{"M6", [6]int{6}, 0, []factor{{ofM2, 3}}},
	{"2MS6", [6]int{6, 2, -2}, 0, []factor{{ofM2, 2}}},
	{"S6", [6]int{6, 6, -6}, 0, nil},
	{"M8", [6]int{8}, 0, []factor{{ofM2, 4}}},
}

// aliases are other names, in lower case.
var aliases = map[string]string{"rho": "Rho1", "sig1": "Sigma1", "lam2": "Lambda2", "lda2": "Lambda2", "la2": "Lambda2"}

// find returns the constituent of a name, in letters of any case; nil if it is not known.
func find(name string) *Constituent {
	name = strings.ToLower(name)
	if other, ok := aliases[name]; ok {
		name = strings.ToLower(other)
	}
	for k := range constituents {
		if strings.ToLower(constituents[k].Name) == name {
			return &constituents[k]
		}
	}
	return nil
}

// Names returns the names of the constituents that are known, by rising speed.
func Names() (names []string) {
	for k := range constituents {
		names = append(names, constituents[k].Name)
	}
	return names
}
