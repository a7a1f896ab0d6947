// Package structures has the sections of a case that describe hydraulic structures, [[source]], [[culvert]],
// [[bridge]], [[gate]], [[breach]] and [[pump]], and the rules by which they open and run, [[rule]].
package structures

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
)

// Structure is a section [[source]], [[culvert]], [[bridge]], [[gate]], [[breach]] or [[pump]]. Defaults follow the
// semicolons.
type Structure struct {
	Kind     string // source, culvert, bridge, gate, breach or pump
	Name     string
	From, To []float64   // positions of the ends, m; the only one of a source is To
	Line     [][]float64 // of a source, instead of To: the corners of a line, m
	Radius   float64     // of the cells at an end, m; 0: only the cell around the position
	// Value is the discharge of a source or a pump, m³/s, the share of a culvert that is open, 1, the opening of a
	// gate, m, or the height of the crest of a breach above the datum, m.
	Value  config.Series
	Length config.Series // of a breach, m
	Travel float64       // time in which rules open a gate or a culvert, s; 0: at once

	Barrel               hydraulics.Barrel // of a culvert
	Barrels              int
	InvertFrom, InvertTo float64 // heights of its bottom above the datum, m; NaN: that of the bed
	OneWay               bool    // a flap keeps water from flowing back; false

	// Of a bridge, whose opening is a box: heights of its lower edge and of the deck above the datum, m, the length of
	// the deck over which water flows, m, and coefficients. Deck is also the top of a closed gate; NaN: nothing flows
	// over it.
	Soffit, Deck, Crest   float64
	Sluice, Orifice, Weir float64
	Contraction           float64 // of the jet under a gate

	// Start and Stop are levels at From above which a pump begins, and below which it ends, m; NaN: always on. Start of a
	// breach is the level at which it opens, from which on times of its series count; NaN: at time 0.
	Start, Stop float64

	geographic bool            // positions are longitudes and latitudes in degrees
	section    *config.Section // for errors that other sections show
}

var kinds = []string{"source", "culvert", "bridge", "gate", "breach", "pump"}

// Decode reads all sections of structures. taken are names that they cannot have.
func Decode(root *config.Section, layers int, geographic bool, taken []string) (list []Structure) {
	for _, kind := range kinds {
		for _, s := range root.Subs(kind) {
			if layers == 2 {
				s.Fail("", "is for one layer: set layers = 1")
			}
			t := Structure{Kind: kind, geographic: geographic, section: s}
			t.Keys(s.Read)
			for _, other := range list {
				if other.Name == t.Name && t.Name != "" {
					s.Fail("name", "%q is the name of another structure", t.Name)
				}
			}
			if slices.Contains(taken, t.Name) {
				s.Fail("name", "%q is the name of a column of conservation.csv already", t.Name)
			}
			s.Finish()
			list = append(list, t)
		}
	}
	return list
}

const position, radius = "position `[x, y]` of ", "the cells whose centroids are within this distance of an end " +
	"share its discharge; 0: one cell"

// Keys declares the keys of the section.
func (t *Structure) Keys(key func(*config.Spec)) {
	key(config.FileName("name", &t.Name, "of the structure, and of its columns in conservation.csv"))
	from := config.List("from", "m", &t.From, 2, config.Any, position+"the end where the water comes from")
	switch t.Kind {
	case "source":
		key(config.List("at", "m", &t.To, 2, config.Any.Or(math.NaN()), position+"the source").Otherwise("`line`"))
		key(config.Special(config.Key{Name: "line", Default: "`at`", Doc: "the corners `[[x, y], [x, y]]` of a source " +
			"along a line, instead of `at`: the cells that it crosses share its discharge by their areas"}, t.readLine,
			func() any {
				if t.Line == nil {
					return nil
				}
				return t.Line
			}))
		key(config.Real("radius", "m", &t.Radius, config.NonNegative.Or(0), radius).IfSet())
		key(config.OverTime("discharge", "m3/s", &t.Value, config.Required, config.Any, "water that comes in, a series. A "+
			"negative discharge withdraws water, as far as there is any"))
	case "culvert":
		t.culvertKeys(key)
	case "bridge":
		t.bridgeKeys(key)
	case "gate":
		t.gateKeys(key)
	case "breach":
		const side = "position `[x, y]` on one side of a wall or a levee"
		key(config.List("from", "m", &t.From, 2, config.Any, side))
		key(config.List("to", "m", &t.To, 2, config.Any, side))
		key(config.Real("radius", "m", &t.Radius, config.NonNegative, radius))
		key(config.OverTime("crest", "m", &t.Value, config.Required, config.Any, "series: height of the bottom of the "+
			"breach above the datum, at first that of the wall"))
		key(config.OverTime("length", "m", &t.Length, config.Required, config.NonNegative, "series: its length along the "+
			"wall"))
		key(config.Real("weir", "", &t.Weir, config.Positive.Or(1.44), "coefficient of the flow over the crest, m^½/s"))
		key(config.Real("start", "m", &t.Start, config.Any.Or(math.NaN()), "level above the datum, such as the height of "+
			"the wall: the breach opens for good when the water on one side has risen to it, and `crest` and `length` are "+
			"series of the time since").IfSet().Otherwise("it opens at time 0").Check(func(s *config.Section) {
			if t.begins() && (t.Value.Driven || t.Length.Driven) {
				s.Fail("start", "is for a breach whose crest and length are series, not driven")
			}
		}))
	case "pump":
		key(from)
		key(config.List("to", "m", &t.To, 2, config.Any.Or(math.NaN()), position+"the end where it goes to").
			Otherwise("out of the domain"))
		key(config.Real("radius", "m", &t.Radius, config.NonNegative.Or(0), radius).IfSet())
		key(config.OverTime("discharge", "m3/s", &t.Value, config.Required, config.NonNegative, "capacity, a series"))
		key(config.Real("start", "m", &t.Start, config.Any.Or(math.NaN()), "level at `from` above the datum: the pump is on "+
			"from the time when the water has risen to it").IfSet().Otherwise("always on"))
		key(config.Real("stop", "m", &t.Stop, config.Any.Or(t.Start), "until it has fallen below this level").
			Otherwise("`start`").When(t.begins(), "needs start too").Check(func(s *config.Section) {
			if t.Stop > t.Start {
				s.Fail("stop", "%g m is above start, %g m: a pump ends below the level at which it begins", t.Stop, t.Start)
			}
		}))
	}
}

// readLine reads the line of a source, which has either that or a position.
func (t *Structure) readLine(s *config.Section) {
	switch {
	case s.Has("line") == s.Has("at"):
		s.Fail("", "needs either at, a position, or line, the corners of a line")
	case s.Has("line"):
		t.Line = s.Corners("line", 2)
	}
}

// begins reports whether a pump or a breach begins at a level.
func (t *Structure) begins() bool {
	return (t.Kind == "pump" || t.Kind == "breach") && !math.IsNaN(t.Start)
}
