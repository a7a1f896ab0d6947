package structures

import (
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
)

func (t *Structure) culvertKeys(key func(*config.Spec)) {
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
		"that a gate in it lets through, from 0 to 1"))
	key(t.travel())
}

func (t *Structure) bridgeKeys(key func(*config.Spec)) {
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

// gateKeys declares the keys of a gate, whose length along the flow does not matter.
func (t *Structure) gateKeys(key func(*config.Spec)) {
	const side = "position `[x, y]` on one side of a dam or a barrier with a gate; water flows from the higher level to " +
		"the lower one"
	key(config.List("from", "m", &t.From, 2, config.Any, side))
	key(config.List("to", "m", &t.To, 2, config.Any, side))
	key(config.Real("radius", "m", &t.Radius, config.NonNegative.Or(0), radius).Otherwise("half of `width`"))
	key(config.Real("width", "m", &t.Barrel.Width, config.Positive, "of the opening, of all gates together").
		Check(func(s *config.Section) {
			if !s.Has("radius") { // the ends are as wide as the opening
				t.Radius = t.Barrel.Width / 2
			}
		}))
	key(config.Real("sill", "m", &t.InvertFrom, config.Any.Or(math.NaN()), "height of the sill above the datum").IfSet().
		Otherwise("the higher one of the lowest beds on both sides"))
	key(config.OverTime("opening", "m", &t.Value, config.Required, config.NonNegative, "series: height of the lower edge "+
		"of the gate above the sill; with [rules](#rule) that of the open gate"))
	key(t.travel())
	key(config.Real("top", "m", &t.Deck, config.Any.Or(math.NaN()), "height of the upper edge of the closed gate above "+
		"the datum, over which water flows; it rises with the opening").IfSet().Otherwise("no water flows over it").
		Check(func(s *config.Section) {
			if t.Deck <= t.InvertFrom {
				s.Fail("top", "%g m is not above sill, %g m", t.Deck, t.InvertFrom)
			}
		}))
	key(config.Real("contraction", "", &t.Contraction, config.Share.Or(.63), "depth of the jet under the gate over its "+
		"opening"))
	key(config.Real("weir", "", &t.Weir, config.Positive.Or(1.44), "coefficient of the flow over the gate, m^½/s").
		When(t.Deck == t.Deck, "needs top too"))
	key(config.Flag("one_way", &t.OneWay, false, "it closes while the level at `to` is higher"))
}

// travel declares the time that a gate takes.
func (t *Structure) travel() *config.Spec {
	return config.Real("travel", "s", &t.Travel, config.NonNegative.Or(0), "time in which [rules](#rule) open or "+
		"close it, at most as fast; 0: at once").IfSet()
}
