// Package units converts between units of measurement, as files and the titles of columns name them: in the forms of
// UDUNITS, of ECMWF and of people, such as mm h-1, kg m**-2 s**-1, m³/s, US survey foot.
package units

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/atoll-hpc/atoll/internal/pattern"
)

// ErrUnknown is the error about a unit that is not known.
var ErrUnknown = errors.New("the unit is not known")

// Scale returns the number by which values in one unit are multiplied to get them in another. A rate of water in kg per
// area and time is also a velocity: 1 kg of fresh water per m² is 1 mm. The error is ErrUnknown, or says that one unit
// cannot be converted to the other.
func Scale(from, to string) (float64, error) {
	u, known := parse(from)
	v, wanted := parse(to)
	if !known || !wanted {
		return 0, ErrUnknown
	}
	const waterDensity = 1000 // kg/m³
	if u.powers == massFlux && v.powers == velocity {
		u.factor, u.powers = u.factor/waterDensity, velocity
	}
	if u.powers != v.powers {
		return 0, fmt.Errorf("the unit is %q, which cannot be converted to %s", from, to)
	}
	if scale := u.factor / v.factor; math.Abs(scale-1) > 1e-15 {
		return scale, nil
	}
	return 1, nil // 3.6 km/h is 1 m/s, also after rounding
}

// ToSI returns the number by which values in a unit are multiplied to get them in SI units. The error is ErrUnknown.
func ToSI(from string) (float64, error) {
	u, known := parse(from)
	if !known {
		return 0, ErrUnknown
	}
	return u.factor, nil
}

// Convert is Scale for what, such as a variable of a file. It also returns a note that what is converted, or that its
// unit is not known and its values are taken as they are; "" if there is nothing to tell. Without one of the units
// there is nothing to convert.
func Convert(what, from, to string) (scale float64, note string, err error) {
	if strings.TrimSpace(from) == "" || to == "" {
		return 1, "", nil
	}
	scale, err = Scale(from, to)
	switch {
	case errors.Is(err, ErrUnknown):
		return 1, fmt.Sprintf("%s: the unit %.40q is not known; the values are taken as they are, in %s", what, from, to), nil
	case err != nil:
		return 0, "", fmt.Errorf("%s: %w", what, err)
	case scale != 1:
		note = fmt.Sprintf("%s is converted from %s to %s", what, from, to)
	}
	return scale, note, nil
}

// AtEnd returns the unit at the end of a title without brackets, such as rain_mm_h, rain mm/h or level, ft, if its last
// words are a unit that can be converted to another one; "" else. A unit of one word must have at least two letters,
// and must not be a word such as in.
func AtEnd(title, to string) string {
	words := strings.FieldsFunc(title, func(r rune) bool { return strings.ContainsRune(" _,;:", r) })
	for n := min(len(words)-1, 4); n > 0; n-- {
		last := words[len(words)-n:]
		forms := []string{strings.Join(last, " ")}
		if n == 2 {
			forms = []string{strings.Join(last, "/"), forms[0]}
		}
		for _, form := range forms {
			if word := strings.ToLower(form); n == 1 && (len(word) < 2 || word == "in" || word == "min") {
				continue
			}
			if _, err := Scale(form, to); err == nil {
				return form
			}
		}
	}
	return ""
}

// unit is a factor times a product of powers of m, kg, s and K. Angles are numbers: a radian is 1.
type unit struct {
	factor float64
	powers [4]float64
}

var (
	velocity = [4]float64{1, 0, -1, 0}
	massFlux = [4]float64{-2, 1, -1, 0}
)

// base are the units by name: those whose names are case-sensitive, such as M and m, and others in lower case.
var base = map[string]unit{}

// withPrefixes are names of units that may follow a prefix.
var withPrefixes = map[string]bool{}

// define fills them, at the first use.
var define = sync.OnceFunc(func() {
	length, mass, second := [4]float64{1}, [4]float64{0, 1}, [4]float64{0, 0, 1}
	pressure := [4]float64{-1, 1, -2}
	add := func(factor float64, powers [4]float64, prefixed bool, names ...string) {
		for _, name := range names {
			base[name] = unit{factor, powers}
			withPrefixes[name] = prefixed
		}
	}
	const foot, surveyFoot = .3048, 1200. / 3937
	add(1, length, true, "m", "meter", "metre")
	add(foot, length, false, "ft", "foot", "feet", "international_foot", "international_feet", "'")
	add(surveyFoot, length, false, "us_survey_foot", "us_survey_feet", "us_foot", "us-ft", "ftus", "foot_us",
		"us_ft", "survey_foot")
	add(foot/12, length, false, "in", "inch", "inches")
	add(3*foot, length, false, "yd", "yard")
	add(6*foot, length, false, "fathom", "fathoms", "fm", "ftm")
	add(5280*foot, length, false, "mi", "mile", "international_mile")
	add(1852, length, false, "nmi", "nautical_mile", "nmile")
	add(1e-3, mass, true, "g", "gram")
	add(1000, mass, false, "t", "tonne")
	add(1, second, true, "s", "sec", "second")
	add(60, second, false, "min", "minute", "mn")
	add(3600, second, false, "h", "hr", "hour")
	add(86400, second, false, "d", "day")
	add(7*86400, second, false, "week", "wk")
	add(1, [4]float64{0, 0, 0, 1}, false, "k", "kelvin", "degk", "degc", "celsius", "degrees_celsius", "degree_celsius",
		"°c", "degf", "fahrenheit")
	add(1, [4]float64{1, 1, -2}, true, "N", "newton")
	add(1, pressure, true, "Pa", "pa", "pascal")
	add(1e5, pressure, true, "bar")
	add(100, pressure, false, "mb")
	add(101325, pressure, false, "atm", "atmosphere")
	add(133.322387415, pressure, false, "mmhg", "torr")
	add(3386.38815789, pressure, false, "inhg")
	add(6894.757293168, pressure, false, "psi")
	add(1852./3600, velocity, false, "kn", "kt", "kts", "knot")
	add(foot*5280/3600, velocity, false, "mph")
	add(1./3.6, velocity, false, "kmh", "kph", "kmph")
	add(1, velocity, false, "mps")
	add(1e-3, [4]float64{3}, true, "l", "L", "liter", "litre")
	add(1e4, [4]float64{2}, false, "ha", "hectare")
	add(43560*foot*foot, [4]float64{2}, false, "acre")
	add(1e-3/3600, velocity, false, "mmh", "mmhr", "mmph")
	add(1, [4]float64{3, 0, -1}, false, "cumec", "cms")
	add(foot*foot*foot, [4]float64{3, 0, -1}, false, "cfs", "cusec")
	add(math.Pi/180, [4]float64{}, false, "degree", "deg", "°", "degrees_north", "degree_north", "degree_n",
		"degrees_n", "degrees_east", "degree_east", "degree_e", "degrees_e", "decimal_degrees", "decimal_degree", "dd")
	add(1, [4]float64{}, false, "rad", "radian", "1", "dimensionless", "unitless", "none", "-", "fraction")
	add(.01, [4]float64{}, false, "%", "percent")
})

// prefixes of units, by symbol and by name.
var prefixes = []struct {
	text   string
	factor float64
}{{"kilo", 1e3}, {"hecto", 100}, {"deci", .1}, {"centi", .01}, {"milli", 1e-3}, {"micro", 1e-6}, {"mega", 1e6},
	{"k", 1e3}, {"h", 100}, {"da", 10}, {"d", .1}, {"c", .01}, {"m", 1e-3}, {"µ", 1e-6}, {"μ", 1e-6}, {"u", 1e-6},
	{"M", 1e6}}

// named returns the unit with a name.
func named(name string) (unit, bool) {
	define()
	lower := strings.ToLower(name)
	for _, n := range []string{name, strings.TrimSuffix(name, "s"), lower, strings.TrimSuffix(lower, "s")} {
		if u, ok := base[n]; ok {
			return u, true
		}
		for _, p := range prefixes {
			rest, ok := strings.CutPrefix(n, p.text)
			if ok && withPrefixes[rest] {
				u := base[rest]
				u.factor *= p.factor
				return u, true
			}
		}
	}
	return unit{}, false
}

// datum matches what may follow a unit of heights and does not change it: (NAVD88), above mean sea level, of water.
var datum = pattern.Of(`(?i)[\s(,]+\b(?:above|over|below|relative|rel|to|mean|sea|level|datum|chart|geoid|` +
	`ellipsoid|msl|amsl|asl|navd_?88|navd|ngvd_?29|ngvd|aod|ahd|nn|nhn|nap|od|odn|lat|mllw|mhw|igld_?85|cd|egm_?96|` +
	`egm_?2008|wgs_?84|of|water|equivalent|the|bed|ground|surface)\b.*$`)

// spellings are replacements of forms of several words.
var spellings = strings.NewReplacer("US survey foot", "us_survey_foot", "US Survey Foot", "us_survey_foot",
	"US survey feet", "us_survey_foot", "U.S. survey foot", "us_survey_foot", "US_survey_foot", "us_survey_foot",
	"international foot", "foot", "nautical mile", "nautical_mile", "decimal degrees", "degree", "degrees north",
	"degree", "degrees east", "degree", "degrees Celsius", "degc", "cubic meters", "m3", "cubic metres", "m3",
	"cubic feet", "ft3", "**", "^", "·", " ", "⋅", " ", "×", " ", "²", "^2", "³", "^3", "⁻¹", "^-1", "⁻²", "^-2",
	"⁻³", "^-3", "⁻", "^-", "¹", "1")
