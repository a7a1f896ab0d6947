package problem

import (
	"fmt"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/meteo"
)

// Storm is a cyclone along a track, which gives wind and pressure.
type Storm struct {
	Track       string   // table; see meteo.Storm.ReadTrack
	Profile     string   // holland-1980 or holland-2010
	Exponent    float64  // of the latter; 0.5
	Surface     float64  // share of the wind of the former near the ground; 0.9
	B           *float64 // nil if the track gives it
	Latitude    *float64 // in degrees; nil if the coordinates of the case give it
	Ambient     float64  // pressure far away, Pa; 101300
	Inflow      float64  // angle in degrees; 20
	Translation float64  // share of the velocity of the centre in the wind; 0.55
}

// keys declares the keys of the table.
func (s *Storm) keys(key func(*config.Spec)) {
	key(config.Phrase("track", &s.Track, config.Required, "a table with the times, as in [series](#boundary), and the "+
		"columns `x` and `y` in m or `lon` and `lat` in degrees, `pressure` at the centre, `radius` of the strongest wind, "+
		"and `b` or `wind`, the strongest wind near the ground"))
	key(config.OneWord("profile", &s.Profile, "holland-1980", []string{"holland-1980", "holland-2010"}, "the formula of "+
		"the wind: [storms](shallow-water.md#storms)"))
	key(config.Real("exponent", "", &s.Exponent, config.Positive.Or(.5), "of holland-2010").
		When(s.Profile == "holland-2010", "is for profile holland-2010"))
	key(config.Real("surface", "", &s.Surface, config.Positive.Or(.9), "share of the wind of holland-1980 that is left "+
		"10 m above the water").When(s.Profile != "holland-2010", "is for profile holland-1980"))
	key(config.OptionalReal("b", "", &s.B, config.Positive, "the parameter B of all times, instead of a column").
		Otherwise("column `b`, or by `wind`"))
	key(config.OptionalReal("latitude", "degree", &s.Latitude, config.Bound{Least: -90, Most: 90}, "latitude of the "+
		"storm; south of the equator it turns clockwise").Otherwise("that of the track"))
	key(config.Real("ambient", "Pa", &s.Ambient, config.Positive.Or(101300), "pressure far from the storm"))
	key(config.Real("inflow", "degree", &s.Inflow, config.Bound{Most: 60}.Or(20), "angle of the wind inwards"))
	key(config.Real("translation", "", &s.Translation, config.Bound{Most: 1}.Or(.55), "share of the velocity of the "+
		"centre that is added to the strongest wind"))
}

// farStorm is a distance at which there is nothing of a storm, m.
const farStorm = 2e6

// evaluateStorm reads the track, and adds wind and pressure.
func (f *Forcing) evaluateStorm(c *config.Case, part *mesh.Part, cfg *shallow.Config) error {
	from := f.Storm
	if from == nil {
		return nil
	}
	s := &meteo.Storm{Ambient: from.Ambient, AirDensity: f.Drag.AirDensity * f.WaterDensity, SurfaceShare: from.Surface,
		Inflow: from.Inflow, Translation: from.Translation}
	if from.Profile == "holland-2010" {
		s.Exponent = from.Exponent
	}
	if err := s.ReadTrack(c, from.Track, from.B, from.Latitude); err != nil {
		return fmt.Errorf("[forcing] storm: %w", err)
	}
	if len(part.Cells) > 0 { // a rank may have none
		x, y := part.Centroid(0)
		if d := s.Nearest(x, y, 0, c.Time.End); d > farStorm {
			c.Note(fmt.Sprintf("[forcing] storm: %s: its centre comes no nearer than %.0f km: are lon and lat in the right "+
				"columns, and its times in those of the run?", from.Track, d/1000))
		}
	}
	to := &cfg.Forcing.OverTime
	to.Wind, to.Pressure = s.Wind(part), s.Pressing(part, f.WaterDensity)
	return nil
}
