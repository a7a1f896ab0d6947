package curved

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Surface is a paraboloid that approximates the boundary of a tetrahedral mesh near a vertex. For parameters a and b in
// [-Reach, Reach] its point is at aT + bU + a²P + abQ + b²R relative to the vertex. On a ridge there is one axis: b, U,
// Q and R are 0.
type Surface struct {
	Axes          int
	T, U, P, Q, R vector.Vector
	Reach         float64
}

// Surfaces reconstructs the boundary around the vertices that cannot slide because it is curved there, according to
// free, the result of s.Freedoms. ridge is the angle, in degrees, from which an edge is a ridge. Vertices of flat or
// straight parts with a neighbour on a curved part get a surface that limits their reach. Corners, and vertices whose
// neighbours do not agree on the shape of the boundary, get none.
func Surfaces(s *mesh.Solid, free []mesh.Freedom, ridge float64) (map[int32]Surface, error) {
	x, err := newSkin(s, ridge)
	if err != nil {
		return nil, err
	}
	found := map[int32]Surface{}
	for v := range int32(len(free)) {
		if free[v].Axes > 0 || free[v].Held || len(x.fans[v]) == 0 {
			continue
		}
		var surface Surface
		var ok bool
		switch ridges := x.ridgesAt(v); len(ridges) {
		case 0:
			surface, ok = x.fittedSurface(v)
		case 2:
			surface, ok = x.ridgeCurve(v, ridges)
		}
		if ok {
			found[v] = surface
		}
	}
	for v := range int32(len(free)) {
		if f := &free[v]; f.Axes == 1 || f.Axes == 2 && len(x.fans[v]) > 0 {
			if reach := x.reachBesideCurved(v, f.Axes, found); reach > 0 {
				found[v] = Surface{Axes: f.Axes, T: f.T[0], U: f.T[1], Reach: reach}
			}
		}
	}
	return found, nil
}

// reachBesideCurved is the reach of a vertex on a flat or straight part that has a neighbour on a curved part of
// the same surface or line; 0 if it has no such neighbour.
func (x *skin) reachBesideCurved(v int32, axes int, curved map[int32]Surface) float64 {
	sum, n, found := 0.0, 0, false
	for _, u := range x.ring(v) {
		if axes == 1 != x.ridges[edgeOf(u, v)] {
			continue
		}
		surface, ok := curved[u]
		found = found || ok && surface.Axes == axes && surface.P != (vector.Vector{})
		sum += vector.Length(vector.Minus(x.at(u), x.at(v)))
		n++
	}
	if !found {
		return 0
	}
	// With two axes the corners of the square of parameters are at the mean distance of the neighbours.
	return sum / float64(n) * math.Sqrt(float64(1)/float64(axes))
}

// ridgeCurve returns the arc of the boundary along the two ridges at v. ok is false if the neighbours on them do not
// agree with its curvature.
func (x *skin) ridgeCurve(v int32, ridges []int32) (curve Surface, ok bool) {
	arc, ok := NewArc(x.at(ridges[0]), x.at(v), x.at(ridges[1]), x.ridgeAngle)
	if !ok {
		return Surface{}, false
	}
	agree := false
	for k, u := range ridges {
		ends := x.ridgesAt(u)
		if len(ends) != 2 {
			continue
		}
		next := ends[0]
		if next == v {
			next = ends[1]
		}
		neighbour, smooth := NewArc(x.at(v), x.at(u), x.at(next), x.ridgeAngle)
		if k == 0 { // in the opposite direction along the ridge
			neighbour.Curvature = vector.Times(-1, neighbour.Curvature)
		}
		switch {
		case !smooth: // a corner, which says nothing of the curvature at v
		case arc.Agrees(neighbour.Curvature, vector.Length(vector.Minus(x.at(u), x.at(v)))):
			agree = true
		default:
			return Surface{}, false
		}
	}
	return Surface{Axes: 1, T: arc.T, P: arc.B, Reach: min(-arc.Low, arc.High)}, agree
}

// fittedSurface returns the paraboloid that fits the neighbours of v, and the vertices across the edges between
// them, with weights that decrease with distance. ok is false if the neighbours are not within Tolerance of it.
func (x *skin) fittedSurface(v int32) (surface Surface, ok bool) {
	n := x.normal(v)
	t := tangentDirections(n)
	p, ring := x.at(v), x.ring(v)
	mean := 0.0
	for _, u := range ring {
		mean += vector.Length(vector.Minus(x.at(u), p)) / float64(len(ring))
	}
	for _, f := range x.fans[v] { // faces that turn away from n by more than the angle of a ridge
		if !(vector.Dot(n, x.normals[f]) > math.Cos(x.ridgeAngle*math.Pi/180)) {
			return Surface{}, false
		}
	}
	local := func(u int32) (a, b, h float64) {
		d := vector.Minus(x.at(u), p)
		return vector.Dot(d, t[0]), vector.Dot(d, t[1]), vector.Dot(d, n)
	}
	var fit leastSquares
	for _, u := range slices.Concat(ring, x.across(v)) {
		a, b, h := local(u)
		distance2 := (a*a + b*b) / (mean * mean)
		fit.add([unknowns]float64{a / mean, b / mean, a * a / (mean * mean), a * b / (mean * mean), b * b / (mean * mean)},
			h/mean, 1/((1+distance2)*(1+distance2)))
	}
	c, ok := fit.solve()
	if !ok {
		return Surface{}, false
	}
	worst := 0.0
	for _, u := range ring {
		a, b, h := local(u)
		a, b = a/mean, b/mean
		worst = max(worst, math.Abs(h/mean-(c[0]*a+c[1]*b+c[2]*a*a+c[3]*a*b+c[4]*b*b)))
	}
	if !(worst <= Tolerance) {
		return Surface{}, false
	}
	return Surface{Axes: 2, T: vector.Plus(t[0], c[0], n), U: vector.Plus(t[1], c[1], n), P: vector.Times(c[2]/mean, n),
		Q: vector.Times(c[3]/mean, n), R: vector.Times(c[4]/mean, n),
		Reach: mean * math.Sqrt(.5)}, true // see reachBesideCurved
}

// tangentDirections returns two orthonormal directions normal to n, which has length 1.
func tangentDirections(n vector.Vector) [2]vector.Vector {
	var axis vector.Vector
	k := 0
	for j := range 3 {
		if math.Abs(n[j]) < math.Abs(n[k]) {
			k = j
		}
	}
	axis[k] = 1
	t := vector.Plus(axis, -n[k], n)
	t = vector.Times(1/vector.Length(t), t)
	return [2]vector.Vector{t, vector.Cross(n, t)}
}
