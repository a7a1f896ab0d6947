package sphere

import (
	"math"
	"math/rand/v2"
	"testing"
)

// near fails unless two numbers differ by at most a share of the second.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*math.Abs(want)) {
		t.Errorf("%s: %.16g, want %.16g: differs by a share of %.2g", what, got, want, math.Abs(got/want-1))
	}
}

// TestAreasOfSectors: the two halves of a rectangle of longitudes and latitudes have its area, R² Δλ (sin φ₁ - sin φ₀),
// however small or large it is.
func TestAreasOfSectors(t *testing.T) {
	for _, c := range [][4]float64{{0, 0, 90, 49}, {170, -60, 190, 60}, {-30, 80, 10, 89.9}, {-180, -89, 180, 89},
		{12, 45, 12.001, 45.001}, {12, -45, 12.0001, -44.9999}} {
		west, south, east, north := c[0], c[1], c[2], c[3]
		want := Radius * Radius * (east - west) * degree * 2 * math.Cos((north+south)/2*degree) *
			math.Sin((north-south)/2*degree)
		lower := Area([3]float64{west, east, east}, [3]float64{south, south, north})
		upper := Area([3]float64{west, east, west}, [3]float64{south, north, north})
		near(t, "area", lower+upper, want, 1e-9)
		near(t, "clockwise", Area([3]float64{west, west, east}, [3]float64{south, north, north}), -upper, 1e-12)
	}
	near(t, "the earth", 4*math.Pi*Radius*Radius, 510065621.7e6, 1e-6) // of WGS 84
}

// TestSmallTrianglesAreSpherical: the area of small triangles is that of the triangle of great circles between the
// same corners, up to the third order in their size.
func TestSmallTrianglesAreSpherical(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	at := func(longitude, latitude float64) [3]float64 {
		return [3]float64{math.Cos(latitude*degree) * math.Cos(longitude*degree),
			math.Cos(latitude*degree) * math.Sin(longitude*degree), math.Sin(latitude * degree)}
	}
	dot := func(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
	for range 200 {
		size := .02 + rng.Float64()
		longitude, latitude := 360*rng.Float64()-180, 140*rng.Float64()-70
		var x, y [3]float64
		var p [3][3]float64
		for k := range 3 {
			turn := (float64(k) + .3*rng.Float64()) * 2 * math.Pi / 3
			x[k], y[k] = longitude+size*math.Cos(turn), latitude+size*math.Sin(turn)
			p[k] = at(x[k], y[k])
		}
		volume := p[0][0]*(p[1][1]*p[2][2]-p[1][2]*p[2][1]) - p[0][1]*(p[1][0]*p[2][2]-p[1][2]*p[2][0]) +
			p[0][2]*(p[1][0]*p[2][1]-p[1][1]*p[2][0])
		excess := 2 * math.Atan2(volume, 1+dot(p[0], p[1])+dot(p[1], p[2])+dot(p[2], p[0]))
		near(t, "area", Area(x, y), Radius*Radius*excess, 4*size*degree)
	}
}

// TestNormalsCloseUpToTheCurvature: the sum of the normals of a triangle's edges is to the south, and the integral of
// tan(latitude)/R over it, here by quadrature of the mean.
func TestNormalsCloseUpToTheCurvature(t *testing.T) {
	x, y := [3]float64{10, 12, 11}, [3]float64{50, 50.5, 52}
	var east, north float64
	for k := range x {
		n := (k + 1) % 3
		e, w := Edge(x[k], y[k], x[n], y[n])
		east, north = east+w, north-e
	}
	near(t, "to the east", 1+east, 1, 1e-9)
	mean := 0.0
	const pieces = 200
	var all float64
	for i := range pieces {
		for j := range pieces - i {
			a, b := (float64(i)+1./3)/pieces, (float64(j)+1./3)/pieces
			latitude := y[0] + a*(y[1]-y[0]) + b*(y[2]-y[0])
			weight := math.Cos(latitude * degree)
			mean, all = mean+weight*Curvature(latitude), all+weight
		}
	}
	near(t, "to the south", -north, mean/all*Area(x, y), 1e-3)
}

// TestDistances: known ones, and those of what is seen.
func TestDistances(t *testing.T) {
	near(t, "a quarter", Distance(0, 0, 90, 0), Radius*math.Pi/2, 1e-14)
	near(t, "over the pole", Distance(10, 60, 190, 60), Radius*math.Pi/3, 1e-14)
	near(t, "across 180", Distance(179.5, 10, -179.5, 10), Distance(-.5, 10, .5, 10), 1e-12)
	near(t, "1 m", Distance(100, 45, 100, 45+Degrees(1)), 1, 1e-8)
	east, north := Seen(0, 45, 90, 45)
	near(t, "bearing", math.Atan2(east, north), math.Atan2(1, math.Sin(45*degree)), 1e-14)
	east, north = Seen(-179, 60, 179, 60)
	near(t, "length", math.Hypot(east, north), Distance(-179, 60, 179, 60), 1e-14)
	if !(east < 0 && north > 0) {
		t.Errorf("what is 2° west is seen at (%g, %g)", east, north)
	}
	if east, north = Seen(3, 4, 3, 4); east != 0 || north != 0 {
		t.Errorf("the place itself is seen at (%g, %g)", east, north)
	}
	a, b := Vector(45, 3, 45, 3.001, 45.001)
	east, north = Seen(3, 45, 3.001, 45.001)
	near(t, "small, east", east, a, 1e-4)
	near(t, "small, north", north, b, 1e-4)
}

// TestNear: longitudes are the same up to circles.
func TestNear(t *testing.T) {
	for _, c := range [][3]float64{{-175, 180, 185}, {185, -170, -175}, {10, 20, 10}, {350, 0, -10}} {
		if got := Near(c[0], c[1]); got != c[2] {
			t.Errorf("%g near %g is %g, want %g", c[0], c[1], got, c[2])
		}
	}
}

// TestMercator: heights on the map and latitudes are inverse, and short lengths on the map are those on the earth times
// the scale, to the east and to the north.
func TestMercator(t *testing.T) {
	for _, latitude := range []float64{-89.9, -50, -1e-3, 0, 33.7, 60, 89.9} {
		y := Mercator(latitude)
		if back := Latitude(y); back != latitude {
			t.Errorf("latitude %g comes back as %.17g", latitude, back)
		}
		const step = 1e-4
		near(t, "the scale to the east", step/Distance(0, latitude, step, latitude), MercatorScale(y), 1e-6)
		near(t, "the scale to the north", (Mercator(latitude+step)-Mercator(latitude-step))/
			Distance(0, latitude-step, 0, latitude+step), MercatorScale(y), 1e-5)
	}
}
