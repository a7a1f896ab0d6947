package meteo

import (
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/formats/projection"
	formats "github.com/atoll-hpc/atoll/formats/series"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/solvers/common/series"
)

// Bounds of what a track has: a cyclone is at least as deep and as wide as this, and B of those observed is from 1 to
// 2.5.
const (
	leastDeficit, leastRadius = 1.0, 100.0 // Pa, m
	leastB, mostB             = .3, 5.0
)

// ReadTrack reads the track of a storm from a table: its columns are x and y in m or lon and lat in degrees, pressure,
// radius, and b or wind, the largest wind near the ground, instead of which b may be given as a number. latitude is
// that of a storm whose track has x and y, nil where the case's coordinates give it.
func (s *Storm) ReadTrack(c *config.Case, file string, b, latitude *float64) error {
	path := c.Path(file)
	names, err := formats.Columns(formats.Table{Path: path})
	if err != nil {
		return err
	}
	t := track{c: c, file: file, path: path, names: names, storm: s}
	if err := t.read("pressure", "Pa", func(p *Point) *float64 { return &p.Pressure }); err != nil {
		return err
	}
	if err := t.read("radius", "m", func(p *Point) *float64 { return &p.Radius }); err != nil {
		return err
	}
	if err := t.place(latitude); err != nil {
		return err
	}
	s.SetVelocities()
	if err := t.shape(b); err != nil {
		return err
	}
	return t.check()
}

// track is a track that is being read.
type track struct {
	c          *config.Case
	file, path string
	names      []string
	storm      *Storm
}

func (t *track) has(name string) bool { return slices.Contains(t.names, name) }

// read reads a column in a unit to what of points.
func (t *track) read(name, unit string, to func(p *Point) *float64) error {
	if !t.has(name) {
		return fmt.Errorf("%s: there is no column %q, but %q", t.path, name, t.names)
	}
	rows, err := series.FromCase(t.c, config.Series{File: t.file, Column: name, Unit: unit})
	if err != nil {
		return err
	}
	if t.storm.Track == nil {
		t.storm.Track = make([]Point, len(rows))
	}
	for k, r := range rows {
		t.storm.Track[k].Time, *to(&t.storm.Track[k]) = r.T, r.Value
	}
	return nil
}

// place reads where the centre is, and its latitude.
func (t *track) place(latitude *float64) error {
	first, second, unit := "x", "y", "m"
	if t.has("lon") || t.has("lat") {
		first, second, unit = "lon", "lat", "degree"
	}
	if err := t.read(first, unit, func(p *Point) *float64 { return &p.X }); err != nil {
		return err
	}
	if err := t.read(second, unit, func(p *Point) *float64 { return &p.Y }); err != nil {
		return err
	}
	if s := t.storm; epsg.Geographic(t.c.EPSG()) {
		if s.Geographic = unit == "degree"; !s.Geographic {
			return fmt.Errorf("%s has x and y, but the case longitudes and latitudes: it needs the columns lon and lat", t.path)
		}
		return t.placeOnEarth(latitude)
	}
	to, known := projection.To(t.c.EPSG())
	inverse, _ := projection.Of(t.c.EPSG())
	switch {
	case unit == "degree" && !known:
		return fmt.Errorf(`%s has longitudes and latitudes, and the case has no crs to which they can be converted: crs = `+
			`"EPSG:32632" and others of UTM, or x and y instead`, t.path)
	case !known && latitude == nil:
		return fmt.Errorf("%s has x and y, and the case has no crs that gives the latitude: give it by latitude", t.path)
	}
	for k := range t.storm.Track {
		p := &t.storm.Track[k]
		north := 0.0
		switch {
		case unit == "degree":
			if north = p.Y; math.Abs(north) > 90 {
				return fmt.Errorf("%s: lat at t = %g s is %g", t.path, p.Time, north)
			}
			p.X, p.Y = to(p.X, p.Y)
		case latitude == nil:
			_, north = inverse(p.X, p.Y)
		}
		if latitude != nil {
			north = *latitude
		}
		p.Coriolis = Coriolis(north)
	}
	return nil
}

// placeOnEarth makes longitudes continuous, and computes the Coriolis parameter.
func (t *track) placeOnEarth(latitude *float64) error {
	list := t.storm.Track
	for k := range list {
		p := &list[k]
		if math.Abs(p.Y) > sphere.MostLatitude {
			return fmt.Errorf("%s: lat at t = %g s is %g", t.path, p.Time, p.Y)
		}
		if k > 0 {
			p.X = sphere.Near(p.X, list[k-1].X)
		}
		north := p.Y
		if latitude != nil {
			north = *latitude
		}
		p.Coriolis = Coriolis(north)
	}
	return nil
}

// Coriolis returns the Coriolis parameter in 1/s at a latitude in degrees: twice the rotation rate of the earth,
// 7.2921e-5/s, times the sine.
func Coriolis(latitude float64) float64 { return 2 * 7.2921e-5 * math.Sin(latitude*math.Pi/180) }

// shape reads B, or the wind from which it follows.
func (t *track) shape(b *float64) error {
	list := t.storm.Track
	switch {
	case t.has("b"):
		return t.read("b", "1", func(p *Point) *float64 { return &p.B })
	case b != nil:
		for k := range list {
			list[k].B = *b
		}
		return nil
	case !t.has("wind"):
		return fmt.Errorf("%s: there is no column b or wind, but %q: give b in the case", t.path, t.names)
	}
	if err := t.read("wind", "m/s", func(p *Point) *float64 { return &p.B }); err != nil {
		return err
	}
	for k := range list {
		list[k].B = t.storm.BOfWind(&list[k], list[k].B)
	}
	return nil
}

// check refuses points that are no cyclone.
func (t *track) check() error {
	for _, p := range t.storm.Track {
		switch deficit := t.storm.Ambient - p.Pressure; {
		case !(deficit >= leastDeficit):
			return fmt.Errorf("%s: at t = %g s the pressure is %g Pa, want at least %g Pa less than ambient, %g Pa", t.path,
				p.Time, p.Pressure, leastDeficit, t.storm.Ambient)
		case !(p.Radius >= leastRadius):
			return fmt.Errorf("%s: at t = %g s the radius is %g m, want at least %g m", t.path, p.Time, p.Radius, leastRadius)
		case !(p.B >= leastB && p.B <= mostB):
			return fmt.Errorf("%s: at t = %g s b is %.3g, want %g to %g: it follows from the wind, the pressure and "+
				"ambient unless it is given", t.path, p.Time, p.B, leastB, mostB)
		}
	}
	if n := len(t.storm.Times()); n > mostTimes {
		return fmt.Errorf("%s: the storm moves by %d 24ths of its radius, want at most %d", t.path, n, mostTimes)
	}
	return nil
}
