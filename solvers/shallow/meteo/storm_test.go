package meteo

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/projection"
)

// tracy is a storm such as that over Darwin in 1974, which Holland's paper fits: small, and south of the equator.
func tracy() (*Storm, Point) {
	s := &Storm{Ambient: 100400, AirDensity: 1.15, SurfaceShare: 1}
	return s, Point{Pressure: 95000, Radius: 8e3, B: 1.5, Coriolis: -3.1e-5}
}

// TestWindIsInBalance: the wind of 1980 satisfies w²/r + |f| w = dp/dr / ρ at any distance, and is strongest near the
// radius of the pressure's profile, where it is √(B (pₙ - p₀) / ρe) but for the rotation of the earth.
func TestWindIsInBalance(t *testing.T) {
	s, at := tracy()
	for _, r := range []float64{500, 2e3, 5e3, 8e3, 12e3, 30e3, 100e3, 400e3} {
		const step = .1
		slope := (s.pressure(&at, r+step) - s.pressure(&at, r-step)) / (2 * step)
		w := s.speed(&at, r)
		if push := w*w/r - at.Coriolis*w; math.Abs(push-slope/s.AirDensity) > 1e-5*push+1e-9 {
			t.Errorf("at %g m: w = %g m/s, w²/r + |f|w = %g, dp/dr/ρ = %g", r, w, push, slope/s.AirDensity)
		}
	}
	if want, w := math.Sqrt(1.5*5400/(1.15*math.E)), s.speed(&at, at.Radius); math.Abs(w-want) > .01*want || w > want {
		t.Errorf("at R: %g m/s, want a little less than %g", w, want)
	}
	if p := s.pressure(&at, at.Radius); math.Abs(p-(95000+5400/math.E)) > 1e-9*p {
		t.Errorf("at R: %g Pa", p)
	}
	if w, p := s.speed(&at, 0), s.pressure(&at, 0); w != 0 || p != 95000 {
		t.Errorf("at the centre: %g m/s, %g Pa", w, p)
	}
}

// TestWindOf2010: the wind of 2010 is its formula.
func TestWindOf2010(t *testing.T) {
	s, at := tracy()
	s.Exponent = .6
	for _, r := range []float64{1e3, 8e3, 30e3, 200e3} {
		a := math.Pow(at.Radius/r, at.B)
		want := math.Sqrt(at.B*5400/(s.AirDensity*math.E)) * math.Pow(a*math.Exp(1-a), .6)
		if w := s.speed(&at, r); math.Abs(w-want) > 1e-12*want {
			t.Errorf("at %g m: %g m/s, want %g", r, w, want)
		}
	}
	if w := s.speed(&at, 1); w != 0 {
		t.Errorf("1 m from the centre: %g m/s", w)
	}
}

// TestDirection: the wind turns clockwise in the south, inwards by an angle, and is stronger on the side where it goes
// with the storm: there it is that from which B was computed.
func TestDirection(t *testing.T) {
	s, at := tracy()
	s.Inflow = 30
	w := s.wind(&at)(0, 8e3) // north of the centre
	if angle := math.Atan2(w.Y, w.X) * 180 / math.Pi; math.Abs(angle-(-30)) > 1e-9 {
		t.Errorf("in the south the wind north of the centre has an angle of %g°, want to the east and inwards, -30°", angle)
	}
	at.Coriolis *= -1
	w = s.wind(&at)(8e3, 0) // east of the centre
	if angle := math.Atan2(w.Y, w.X) * 180 / math.Pi; math.Abs(angle-(90+30)) > 1e-9 {
		t.Errorf("in the north the wind east of the centre has an angle of %g°, want 120°", angle)
	}
	s.Inflow, s.Translation, s.SurfaceShare, at.Coriolis, at.VelocityY = 0, .55, .9, 1e-12, 10
	at.B = s.BOfWind(&at, 45)
	if east := s.wind(&at)(8e3, 0); math.Abs(east.Y-45) > 1e-6 {
		t.Errorf("on the right the wind is %g m/s, want 45", east.Y)
	}
	if west := s.wind(&at)(-8e3, 0); math.Abs(west.Y+45-2*5.5) > 1e-6 {
		t.Errorf("on the left the wind is %g m/s, want -34", west.Y)
	}
}

// TestFieldIsNearlyLinear: between the times of a storm, the wind is linear in time to 1/400 of the strongest, as it
// passes over a place.
func TestFieldIsNearlyLinear(t *testing.T) {
	s, at := tracy()
	to := at
	to.Time, to.X, to.Pressure, to.Radius, to.B = 3600*6, 200e3, 97000, 12e3, 1.2
	s.Track = []Point{at, to}
	s.SetVelocities()
	times, strongest := s.Times(), s.speed(&at, at.Radius)
	if times[0] != 0 || times[len(times)-1] != to.Time {
		t.Fatalf("times from %g to %g", times[0], times[len(times)-1])
	}
	for k := range len(times) - 1 {
		a, middle, b := s.at(times[k]), s.at((times[k]+times[k+1])/2), s.at(times[k+1])
		for _, y := range []float64{1e3, 6e3, 15e3} {
			u, v, w := s.wind(&a)(1e5-a.X, y), s.wind(&middle)(1e5-middle.X, y), s.wind(&b)(1e5-b.X, y)
			if e := math.Hypot((u.X+w.X)/2-v.X, (u.Y+w.Y)/2-v.Y); e > strongest/400 {
				t.Fatalf("at %g s, %g m: %g m/s off", middle.Time, y, e)
			}
		}
	}
}

// TestReadTrack: tracks of positions in m and in degrees are read, and what is no cyclone is refused.
func TestReadTrack(t *testing.T) {
	const head, degrees = "time,x,y,pressure [hPa],radius [km]", "time,lon,lat,pressure [hPa],radius [km]"
	b, south := 1.3, -12.0
	for _, c := range []struct {
		table, crs  string
		b, latitude *float64
		want        string // of the error; "" for none
	}{
		{head + ",b\n0,0,0,950,8,1.5\n10,100,50,960,9,1.4\n", "", nil, &south, ""},
		{head + ",b\n0,0,0,950,8,1.5\n10,100,50,960,9,1.4\n", "", nil, nil, "give it by latitude"},
		{head + "\n0,0,0,950,8\n10,100,50,960,9\n", "", &b, &south, ""},
		{head + "\n0,0,0,950,8\n10,100,50,960,9\n", "", nil, &south, "there is no column b or wind"},
		{head + ",wind [kt]\n0,0,0,950,8,90\n10,100,50,960,9,80\n", "", nil, &south, ""},
		{head + ",wind [kt]\n0,0,0,950,8,9\n10,100,50,960,9,8\n", "", nil, &south, "b is -0, want 0.3 to 5"},
		{degrees + "\n0,131,-12,950,8\n10,131,-12.1,960,9\n", "EPSG:32752", &b, nil, ""},
		{degrees + "\n0,131,-12,950,8\n10,131,-12.1,960,9\n", "", &b, nil, "has no crs"},
		{degrees + "\n0,131,-12,950,8\n10,131,-92,960,9\n", "EPSG:32752", &b, nil, "lat at t = 10"},
		{"time,x,y,pressure,radius [km]\n0,0,0,102000,8\n10,100,50,96000,9\n", "", &b, &south, "at t = 0 s the pressure"},
		{"time,x,y,pressure,radius\n0,0,0,95000,8\n10,100,50,96000,9\n", "", &b, &south, "the radius is 8 m"},
		{"time,x,y,pressure,radius\n0,0,0,95000,800\n5,100,50,96000,900\n", "", &b, &south, "its times are from 0 s to 5 s"},
		{"time,x,y,radius\n0,0,0,8000\n10,0,0,8000\n", "", &b, &south, `there is no column "pressure"`},
	} {
		path := filepath.Join(t.TempDir(), "track.csv")
		if err := os.WriteFile(path, []byte(c.table), 0o600); err != nil {
			t.Fatal(err)
		}
		of := new(config.Case)
		of.Time.End, of.CRS = 10, c.crs
		s, _ := tracy()
		s.Ambient, s.Translation = 101000, .5
		err := s.ReadTrack(of, path, c.b, c.latitude)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.table, err, c.want)
		}
		if err != nil {
			continue
		}
		first, last := s.Track[0], s.Track[1]
		if first.Pressure != 95000 || last.Radius != 9000 || first.Coriolis >= 0 || first.VelocityY == 0 || first.B == 0 {
			t.Errorf("%q: %+v, %+v", c.table, first, last)
		}
		// 131° is 2° east of the meridian of zone 52, 217.7 km at 12° south.
		if c.crs != "" && (math.Abs(first.X-717.7e3) > 500 || math.Abs(last.Y-first.Y+11061) > 20) {
			t.Errorf("%q: %+v, %+v", c.table, first, last)
		}
	}
}

// TestNearest: how near a storm comes is measured within the time of the run, also between the points of its track.
func TestNearest(t *testing.T) {
	s := Storm{Track: []Point{{Time: 0, X: -1000}, {Time: 10, X: 0}, {Time: 20, X: 0, Y: 3000}}}
	for _, c := range []struct{ from, until, want float64 }{{0, 20, 0}, {0, 5, 500}, {15, 40, 1500}, {30, 40, 3000}} {
		if got := s.Nearest(0, 0, c.from, c.until); got != c.want {
			t.Errorf("from %g to %g s: %g m, want %g", c.from, c.until, got, c.want)
		}
	}
}

// TestStormOnTheEarth: a storm whose track has longitudes and latitudes across the 180th meridian moves, and is seen
// from places, as in UTM, whose lengths differ by the shape of the earth, 0.6%, and the scale of the projection.
func TestStormOnTheEarth(t *testing.T) {
	to, _ := projection.To(32760) // zone 60, whose eastern side is the 180th meridian
	path := filepath.Join(t.TempDir(), "track.csv")
	table := "time,lon,lat,pressure,radius,b\n0,179.9,-15,95000,30000,1.5\n3600,-179.9,-15.1,95000,30000,1.5\n"
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	of := new(config.Case)
	of.Time.End, of.CRS = 3600, "EPSG:4326"
	s, _ := tracy()
	if err := s.ReadTrack(of, path, nil, nil); err != nil {
		t.Fatal(err)
	}
	x0, y0 := to(179.9, -15)
	x1, y1 := to(180.1, -15.1)
	at := s.at(0)
	near := func(what string, x, y, wantX, wantY float64) {
		t.Helper()
		if math.Hypot(x-wantX, y-wantY) > .02*math.Hypot(wantX, wantY) {
			t.Errorf("%s: (%g, %g), want (%g, %g)", what, x, y, wantX, wantY)
		}
	}
	near("velocity", at.VelocityX, at.VelocityY, (x1-x0)/3600, (y1-y0)/3600)
	for _, place := range [][2]float64{{180.5, -15.2}, {-179.5, -15.2}, {179, -14}} {
		longitude := place[0]
		if longitude < 0 {
			longitude += 360
		}
		x, y := s.from(&at, place[0], place[1])
		wantX, wantY := to(longitude, place[1])
		near("place", x, y, wantX-x0, wantY-y0)
	}
	if got := s.Nearest(180, -15.05, 0, 3600); got > 13e3 {
		t.Errorf("it comes no nearer than %g m to a place that it passes over", got)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(table, "lon,lat", "x,y", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.ReadTrack(of, path, nil, nil); err == nil || !strings.Contains(err.Error(), "the columns lon and lat") {
		t.Errorf("a track with x and y: %v", err)
	}
}
