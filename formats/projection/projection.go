// Package projection converts positions in transverse Mercator projections, such as UTM, to longitudes and latitudes,
// and back.
package projection

import "math"

// Inverse converts a position in m to a longitude and a latitude in degrees.
type Inverse func(x, y float64) (longitude, latitude float64)

// Forward converts a longitude and a latitude in degrees to a position in m.
type Forward func(longitude, latitude float64) (x, y float64)

// grs80 is the ellipsoid of the systems below. That of WGS 84 differs by 0.1 mm.
const semiMajor, flattening = 6378137.0, 1 / 298.257222101

// Of returns the inverse of a projected coordinate reference system by its EPSG code: UTM on WGS 84 (326xx north, 327xx
// south), ETRS89 (25828 to 25838), NAD83 (26901 to 26923) and GDA94 (MGA, 28348 to 28358), and New Zealand's 2193. The
// systems on older ellipsoids are not known: their longitudes and latitudes differ by a shift of the datum.
func Of(code int) (to Inverse, ok bool) {
	p, ok := find(code)
	if !ok {
		return nil, false
	}
	return p.inverse(), true
}

// To returns the projection to a system that Of knows.
func To(code int) (to Forward, ok bool) {
	p, ok := find(code)
	if !ok {
		return nil, false
	}
	return p.forward(), true
}

// transverseMercator is a projection with a central meridian in degrees, the scale on it, and a false origin in m. It
// is computed by Krüger's series to third order in the third flattening (L. Krüger, "Konforme Abbildung des
// Erdellipsoids in der Ebene", 1912), whose error is below a millimetre within 3000 km of the meridian.
type transverseMercator struct{ meridian, scale, east, north float64 }

const third = flattening / (2 - flattening) // flattening

// radius returns that of the sphere with the same length of the meridian, times the scale, m.
func (p transverseMercator) radius() float64 {
	const n = third
	return p.scale * semiMajor / (1 + n) * (1 + n*n/4 + n*n*n*n/64)
}

// find returns the projection of a system.
func find(code int) (p transverseMercator, ok bool) {
	zone, south := 0, false
	switch {
	case code > 32600 && code <= 32660:
		zone = code - 32600
	case code > 32700 && code <= 32760:
		zone, south = code-32700, true
	case code >= 25828 && code <= 25838:
		zone = code - 25800
	case code >= 26901 && code <= 26923:
		zone = code - 26900
	case code >= 28348 && code <= 28358:
		zone, south = code-28300, true
	case code == 2193:
		return transverseMercator{173, .9996, 1.6e6, 1e7}, true
	default:
		return p, false
	}
	north := 0.0
	if south {
		north = 1e7
	}
	return transverseMercator{float64(6*zone - 183), .9996, 5e5, north}, true
}

func (p transverseMercator) inverse() Inverse {
	const n = third
	radius := p.radius()
	beta := [3]float64{n/2 - 2*n*n/3 + 37*n*n*n/96, n*n/48 + n*n*n/15, 17 * n * n * n / 480}
	delta := [3]float64{2*n - 2*n*n/3 - 2*n*n*n, 7*n*n/3 - 8*n*n*n/5, 56 * n * n * n / 15}
	return func(x, y float64) (longitude, latitude float64) {
		xi, eta := (y-p.north)/radius, (x-p.east)/radius
		xi0, eta0 := xi, eta
		for k, b := range beta {
			m := 2 * float64(k+1)
			xi0 -= b * math.Sin(m*xi) * math.Cosh(m*eta)
			eta0 -= b * math.Cos(m*xi) * math.Sinh(m*eta)
		}
		chi := math.Asin(math.Sin(xi0) / math.Cosh(eta0))
		phi := chi
		for k, d := range delta {
			phi += d * math.Sin(2*float64(k+1)*chi)
		}
		return p.meridian + math.Atan2(math.Sinh(eta0), math.Cos(xi0))*180/math.Pi, phi * 180 / math.Pi
	}
}

func (p transverseMercator) forward() Forward {
	const n = third
	radius, eccentricity := p.radius(), 2*math.Sqrt(n)/(1+n)
	alpha := [3]float64{n/2 - 2*n*n/3 + 5*n*n*n/16, 13*n*n/48 - 3*n*n*n/5, 61 * n * n * n / 240}
	return func(longitude, latitude float64) (x, y float64) {
		from, sine := (longitude-p.meridian)*math.Pi/180, math.Sin(latitude*math.Pi/180)
		conformal := math.Sinh(math.Atanh(sine) - eccentricity*math.Atanh(eccentricity*sine)) // tangent of a latitude
		xi := math.Atan2(conformal, math.Cos(from))
		eta := math.Asinh(math.Sin(from) / math.Hypot(conformal, math.Cos(from)))
		along, across := xi, eta
		for k, a := range alpha {
			m := 2 * float64(k+1)
			along += a * math.Sin(m*xi) * math.Cosh(m*eta)
			across += a * math.Cos(m*xi) * math.Sinh(m*eta)
		}
		return p.east + radius*across, p.north + radius*along
	}
}
