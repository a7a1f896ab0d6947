package problem

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
)

// Structure is a section [[source]], [[culvert]], [[bridge]] or [[pump]]. Defaults follow the semicolons.
type Structure struct {
	Kind     string // source, culvert, bridge or pump
	Name     string
	From, To []float64 // positions of the ends, m; the only one of a source is To
	Radius   float64   // of the cells at an end, m; 0: only the cell around the position
	// Value is the discharge of a source or a pump, m³/s, or the share of a culvert that is open; 1.
	Value config.Series

	Barrel               hydraulics.Barrel // of a culvert
	Barrels              int
	InvertFrom, InvertTo float64 // heights of its bottom above the datum, m; NaN: that of the bed
	OneWay               bool    // a flap keeps water from flowing back; false

	// Of a bridge, whose opening is a box: heights of its lower edge and of the deck above the datum, m, the length of
	// the deck over which water flows, m, and coefficients.
	Soffit, Deck, Crest   float64
	Sluice, Orifice, Weir float64

	Ruled       bool    // a pump has levels of its own
	Start, Stop float64 // levels at From above which it begins, and below which it ends, m
}

var structureKinds = []string{"source", "culvert", "bridge", "pump"}

// structureUnits are the units of keys that other sections do not have, or have with another unit.
var structureUnits = map[string]string{"discharge": "m3/s", "radius": "m", "diameter": "m", "width": "m", "height": "m",
	"length": "m", "invert": "m", "soffit": "m", "deck": "m", "crest": "m",
	"manning": "s/m^(1/3)", "invert_from": "m", "invert_to": "m", "start": "m", "stop": "m"}

func decodeStructures(root *config.Section, layers int) (list []Structure) {
	for _, kind := range structureKinds {
		for _, s := range root.Subs(kind) {
			if s.Units(structureUnits); layers == 2 {
				s.Fail("", "is for one layer: set layers = 1")
			}
			t := Structure{Kind: kind, Name: s.Name("name", config.Required)}
			for _, other := range list {
				if other.Name == t.Name && t.Name != "" {
					s.Fail("name", "%q is the name of another structure", t.Name)
				}
			}
			if slices.Contains(shallow.ReservedSources(), t.Name) {
				s.Fail("name", "%q is the name of a column of conservation.csv already", t.Name)
			}
			t.decode(s)
			s.Finish()
			list = append(list, t)
		}
	}
	return list
}

func (t *Structure) decode(s *config.Section) {
	t.Radius = s.Number("radius", config.NonNegative.Or(0))
	t.InvertFrom, t.InvertTo = math.NaN(), math.NaN()
	switch t.Kind {
	case "source":
		t.To, t.Value = s.Numbers("at", 2), s.Series("discharge", config.Any)
	case "culvert":
		t.decodeCulvert(s)
	case "bridge":
		t.decodeBridge(s)
	case "pump":
		t.From, t.Value = s.Numbers("from", 2), s.Series("discharge", config.NonNegative)
		if s.Know("to"); s.Has("to") {
			t.To = s.Numbers("to", 2)
		}
		s.Know("start", "stop")
		if t.Ruled = s.Has("start") || s.Has("stop"); !t.Ruled {
			return
		}
		t.Start = s.Number("start", config.Any)
		if t.Stop = s.Number("stop", config.Any.Or(t.Start)); t.Stop > t.Start {
			s.Fail("stop", "%g m is above start, %g m: a pump ends below the level at which it begins", t.Stop, t.Start)
		}
	}
}

func (t *Structure) decodeCulvert(s *config.Section) {
	t.From, t.To = s.Numbers("from", 2), s.Numbers("to", 2)
	distance := 0.0
	if len(t.From) == 2 && len(t.To) == 2 {
		distance = math.Hypot(t.To[0]-t.From[0], t.To[1]-t.From[1])
	}
	b := &t.Barrel
	s.Know("diameter", "width", "height")
	switch {
	case s.Has("diameter") == (s.Has("width") || s.Has("height")):
		s.Fail("", "needs either the diameter of a pipe, or width and height of a box")
	case s.Has("diameter"):
		b.Diameter = s.Number("diameter", config.Positive)
	default:
		b.Width, b.Height = s.Number("width", config.Positive), s.Number("height", config.Positive)
	}
	if b.Length = s.Number("length", config.Positive.Or(distance)); b.Length == 0 {
		s.Fail("to", "is the same position as from")
	}
	b.Manning = s.Number("manning", config.NonNegative.Or(0.013))
	b.Losses = s.Number("losses", config.Positive.Or(1.5))
	t.Barrels = int(s.Integer("barrels", 1, 1, 1000))
	if !s.Has("radius") { // the ends are at least as wide as the inlets
		t.Radius = float64(t.Barrels) * (b.Diameter + b.Width) / 2
	}
	t.OneWay = s.Boolean("one_way", false)
	if s.Know("invert_from", "invert_to"); s.Has("invert_from") {
		t.InvertFrom = s.Number("invert_from", config.Any)
	}
	if s.Has("invert_to") {
		t.InvertTo = s.Number("invert_to", config.Any)
	}
	t.Value = config.Series{Expr: "1"}
	if s.Know("opening"); s.Has("opening") {
		t.Value = s.Series("opening", config.Bound{Least: 0, Most: 1})
	}
}

func (t *Structure) decodeBridge(s *config.Section) {
	t.From, t.To, t.Value, t.Barrels = s.Numbers("from", 2), s.Numbers("to", 2), config.Series{Expr: "1"}, 1
	b := &t.Barrel
	b.Width, b.Length = s.Number("width", config.Positive), 1
	t.InvertFrom, t.Soffit = s.Number("invert", config.Any), s.Number("soffit", config.Any)
	t.InvertTo, b.Height = t.InvertFrom, t.Soffit-t.InvertFrom
	if b.Height <= 0 {
		s.Fail("soffit", "%g m is not above invert, %g m", t.Soffit, t.InvertFrom)
	}
	if t.Deck = s.Number("deck", config.Any); t.Deck < t.Soffit {
		s.Fail("deck", "%g m is below soffit, %g m", t.Deck, t.Soffit)
	}
	t.Crest = s.Number("crest", config.NonNegative.Or(b.Width))
	t.Sluice, t.Orifice = s.Number("sluice", config.Share.Or(.5)), s.Number("orifice", config.Share.Or(.8))
	t.Weir = s.Number("weir", config.Positive.Or(1.44))
	b.Sluice, b.Losses = t.Sluice, 1/(t.Orifice*t.Orifice)
	if !s.Has("radius") { // the ends are as wide as the opening
		t.Radius = b.Width / 2
	}
}

func (t *Structure) print(p *config.Printer) {
	p.Section("[[" + t.Kind + "]]")
	p.Pair("name", t.Name)
	if t.Kind == "source" {
		p.Pair("at", t.To)
	} else {
		p.Pair("from", t.From)
		if t.To != nil {
			p.Pair("to", t.To)
		}
	}
	if t.Radius > 0 {
		p.Pair("radius", t.Radius)
	}
	if t.Kind == "bridge" {
		for _, pair := range []struct {
			key   string
			value float64
		}{{"width", t.Barrel.Width}, {"invert", t.InvertFrom}, {"soffit", t.Soffit}, {"deck", t.Deck}, {"crest", t.Crest},
			{"sluice", t.Sluice}, {"orifice", t.Orifice}, {"weir", t.Weir}} {
			p.Pair(pair.key, pair.value)
		}
		return
	}
	if t.Kind != "culvert" {
		p.Pair("discharge", t.Value)
		if t.Ruled {
			p.Pair("start", t.Start)
			p.Pair("stop", t.Stop)
		}
		return
	}
	if b := &t.Barrel; b.Diameter > 0 {
		p.Pair("diameter", b.Diameter)
	} else {
		p.Pair("width", b.Width)
		p.Pair("height", b.Height)
	}
	p.Pair("length", t.Barrel.Length)
	p.Pair("manning", t.Barrel.Manning)
	p.Pair("losses", t.Barrel.Losses)
	p.Pair("barrels", t.Barrels)
	p.Pair("one_way", t.OneWay)
	if !math.IsNaN(t.InvertFrom) {
		p.Pair("invert_from", t.InvertFrom)
	}
	if !math.IsNaN(t.InvertTo) {
		p.Pair("invert_to", t.InvertTo)
	}
	p.Pair("opening", t.Value)
}

// structuresOf returns the structures of a case for the solver. groups are the names of the mesh's groups of edges.
func structuresOf(c *config.Case, given []Structure, groups []string) (list []hydraulics.Structure, err error) {
	for _, t := range given {
		if slices.Contains(groups, t.Name) {
			return nil, fmt.Errorf("[[%s]] name: %q is a group of the mesh, which has a column of that name in "+
				"conservation.csv: choose another", t.Kind, t.Name)
		}
		s := hydraulics.Structure{Name: t.Name, Kind: t.Kind, From: place(t.From, t.Radius), To: place(t.To, t.Radius),
			Barrel: &t.Barrel, Barrels: t.Barrels, InvertFrom: t.InvertFrom, InvertTo: t.InvertTo, OneWay: t.OneWay,
			Deck: t.Deck, Crest: t.Weir * t.Crest, Ruled: t.Ruled, Start: t.Start, Stop: t.Stop}
		key := map[bool]string{false: "discharge", true: "opening"}[t.Kind == "culvert"]
		if s.Value, err = valueOf(c, t.Value); err != nil {
			return nil, fmt.Errorf("[[%s]] %s: %s: %w", t.Kind, t.Name, key, err)
		}
		for _, r := range s.Value {
			if t.Kind != "source" && r.Value < 0 || t.Kind == "culvert" && r.Value > 1 {
				return nil, fmt.Errorf("[[%s]] %s: %s at t = %g s is %g: it must not be negative, and a culvert is open at "+
					"most by 1", t.Kind, t.Name, key, r.T, r.Value)
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
