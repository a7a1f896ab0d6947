package problem

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
)

// Structure is a section [[source]], [[culvert]], [[bridge]], [[breach]] or [[pump]]. Defaults follow the semicolons.
type Structure struct {
	Kind     string // source, culvert, bridge, breach or pump
	Name     string
	From, To []float64   // positions of the ends, m; the only one of a source is To
	Line     [][]float64 // of a source, instead of To: the corners of a line, m
	Radius   float64     // of the cells at an end, m; 0: only the cell around the position
	// Value is the discharge of a source or a pump, m³/s, the share of a culvert that is open, 1, or the height of the
	// crest of a breach above the datum, m.
	Value  config.Series
	Length config.Series // of a breach, m

	Barrel               hydraulics.Barrel // of a culvert
	Barrels              int
	InvertFrom, InvertTo float64 // heights of its bottom above the datum, m; NaN: that of the bed
	OneWay               bool    // a flap keeps water from flowing back; false

	// Of a bridge, whose opening is a box: heights of its lower edge and of the deck above the datum, m, the length of
	// the deck over which water flows, m, and coefficients.
	Soffit, Deck, Crest   float64
	Sluice, Orifice, Weir float64

	// Start and Stop are levels at From above which a pump begins, and below which it ends, m; NaN: always on. Start of a
	// breach is the level at which it opens, from which on times of its series count; NaN: at time 0.
	Start, Stop float64

	geographic bool // positions are longitudes and latitudes in degrees
}

var structureKinds = []string{"source", "culvert", "bridge", "breach", "pump"}

func decodeStructures(root *config.Section, layers int, geographic bool) (list []Structure) {
	for _, kind := range structureKinds {
		for _, s := range root.Subs(kind) {
			if layers == 2 {
				s.Fail("", "is for one layer: set layers = 1")
			}
			t := Structure{Kind: kind, geographic: geographic}
			t.keys(s.Read)
			for _, other := range list {
				if other.Name == t.Name && t.Name != "" {
					s.Fail("name", "%q is the name of another structure", t.Name)
				}
			}
			if slices.Contains(shallow.ReservedSources(), t.Name) {
				s.Fail("name", "%q is the name of a column of conservation.csv already", t.Name)
			}
			s.Finish()
			list = append(list, t)
		}
	}
	return list
}

// keys declares the keys of the section.
func (t *Structure) keys(key func(*config.Spec)) {
	key(config.FileName("name", &t.Name, "of the structure, and of its column in conservation.csv"))
	const position, radius = "position `[x, y]` of ", "the cells whose centroids are within this distance of an end " +
		"share its discharge; 0: one cell"
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
		t.culvertKeys(radius, key)
	case "bridge":
		t.bridgeKeys(radius, key)
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
			if t.ruled() && (t.Value.Driven || t.Length.Driven) {
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
			Otherwise("`start`").When(t.ruled(), "needs start too").Check(func(s *config.Section) {
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

// ruled reports whether a pump or a breach depends on levels.
func (t *Structure) ruled() bool {
	return (t.Kind == "pump" || t.Kind == "breach") && !math.IsNaN(t.Start)
}

func (t *Structure) culvertKeys(radius string, key func(*config.Spec)) {
	b := &t.Barrel
	const end = "position `[x, y]` of an end; water flows from the higher level to the lower one"
	key(config.List("from", "m", &t.From, 2, config.Any, end))
	key(config.List("to", "m", &t.To, 2, config.Any, end))
	key(config.Real("radius", "m", &t.Radius, config.NonNegative.Or(0), radius).
		Otherwise("half of the width of the barrels"))
	size, box := config.Positive.Or(0), "a box has width and height, and a pipe has a diameter"
	key(config.Real("diameter", "m", &b.Diameter, size, "of a pipe").IfSet().Otherwise("this, or `width` and `height`"))
	key(config.Real("width", "m", &b.Width, size, "of a box").IfSet().Otherwise("with `height`").
		When(b.Diameter == 0, box))
	if b.Width > 0 {
		size = config.Positive
	}
	key(config.Real("height", "m", &b.Height, size, "of a box").IfSet().Otherwise("with `width`").
		When(b.Diameter == 0, box).Check(func(s *config.Section) {
		switch {
		case !s.Has("diameter") && !s.Has("width") && !s.Has("height"):
			s.Fail("", "needs either the diameter of a pipe, or width and height of a box")
		case s.Has("height") && !s.Has("width"):
			s.Fail("height", "needs width too")
		}
	}))
	distance := 0.0
	if len(t.From) == 2 && len(t.To) == 2 {
		distance = mesh.Distance(t.geographic, t.From[0], t.From[1], t.To[0], t.To[1])
	}
	key(config.Real("length", "m", &b.Length, config.Positive.Or(distance), "of the barrel").
		Otherwise("distance between the ends").Check(func(s *config.Section) {
		if b.Length == 0 {
			s.Fail("to", "is the same position as from")
		}
	}))
	key(config.Real("manning", "s/m^(1/3)", &b.Manning, config.NonNegative.Or(0.013), "roughness of the barrel"))
	key(config.Real("losses", "", &b.Losses, config.Positive.Or(1.5), "coefficients of entry and exit together"))
	key(config.Whole("barrels", &t.Barrels, 1, 1, 1000, "number of equal pipes or boxes").Check(func(s *config.Section) {
		if !s.Has("radius") { // the ends are at least as wide as the inlets
			t.Radius = float64(t.Barrels) * (b.Diameter + b.Width) / 2
		}
	}))
	key(config.Flag("one_way", &t.OneWay, false, "a flap keeps water from flowing from `to` to `from`"))
	for _, k := range []*config.Spec{
		config.Real("invert_from", "m", &t.InvertFrom, config.Any.Or(math.NaN()), "height of the bottom of the barrel at "+
			"`from` above the datum"),
		config.Real("invert_to", "m", &t.InvertTo, config.Any.Or(math.NaN()), "the same at `to`"),
	} {
		key(k.IfSet().Otherwise("lowest bed there"))
	}
	key(config.OverTime("opening", "", &t.Value, "1", config.Bound{Least: 0, Most: 1}, "series: the share of the flow "+
		"that a gate lets through, from 0 to 1"))
}

func (t *Structure) bridgeKeys(radius string, key func(*config.Spec)) {
	b := &t.Barrel
	const side = "position `[x, y]` on one side of an embankment with an opening under a deck"
	key(config.List("from", "m", &t.From, 2, config.Any, side))
	key(config.List("to", "m", &t.To, 2, config.Any, side))
	key(config.Real("radius", "m", &t.Radius, config.NonNegative.Or(0), radius).Otherwise("half of `width`"))
	key(config.Real("width", "m", &b.Width, config.Positive, "of the opening, without piers").
		Check(func(s *config.Section) {
			if !s.Has("radius") { // the ends are as wide as the opening
				t.Radius = b.Width / 2
			}
		}))
	key(config.Real("invert", "m", &t.InvertFrom, config.Any, "height of the bed under the bridge above the datum"))
	key(config.Real("soffit", "m", &t.Soffit, config.Any, "height of the lower edge of its deck").
		Check(func(s *config.Section) {
			if t.Soffit <= t.InvertFrom {
				s.Fail("soffit", "%g m is not above invert, %g m", t.Soffit, t.InvertFrom)
			}
		}))
	key(config.Real("deck", "m", &t.Deck, config.Any, "height of the crest over which water flows").
		Check(func(s *config.Section) {
			if t.Deck < t.Soffit {
				s.Fail("deck", "%g m is below soffit, %g m", t.Deck, t.Soffit)
			}
		}))
	key(config.Real("crest", "m", &t.Crest, config.NonNegative.Or(b.Width), "length of that crest; 0: no water flows "+
		"over it").Otherwise("`width`"))
	key(config.Real("sluice", "", &t.Sluice, config.Share.Or(.5), "coefficient of the flow under the deck with air "+
		"behind it"))
	key(config.Real("orifice", "", &t.Orifice, config.Share.Or(.8), "coefficient of the submerged flow under the deck"))
	key(config.Real("weir", "", &t.Weir, config.Positive.Or(1.44), "coefficient of the flow over the deck, m^½/s").
		Check(func(*config.Section) {
			t.InvertTo, t.Value, t.Barrels = t.InvertFrom, config.Series{Expr: "1"}, 1
			b.Length, b.Height = 1, t.Soffit-t.InvertFrom
			b.Sluice, b.Losses = t.Sluice, 1/(t.Orifice*t.Orifice)
		}))
}

// structuresOf returns the structures of a case for the solver. groups are the names of the mesh's groups of edges.
func structuresOf(c *config.Case, given []Structure, groups []string) (list []hydraulics.Structure, err error) {
	for _, t := range given {
		if slices.Contains(groups, t.Name) {
			return nil, fmt.Errorf("[[%s]] name: %q is a group of the mesh, which has a column of that name in "+
				"conservation.csv: choose another", t.Kind, t.Name)
		}
		to := place(t.To, t.Radius)
		if t.Line != nil {
			to = &hydraulics.Place{X: t.Line[0][0], Y: t.Line[0][1], Radius: t.Radius, Line: t.Line}
		}
		s := hydraulics.Structure{Name: t.Name, Kind: t.Kind, From: place(t.From, t.Radius), To: to,
			Barrel: &t.Barrel, Barrels: t.Barrels, InvertFrom: t.InvertFrom, InvertTo: t.InvertTo, OneWay: t.OneWay,
			Deck: t.Deck, Crest: t.Weir * t.Crest, Ruled: t.ruled()}
		if s.Ruled {
			s.Start, s.Stop = t.Start, t.Stop
		}
		key := cmp.Or(map[string]string{"culvert": "opening", "breach": "crest"}[t.Kind], "discharge")
		if s.Value, err = valueOf(c, t.Value); err != nil {
			return nil, fmt.Errorf("[[%s]] %s: %s: %w", t.Kind, t.Name, key, err)
		}
		for _, r := range s.Value {
			if t.Kind != "source" && t.Kind != "breach" && r.Value < 0 || t.Kind == "culvert" && r.Value > 1 {
				return nil, fmt.Errorf("[[%s]] %s: %s at t = %g s is %g: it must not be negative, and a culvert is open at "+
					"most by 1", t.Kind, t.Name, key, r.T, r.Value)
			}
		}
		if t.Kind == "breach" {
			s.Crest = t.Weir
			if s.Length, err = valueOf(c, t.Length); err != nil {
				return nil, fmt.Errorf("[[breach]] %s: length: %w", t.Name, err)
			}
			for _, r := range s.Length {
				if r.Value < 0 {
					return nil, fmt.Errorf("[[breach]] %s: length at t = %g s is %g: it must not be negative", t.Name, r.T, r.Value)
				}
			}
		}
		list = append(list, s)
	}
	return list, nil
}

func valueOf(c *config.Case, s config.Series) ([]series.Row, error) {
	if s.Program == nil && s.File == "" && !s.Driven { // a default
		return series.Constant(1), nil
	}
	return series.FromCase(c, s)
}

func place(at []float64, radius float64) *hydraulics.Place {
	if len(at) != 2 {
		return nil
	}
	return &hydraulics.Place{X: at[0], Y: at[1], Radius: radius}
}
