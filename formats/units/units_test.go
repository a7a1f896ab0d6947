package units

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// TestScale: factors of units in all spellings.
func TestScale(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     float64
	}{
		{"m", "m", 1}, {"metres", "m", 1}, {"Meter", "m", 1}, {"meters", "m", 1}, {"cm", "m", .01}, {"mm", "m", .001},
		{"km", "m", 1000}, {"decimeter", "m", .1}, {"ft", "m", .3048}, {"feet", "m", .3048}, {"Foot", "m", .3048},
		{"US survey foot", "m", 1200. / 3937}, {"us-ft", "m", 1200. / 3937}, {"fathoms", "m", 1.8288},
		{"nautical_mile", "m", 1852}, {"m (NAVD88)", "m", 1}, {"feet NAVD88", "m", .3048},
		{"m above mean sea level", "m", 1}, {"m of water equivalent", "m", 1}, {"0.01 m", "m", .01}, {"1e-3 m", "m", .001},
		{"m s-1", "m/s", 1}, {"m/s", "m/s", 1}, {"m.s-1", "m/s", 1}, {"m s^-1", "m/s", 1}, {"m s**-1", "m/s", 1},
		{"m·s⁻¹", "m/s", 1}, {"mm/h", "m/s", 1e-3 / 3600}, {"mm hr-1", "m/s", 1e-3 / 3600}, {"mm/hour", "m/s", 1e-3 / 3600},
		{"mm per hour", "m/s", 1e-3 / 3600}, {"mm h⁻¹", "m/s", 1e-3 / 3600}, {"mm/day", "m/s", 1e-3 / 86400},
		{"mm d-1", "m/s", 1e-3 / 86400}, {"in/hr", "m/s", .0254 / 3600}, {"kg m-2 s-1", "m/s", 1e-3},
		{"kg m**-2 s**-1", "m/s", 1e-3}, {"kg/(m^2 s)", "m/s", 1e-3}, {"kg/m²/s", "m/s", 1e-3}, {"g m-2 s-1", "m/s", 1e-6},
		{"km/h", "m/s", 1 / 3.6}, {"knots", "m/s", 1852. / 3600}, {"kt", "m/s", 1852. / 3600}, {"mph", "m/s", .44704},
		{"cm/s", "m/s", .01}, {"hPa", "Pa", 100}, {"mbar", "Pa", 100}, {"millibars", "Pa", 100}, {"kPa", "Pa", 1000},
		{"mb", "Pa", 100}, {"N m-2", "Pa", 1}, {"kg m-1 s-2", "Pa", 1}, {"dbar", "Pa", 1e4}, {"m3 s-1 m-1", "m2/s", 1},
		{"m^2/s", "m2/s", 1}, {"ft2/s", "m2/s", .3048 * .3048}, {"l/s/m", "m2/s", 1e-3}, {"s-1", "1/s", 1},
		{"rad/s", "1/s", 1}, {"1/s", "1/s", 1}, {"degrees_north", "degree", 1}, {"rad", "degree", 180 / math.Pi},
		{"%", "1", .01}, {"percent", "1", .01}, {"1", "1", 1}, {"s m-1/3", "s/m^(1/3)", 1}, {"s/m^(1/3)", "s/m^(1/3)", 1},
		{"s m^-1/3", "s/m^(1/3)", 1}, {"minutes", "s", 60}, {"hours", "s", 3600}, {"day", "s", 86400}, {"ms", "s", 1e-3},
		{"milliseconds", "s", 1e-3}, {"microseconds", "s", 1e-6}, {"sec", "s", 1}, {"h", "s", 3600}, {"m3/s", "m3/s", 1},
		{"cfs", "m3/s", .3048 * .3048 * .3048}, {"Meters", "m", 1}, {"METERS", "m", 1}, {"FT", "m", .3048},
	} {
		if got, err := Scale(c.from, c.to); err != nil || math.Abs(got/c.want-1) > 1e-14 || c.want == 1 && got != 1 {
			t.Errorf("%s in %s: %v, %v; want %v", c.from, c.to, got, err, c.want)
		}
	}
	for _, c := range [][2]string{{"K", "m"}, {"mm", "m/s"}, {"m3/s", "m2/s"}, {"kg m-2", "m/s"}, {"m^(1/3)/s",
		"s/m^(1/3)"},
		{"degrees_east", "m"}, {"m s-2", "m/s"}, {"degC", "Pa"}, {"1", "m"}} {
		if got, err := Scale(c[0], c[1]); err == nil || !strings.Contains(err.Error(), "cannot be converted to "+c[1]) {
			t.Errorf("%s in %s: %v, %v", c[0], c[1], got, err)
		}
	}
	for _, text := range []string{"", "parsec", "m^", "m//s", "(m", "m)", "furlongs per fortnight", "m2s", "0 m", "m^99",
		strings.Repeat("(", 100), "see below", "m^2^3"} {
		if got, err := Scale(text, "m"); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func FuzzScale(f *testing.F) {
	for _, s := range []string{"kg m**-2 s**-1", "m (NAVD88)", "s/m^(1/3)", "1e-3 m.s-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := Scale(text, "m"); err == nil && !(v > 0) && v != 0 {
			t.Errorf("%q: %v", text, v)
		}
	})
}
