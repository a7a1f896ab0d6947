package curved

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
)

// Surface is the boundary of a mesh of tetrahedra near one of its vertices, by Axes coordinates of which none is beyond
// Reach: at (a, b) it is at aT + bU + a²P + abQ + b²R from the vertex. With one axis, on a ridge, U, Q and R are 0.
type Surface struct {
	Axes          int
	T, U, P, Q, R vector
	Reach         float64
}

// Surfaces reconstructs the boundary around the vertices that freedoms do not let slide, since the boundary is curved
// there; flat and straight neighbours that could leave their plane or line get a reach. Vertices at which the boundary
// turns by more than an angle, in degrees, in all directions stay, as do those where it cannot be told.
func Surfaces(s *mesh.Solid, free []mesh.Freedom, ridge float64) (map[int32]Surface, error) {
	x, err := newSkin(s, ridge)
	if err != nil {
		return nil, err
	}
	all := map[int32]Surface{}
	for v := range int32(len(free)) {
		if free[v].Axes > 0 || free[v].Held || len(x.fans[v]) == 0 {
			continue
		}
		var of Surface
		var ok bool
		switch ridges := x.ridgesAt(v); len(ridges) {
		case 0:
			of, ok = x.fitted(v)
		case 2:
			of, ok = x.along(v, ridges)
		}
		if ok {
			all[v] = of
		}
	}
	for v := range int32(len(free)) {
		if f := &free[v]; f.Axes == 1 || f.Axes == 2 && len(x.fans[v]) > 0 {
			if near := x.curvedBeside(v, f.Axes, all); near > 0 {
				all[v] = Surface{Axes: f.Axes, T: f.T[0], U: f.T[1], Reach: near}
			}
		}
	}
	return all, nil
}

// curvedBeside is how far a flat or straight vertex may go where it has neighbours on a curved part of the same surface
// or line; 0 where it has none.
func (x *skin) curvedBeside(v int32, axes int, curved map[int32]Surface) float64 {
	sum, n, beside := 0.0, 0, false
	for _, u := range x.ring(v) {
		if axes == 1 != x.ridges[edgeOf(u, v)] {
			continue
		}
		of, ok := curved[u]
		beside = beside || ok && of.Axes == axes && of.P != (vector{})
		sum += length(minus(x.at(u), x.at(v)))
		n++
	}
	if !beside {
		return 0
	}
	return sum / float64(n) * math.Sqrt(float64(1)/float64(axes))
}

// along is the boundary along a ridge.
func (x *skin) along(v int32, ridges []int32) (Surface, bool) {
	arc, ok := Through(x.at(ridges[0]), x.at(v), x.at(ridges[1]), x.turn)
	if !ok {
		return Surface{}, false
	}
	sees := false
	for k, u := range ridges {
		on := x.ridgesAt(u)
		if len(on) != 2 {
			continue
		}
		next := on[0]
		if next == v {
			next = on[1]
		}
		there, smooth := Through(x.at(v), x.at(u), x.at(next), x.turn)
		if k == 0 { // it goes on the other way
			there.Bend = times(-1, there.Bend)
		}
		switch {
		case !smooth: // a corner: nothing says that the curve goes on there
		case arc.Smooth(there.Bend, length(minus(x.at(u), x.at(v)))):
			sees = true
		default:
			return Surface{}, false
		}
	}
	return Surface{Axes: 1, T: arc.T, P: arc.B, Reach: min(-arc.Low, arc.High)}, sees
}

// fitted is the paraboloid that fits the vertices around one best: those next to it, and those across their edges,
// which count the less the farther they are.
func (x *skin) fitted(v int32) (Surface, bool) {
	n := x.normal(v)
	t := plane(n)
	p, ring := x.at(v), x.ring(v)
	mean := 0.0
	for _, u := range ring {
		mean += length(minus(x.at(u), p)) / float64(len(ring))
	}
	for _, f := range x.fans[v] { // those that look away from it
		if !(dot(n, x.normals[f]) > math.Cos(x.turn*math.Pi/180)) {
			return Surface{}, false
		}
	}
	local := func(u int32) (a, b, h float64) {
		d := minus(x.at(u), p)
		return dot(d, t[0]), dot(d, t[1]), dot(d, n)
	}
	var fit leastSquares
	for _, u := range slices.Concat(ring, x.across(v)) {
		a, b, h := local(u)
		far := (a*a + b*b) / (mean * mean)
		fit.add([unknowns]float64{a / mean, b / mean, a * a / (mean * mean), a * b / (mean * mean), b * b / (mean * mean)},
			h/mean, 1/((1+far)*(1+far)))
	}
	c, ok := fit.solve()
	if !ok {
		return Surface{}, false
	}
	off := 0.0
	for _, u := range ring {
		a, b, h := local(u)
		a, b = a/mean, b/mean
		off = max(off, math.Abs(h/mean-(c[0]*a+c[1]*b+c[2]*a*a+c[3]*a*b+c[4]*b*b)))
	}
	if !(off <= Tolerance) {
		return Surface{}, false
	}
	return Surface{Axes: 2, T: plus(t[0], c[0], n), U: plus(t[1], c[1], n), P: times(c[2]/mean, n),
		Q: times(c[3]/mean, n), R: times(c[4]/mean, n), Reach: mean * math.Sqrt(.5)}, true
}

// plane returns two directions at right angles to n, which has length 1, and to one another.
func plane(n vector) [2]vector {
	var axis vector
	k := 0
	for j := range 3 {
		if math.Abs(n[j]) < math.Abs(n[k]) {
			k = j
		}
	}
	axis[k] = 1
	t := plus(axis, -n[k], n)
	t = times(1/length(t), t)
	return [2]vector{t, cross(n, t)}
}
