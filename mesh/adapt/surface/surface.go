// Package surface has the surfaces of a mesh of tetrahedra as it was read: boundaries and interfaces, smooth between
// ridges. Vertices of a mesh that changes are projected on them, so that deviations do not add up.
package surface

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// Face is a triangle of a surface. The surface over it is
//
//	S(λ) = x + ½ Σ λᵢ ((vᵢ - x)·nᵢ) nᵢ  with  x = Σ λᵢ vᵢ,
//
// between the triangle and its projections on the tangent planes at its vertices (T. Boubekeur and M. Alexa, "Phong
// tessellation", ACM Trans. Graph. 27 (2008) 141, with the factor ½, for which it is exact for paraboloids).
type Face struct {
	At      [3]measure.Vector
	Normals [3]measure.Vector // of the surface at the vertices, of length 1 and either sign
	Kind    int32             // of the facet
	flat    bool
	normal  measure.Vector
}

// Surface finds the nearest points of faces.
type Surface struct {
	faces  []Face
	low    measure.Vector
	per    float64 // boxes per length
	n      [3]int
	start  []int32
	inside []int32
}

// flatness is the largest difference of 1 from the cosine between normals of a flat face.
const flatness = 1e-12

// New returns the surface of faces.
func New(faces []Face) *Surface {
	s := &Surface{faces: faces, n: [3]int{1, 1, 1}}
	if len(faces) == 0 {
		return s
	}
	low, high := faces[0].At[0], faces[0].At[0]
	edge := 0.0
	for i := range faces {
		f := &faces[i]
		u, v := measure.Sub(&f.At[1], &f.At[0]), measure.Sub(&f.At[2], &f.At[0])
		f.normal = unit(measure.Cross(&u, &v))
		f.flat = true
		for k := range 3 {
			if measure.Dot(&f.normal, &f.Normals[k]) < 0 {
				f.Normals[k] = measure.Vector{-f.Normals[k][0], -f.Normals[k][1], -f.Normals[k][2]}
			}
			f.flat = f.flat && math.Abs(measure.Dot(&f.normal, &f.Normals[k])) > 1-flatness
			for axis := range 3 {
				low[axis], high[axis] = min(low[axis], f.At[k][axis]), max(high[axis], f.At[k][axis])
			}
		}
		edge += math.Sqrt(measure.Dot(&u, &u)) / float64(len(faces))
	}
	s.low, s.per = low, 1/edge
	for axis := range 3 {
		s.n[axis] = min(max(1, int((high[axis]-low[axis])*s.per)+1), 1024)
	}
	s.start = make([]int32, s.n[0]*s.n[1]*s.n[2]+1)
	s.each(func(box int, _ int32) { s.start[box+1]++ })
	for b := range s.start[1:] {
		s.start[b+1] += s.start[b]
	}
	s.inside = make([]int32, s.start[len(s.start)-1])
	next := slices.Clone(s.start)
	s.each(func(box int, f int32) {
		s.inside[next[box]] = f
		next[box]++
	})
	return s
}

// Faces returns the faces, of which New makes the same surface.
func (s *Surface) Faces() []Face { return s.faces }

// Flat reports whether all faces are flat.
func (s *Surface) Flat() bool {
	return !slices.ContainsFunc(s.faces, func(f Face) bool { return !f.flat })
}

func unit(v measure.Vector) measure.Vector {
	l := math.Sqrt(measure.Dot(&v, &v))
	return measure.Vector{v[0] / l, v[1] / l, v[2] / l}
}

func (s *Surface) box(axis int, x float64) int {
	return min(s.n[axis]-1, max(0, int((x-s.low[axis])*s.per)))
}

// each calls found with the boxes that the box around each face overlaps.
func (s *Surface) each(found func(box int, face int32)) {
	for i := range s.faces {
		var from, to [3]int
		for axis := range 3 {
			a := &s.faces[i].At
			from[axis] = s.box(axis, min(a[0][axis], a[1][axis], a[2][axis]))
			to[axis] = s.box(axis, max(a[0][axis], a[1][axis], a[2][axis]))
		}
		for z := from[2]; z <= to[2]; z++ {
			for y := from[1]; y <= to[1]; y++ {
				for x := from[0]; x <= to[0]; x++ {
					found((z*s.n[1]+y)*s.n[0]+x, int32(i))
				}
			}
		}
	}
}

// Nearest returns the point of the surface over the face of a kind that is nearest to p, and the normal there, of
// either sign. ok is false if there is no such face. Of equally near faces the first counts.
func (s *Surface) Nearest(p *measure.Vector, kind int32) (q, normal measure.Vector, ok bool) {
	best, nearest := math.Inf(1), int32(-1)
	var weights [3]float64
	at, margin := s.boxOf(p)
	for ring, last := 0, max(s.n[0], s.n[1], s.n[2]); ring <= last; ring++ {
		s.eachInRing(at, ring, func(i int32) {
			f := &s.faces[i]
			if f.Kind != kind {
				return
			}
			if w, d := f.nearest(p); d < best {
				best, nearest, weights = d, i, w
			}
		})
		// Faces that overlap no box so far are at least this far away.
		if reach := (float64(ring) + margin) / s.per; nearest >= 0 && best <= reach*reach {
			last = ring
		}
	}
	if nearest < 0 {
		return *p, normal, false
	}
	q, normal = s.faces[nearest].at(p, &weights)
	return q, normal, true
}

// boxOf returns the box of a position, or that nearest to it, and how far the position is from the boxes around that,
// in lengths of a box.
func (s *Surface) boxOf(p *measure.Vector) (at [3]int, margin float64) {
	margin = 1
	for axis := range 3 {
		at[axis] = s.box(axis, p[axis])
		inside := (p[axis]-s.low[axis])*s.per - float64(at[axis])
		if at[axis] > 0 {
			margin = min(margin, inside)
		}
		if at[axis] < s.n[axis]-1 {
			margin = min(margin, 1-inside)
		}
	}
	return at, max(0, margin)
}

// eachInRing calls visit with the faces in the boxes at a distance from a box.
func (s *Surface) eachInRing(at [3]int, ring int, visit func(i int32)) {
	for z := max(0, at[2]-ring); z <= min(s.n[2]-1, at[2]+ring); z++ {
		for y := max(0, at[1]-ring); y <= min(s.n[1]-1, at[1]+ring); y++ {
			step := 1
			if z != at[2]-ring && z != at[2]+ring && y != at[1]-ring && y != at[1]+ring {
				step = max(1, 2*ring) // the ends of the row alone
			}
			for x := at[0] - ring; x <= at[0]+ring; x += step {
				if x < 0 || x >= s.n[0] {
					continue
				}
				b := (z*s.n[1]+y)*s.n[0] + x
				for _, i := range s.inside[s.start[b]:s.start[b+1]] {
					visit(i)
				}
			}
		}
	}
}

// at returns the point of the surface with barycentric coordinates w, and the normal there. On a flat face it is p.
func (f *Face) at(p *measure.Vector, w *[3]float64) (q, normal measure.Vector) {
	if f.flat {
		return *p, f.normal
	}
	var x measure.Vector
	for k := range 3 {
		for i := range 3 {
			x[i] += w[k] * f.At[k][i]
			normal[i] += w[k] * f.Normals[k][i]
		}
	}
	q = x
	for k := range 3 {
		d := measure.Sub(&f.At[k], &x)
		h := 0.5 * w[k] * measure.Dot(&d, &f.Normals[k])
		for i := range 3 {
			q[i] += h * f.Normals[k][i]
		}
	}
	return q, unit(normal)
}

// nearest returns the barycentric coordinates of the point of the triangle nearest to p, and the square of the
// distance.
func (f *Face) nearest(p *measure.Vector) (w [3]float64, distance float64) {
	u, v, d := measure.Sub(&f.At[1], &f.At[0]), measure.Sub(&f.At[2], &f.At[0]), measure.Sub(p, &f.At[0])
	a, b, c := measure.Dot(&u, &u), measure.Dot(&u, &v), measure.Dot(&v, &v)
	r, t := measure.Dot(&u, &d), measure.Dot(&v, &d)
	det := a*c - b*b
	w[1], w[2] = (c*r-b*t)/det, (a*t-b*r)/det
	w[0] = 1 - w[1] - w[2]
	if min(w[0], w[1], w[2]) >= 0 {
		h := measure.Dot(&d, &f.normal)
		return w, h * h
	}
	distance = math.Inf(1)
	for k := range 3 { // on an edge
		i, j := (k+1)%3, (k+2)%3
		e, g := measure.Sub(&f.At[j], &f.At[i]), measure.Sub(p, &f.At[i])
		s := min(1, max(0, measure.Dot(&e, &g)/measure.Dot(&e, &e)))
		for axis := range 3 {
			g[axis] -= s * e[axis]
		}
		if l := measure.Dot(&g, &g); l < distance {
			distance, w = l, [3]float64{}
			w[i], w[j] = 1-s, s
		}
	}
	return w, distance
}
