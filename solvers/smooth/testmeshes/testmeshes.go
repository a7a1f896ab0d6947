// Package testmeshes makes meshes that are difficult to smooth: for any number n there is one in the plane and one in
// space, with slivers of qualities down to 1e-9, and a metric for each.
package testmeshes

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/atoll-hpc/atoll/internal/portable"
	"github.com/atoll-hpc/atoll/mesh"
)

// Single reports whether mesh n is for float32. It has no slivers that would be flat in that precision.
func Single(n int) bool { return n%8 == 7 }

// sliver is the approximate worst quality of mesh n; zeros is the number of zeros after the decimal point.
func sliver(n, zeros int) float64 {
	if Single(n) {
		zeros %= 4
	}
	return portable.Pow(10, -float64(zeros))
}

// Plane returns mesh n of the unit square, of 60 to 300 triangles.
func Plane(n int) (*mesh.Mesh, error) {
	return Triangles(60+40*(n%7), uint64(n), sliver(n, n%10))
}

// Space returns mesh n of the unit cube, of 162 to 750 tetrahedra. Those of even n have no slivers.
func Space(n int) (*mesh.Solid, error) {
	side := 3 + n%3
	if n%2 == 0 {
		return mesh.Cube(side, side, side, []float64{0, .14, .1, .16}[n/2%4], uint64(n+1))
	}
	return Tetrahedra(side, uint64(n), sliver(n, n/2%10))
}

// Triangles is an irregular mesh of the unit square in which some vertices are almost on an edge of the surrounding
// triangles, so that the worst quality is about the given one.
func Triangles(cells int, seed uint64, worst float64) (*mesh.Mesh, error) {
	m, err := mesh.Rectangle(0, 0, 1, 1, cells, seed)
	if err != nil {
		return nil, err
	}
	rings, err := m.Rings()
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	displaced := make([]bool, len(m.X))
	for v := range int32(len(m.X)) {
		ring := rings.Of(v)
		if rings.Class[v] != mesh.Interior || rng.IntN(8) > 0 ||
			slices.ContainsFunc(ring, func(u int32) bool { return displaced[u] }) {
			continue
		}
		k := rng.IntN(len(ring))
		a, b := ring[k], ring[(k+1)%len(ring)]
		x, y := (m.X[a]+m.X[b])/2, (m.Y[a]+m.Y[b])/2
		wasX, wasY, distance := m.X[v], m.Y[v], worst*portable.Exp(3*rng.Float64())
		m.X[v], m.Y[v] = x+distance*(wasX-x), y+distance*(wasY-y)
		displaced[v] = true
		for c, cell := range m.Cells {
			if slices.Contains(cell[:], v) && !(m.Area(c) > 0) {
				m.X[v], m.Y[v] = wasX, wasY
			}
		}
	}
	return m, nil
}

// Tetrahedra is a cube with `side` boxes along a side, in which some vertices are almost on a face of a surrounding
// tetrahedron, so that the worst quality is about the given one.
func Tetrahedra(side int, seed uint64, worst float64) (*mesh.Solid, error) {
	m, err := mesh.Cube(side, side, side, .1, 3)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	displaced := make([]bool, len(m.X))
	for c, cell := range m.Cells {
		k := rng.IntN(4)
		v, p := cell[k], m.At(cell[k])
		if min(p[0], p[1], p[2]) <= 0 || max(p[0], p[1], p[2]) >= 1 || rng.IntN(6) > 0 ||
			slices.ContainsFunc(cell[:], func(u int32) bool { return displaced[u] }) {
			continue
		}
		face, distance := m.FaceOpposite(int32(c), k), worst*portable.Exp(3*rng.Float64())
		var to [3]float64
		for axis := range to {
			for _, u := range face {
				to[axis] += m.At(u)[axis] / 3
			}
			to[axis] += distance * (p[axis] - to[axis])
		}
		m.X[v], m.Y[v], m.Z[v] = to[0], to[1], to[2]
		for other, at := range m.Cells {
			if slices.Contains(at[:], v) && !(m.Volume(other) > 0) {
				m.X[v], m.Y[v], m.Z[v] = p[0], p[1], p[2]
			}
		}
		displaced[v] = m.At(v) != p
	}
	return m, nil
}

// Kinds are the kinds of metrics.
var Kinds = [4]string{"uniform", "graded", "anisotropic", "turning"}

// Kind is the kind of metric n. All kinds occur with all kinds of meshes.
func Kind(n int) int { return (n + n/4 + n/16) % len(Kinds) }

// Metric returns the tensor m11, m12, m22 at a position, of metric n.
func Metric(n int) func(x, y float64) (float64, float64, float64) {
	return func(x, y float64) (float64, float64, float64) {
		h, k := .05, .05
		switch Kind(n) {
		case 1:
			h = .02 + .1*math.Hypot(x-.3, y-.4)
			k = h
		case 2:
			h = .02 + .15*math.Abs(x-.5)
		case 3:
			a, b, c := rotatedSizes(5*(x+y), h, .005)
			return a, b, c
		}
		return 1 / (h * h), 0, 1 / (k * k)
	}
}

// Metric3 returns the tensor m11, m12, m13, m22, m23, m33 at a position in space, of metric n.
func Metric3(n int) func(x, y, z float64) [6]float64 {
	return func(x, y, z float64) [6]float64 {
		h, k, l := .2, .2, .2
		switch Kind(n) {
		case 1:
			h = .05 + .15*math.Hypot(math.Hypot(x-.2, y-.2), z-.2)
			k, l = h, h
		case 2:
			h, l = .05+.3*math.Abs(x-.5), .1
		case 3:
			a, b, c := rotatedSizes(3*x+2*y-z, h, .1+.1*z)
			return [6]float64{a, 0, b, 1 / (.1 * .1), 0, c}
		}
		return [6]float64{1 / (h * h), 0, 0, 1 / (k * k), 0, 1 / (l * l)}
	}
}

// rotatedSizes returns the tensor of the sizes h and k along axes rotated by an angle.
func rotatedSizes(angle, h, k float64) (m11, m12, m22 float64) {
	s, c := math.Sincos(angle)
	a, b := 1/(h*h), 1/(k*k)
	return a*c*c + b*s*s, (a - b) * s * c, a*s*s + b*c*c
}
