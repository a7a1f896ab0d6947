package meteo

import (
	"math"
	"sort"

	"github.com/atoll-hpc/atoll/internal/portable"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
	"github.com/atoll-hpc/atoll/solvers/shallow/weather"
)

// Storm is a cyclone whose pressure depends on the distance from its centre alone,
//
//	p(r) = p₀ + (pₙ - p₀) exp(-(R/r)^B),
//
// with a wind that is in balance with it (G. J. Holland, Mon. Weather Rev. 108, 1980, 1212-1218), of which a share
// SurfaceShare is left near the ground, or, if Exponent is above 0, that of G. J. Holland, J. I. Belanger and A. Fritz
// (Mon. Weather Rev. 138, 2010, 4393-4401), w(r) = w(R) ((R/r)^B exp(1 - (R/r)^B))^Exponent, near the ground. The wind
// turns around the centre, at an angle inwards, counterclockwise where Coriolis is positive, and a share of the
// centre's velocity is added to it in proportion to w(r)/w(R).
type Storm struct {
	Track        []Point
	Ambient      float64 // pₙ, Pa
	AirDensity   float64 // kg/m³
	Exponent     float64 // 0 for the wind in balance
	SurfaceShare float64
	Inflow       float64 // angle in degrees
	Translation  float64 // share of the centre's velocity
	Geographic   bool    // positions are longitudes and latitudes in degrees
}

// Point is a storm at a time. It is linear between those of a track.
type Point struct {
	Time                 float64 // s
	X, Y                 float64 // of the centre, m; of a geographic storm in degrees
	VelocityX, VelocityY float64 // of the centre, m/s
	Pressure, Radius, B  float64 // p₀ in Pa, R in m
	Coriolis             float64 // parameter, 1/s
}

// SetVelocities sets the velocities of the centre at the points of the track by differences of their positions.
func (s *Storm) SetVelocities() {
	track := s.Track
	for k := range track {
		from, to := &track[max(0, k-1)], &track[min(k+1, len(track)-1)]
		if length := to.Time - from.Time; length > 0 {
			x, y := s.way(from, to)
			track[k].VelocityX, track[k].VelocityY = x/length, y/length
		}
	}
}

// way returns the vector from one position of the centre to a later one, m.
func (s *Storm) way(from, to *Point) (x, y float64) {
	if s.Geographic {
		return sphere.Vector((from.Y+to.Y)/2, from.X, from.Y, to.X, to.Y)
	}
	return to.X - from.X, to.Y - from.Y
}

// from returns the vector from the centre to a place, m; on the earth in the directions that east and north have there.
func (s *Storm) from(at *Point, x, y float64) (dx, dy float64) {
	if s.Geographic {
		east, north := sphere.Seen(x, y, at.X, at.Y)
		return -east, -north
	}
	return x - at.X, y - at.Y
}

// BOfWind returns B of a storm at a point whose largest wind near the ground is w in m/s, in which a share of the
// centre's velocity is included.
func (s *Storm) BOfWind(at *Point, w float64) float64 {
	turning := w - s.Translation*math.Sqrt(at.VelocityX*at.VelocityX+at.VelocityY*at.VelocityY)
	if s.Exponent == 0 {
		turning /= s.SurfaceShare
	}
	return s.AirDensity * math.E * turning * max(0, turning) / (s.Ambient - at.Pressure)
}

// at returns the storm at a time.
func (s *Storm) at(time float64) Point {
	t := s.Track
	k := max(0, min(len(t)-2, sort.Search(len(t), func(k int) bool { return t[k].Time > time })-1))
	if len(t) == 1 {
		return t[0]
	}
	a, b := &t[k], &t[k+1]
	share := max(0, min(1, (time-a.Time)/(b.Time-a.Time)))
	between := func(a, b float64) float64 { return a + share*(b-a) }
	return Point{Time: time, X: between(a.X, b.X), Y: between(a.Y, b.Y), VelocityX: between(a.VelocityX, b.VelocityX),
		VelocityY: between(a.VelocityY, b.VelocityY), Pressure: between(a.Pressure, b.Pressure),
		Radius: between(a.Radius, b.Radius), B: between(a.B, b.B), Coriolis: between(a.Coriolis, b.Coriolis)}
}

// Nearest returns how near the centre comes to a place between two times, m.
func (s *Storm) Nearest(x, y, from, until float64) float64 {
	nearest := math.Inf(1)
	times := []float64{from, until}
	for _, p := range s.Track {
		times = append(times, max(from, min(until, p.Time)))
	}
	for _, time := range times {
		at := s.at(time)
		nearest = min(nearest, math.Hypot(s.from(&at, x, y)))
	}
	return nearest
}

// pressure returns p at a distance in m from the centre, Pa.
func (s *Storm) pressure(at *Point, distance float64) float64 {
	return at.Pressure + (s.Ambient-at.Pressure)*portable.Exp(-ratio(at, distance))
}

// ratio returns (R/r)^B.
func ratio(at *Point, distance float64) float64 {
	if distance <= 1e-9*at.Radius {
		return math.Inf(1)
	}
	return portable.Exp(at.B * portable.Log(at.Radius/distance))
}

// speed returns w at a distance in m from the centre, m/s.
func (s *Storm) speed(at *Point, distance float64) float64 {
	a := ratio(at, distance)
	if math.IsInf(a, 1) {
		return 0
	}
	push := at.B * (s.Ambient - at.Pressure) / s.AirDensity
	if s.Exponent > 0 {
		shape := a * portable.Exp(1-a)
		if shape == 0 {
			return 0
		}
		return math.Sqrt(push/math.E) * portable.Exp(s.Exponent*portable.Log(shape))
	}
	turn := distance * math.Abs(at.Coriolis) / 2
	return s.SurfaceShare * (math.Sqrt(push*a*portable.Exp(-a)+turn*turn) - turn)
}

// wind returns a function that returns the velocity of the air at a place relative to the centre in m.
func (s *Storm) wind(at *Point) func(x, y float64) air.Vector[float64] {
	turn := 1.0
	if at.Coriolis < 0 {
		turn = -1
	}
	along, inwards := math.Cos(s.Inflow*math.Pi/180), math.Sin(s.Inflow*math.Pi/180)
	strongest := s.speed(at, at.Radius)
	return func(x, y float64) air.Vector[float64] {
		distance := math.Sqrt(x*x + y*y)
		speed := s.speed(at, distance)
		if speed == 0 {
			return air.Vector[float64]{}
		}
		x, y = x/distance, y/distance
		moving := s.Translation * speed / strongest
		return air.Vector[float64]{X: speed*(-turn*along*y-inwards*x) + moving*at.VelocityX,
			Y: speed*(turn*along*x-inwards*y) + moving*at.VelocityY}
	}
}

// mostTimes bounds the number of times of a storm.
const mostTimes = 1 << 20

// Times returns times from the first to the last one of the track between which the field is linear: the centre moves
// R/24 at most, by which the wind differs by less than 1/400 of the strongest, and none are more than ten minutes
// apart.
func (s *Storm) Times() []float64 {
	const share, longest = 1.0 / 24, 600.0
	times := []float64{s.Track[0].Time}
	for k := range len(s.Track) - 1 {
		a, b := &s.Track[k], &s.Track[k+1]
		x, y := s.way(a, b)
		way := math.Sqrt(x*x+y*y) / (share * min(a.Radius, b.Radius))
		pieces := math.Ceil(max(1, way, (b.Time-a.Time)/longest))
		for n := 1.0; n <= min(pieces, mostTimes); n++ {
			times = append(times, a.Time+n/pieces*(b.Time-a.Time))
		}
	}
	return times
}

// blowing is the field of a storm in the cells of a part.
type blowing struct {
	*Storm
	part  *mesh.Part
	times []float64
}

// Times implements weather.Vectors.
func (b *blowing) Times() []float64 { return b.times }

// stormWind is the wind of a storm, and stormPressure its pressure over a density.
type (
	stormWind     struct{ blowing }
	stormPressure struct {
		blowing
		density float64
	}
)

// Wind returns the wind near the ground in a part.
func (s *Storm) Wind(part *mesh.Part) weather.Vectors { return &stormWind{blowing{s, part, s.Times()}} }

// Vectors implements weather.Vectors.
func (w *stormWind) Vectors(k int) ([]air.Vector[float64], error) {
	at, list := w.at(w.times[k]), make([]air.Vector[float64], w.part.Owned)
	wind := w.wind(&at)
	for i := range list {
		x, y := w.part.Centroid(i)
		list[i] = wind(w.from(&at, x, y))
	}
	return list, nil
}

// Pressing returns the pressure over a density in kg/m³ in a part.
func (s *Storm) Pressing(part *mesh.Part, density float64) weather.Pressure {
	return &stormPressure{blowing{s, part, s.Times()}, density}
}

// Vectors implements weather.Vectors.
func (p *stormPressure) Vectors(k int) ([]air.Vector[float64], error) {
	values, err := p.Values(k)
	return gradients(p.part, values), err
}

// Values implements weather.Pressure.
func (p *stormPressure) Values(k int) ([]float64, error) {
	at, values := p.at(p.times[k]), make([]float64, len(p.part.Cells))
	for i := range values {
		x, y := p.part.Centroid(i)
		x, y = p.from(&at, x, y)
		values[i] = p.pressure(&at, math.Sqrt(x*x+y*y))
	}
	return over(values, p.density), nil
}
