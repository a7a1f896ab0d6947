package shape

import "math"

// otherAxes returns the other two axes.
func otherAxes(axis int) (int, int) { return (axis + 1) % 3, (axis + 2) % 3 }

// quadric is Σ ((x-c)/a)² ≤ 1. An axis with infinite a does not contribute.
type quadric struct{ c, a [3]float64 }

func (f *quadric) line(n *node, axis int, at *[3]float64) {
	p, q := otherAxes(axis)
	u, v := (at[p]-f.c[p])/f.a[p], (at[q]-f.c[q])/f.a[q]
	halfSquare := 1 - u*u - v*v // the square of half the chord, for a = 1
	switch {
	case !(halfSquare > 0):
	case math.IsInf(f.a[axis], 1):
		n.add(math.Inf(-1), math.Inf(1), 0, 0)
	default:
		half := f.a[axis] * math.Sqrt(halfSquare)
		n.add(f.c[axis]-half, f.c[axis]+half, n.surfaces[0], n.surfaces[0]+1)
	}
}

func (f *quadric) surface(int) any { return *f }

func (f *quadric) section(n *node, s *plane) {
	p, q, r := s.axes[0], s.axes[1], s.axes[2]
	w := (s.position - f.c[r]) / f.a[r]
	scale := (1 - w) * (1 + w)
	if !(scale > 0) {
		return
	}
	scale = math.Sqrt(scale)
	s.ellipse(n.surfaces[0], f.c[p], f.c[q], f.a[p]*scale, f.a[q]*scale)
}

func (f *quadric) extrema(_ *Cell, axis int, to []float64) []float64 {
	return append(to, f.c[axis]-f.a[axis], f.c[axis]+f.a[axis])
}

func (f *quadric) complete(int) bool { return true }

// cuboid is a box between two corners, whose coordinates may be infinite.
type cuboid struct{ lo, hi [3]float64 }

func (f *cuboid) line(n *node, axis int, at *[3]float64) {
	p, q := otherAxes(axis)
	if at[p] > f.lo[p] && at[p] < f.hi[p] && at[q] > f.lo[q] && at[q] < f.hi[q] {
		n.add(f.lo[axis], f.hi[axis], n.surfaces[2*axis], n.surfaces[2*axis+1])
	}
}

func (f *cuboid) section(_ *node, s *plane) {
	p, q, r := s.axes[0], s.axes[1], s.axes[2]
	if s.position > f.lo[r] && s.position < f.hi[r] {
		s.line(1, 0, f.lo[p])
		s.line(1, 0, f.hi[p])
		s.line(0, 1, f.lo[q])
		s.line(0, 1, f.hi[q])
	}
}

func (f *cuboid) extrema(_ *Cell, axis int, to []float64) []float64 {
	return append(to, f.lo[axis], f.hi[axis])
}

func (f *cuboid) complete(int) bool { return true }

func (f *cuboid) surface(k int) any {
	at := f.lo[k/2]
	if k%2 == 1 {
		at = f.hi[k/2]
	}
	m := [3]float64{}
	m[k/2] = 1
	return flat{m, at}
}

// flat is the plane x·m = at. The first non-zero component of m is positive, so that equal planes have equal values.
type flat struct {
	m  [3]float64
	at float64
}

// halfSpace is (x-o)·m ≤ 0.
type halfSpace struct{ o, m [3]float64 }

func (f *halfSpace) line(n *node, axis int, at *[3]float64) {
	p, q := otherAxes(axis)
	offset := (at[p]-f.o[p])*f.m[p] + (at[q]-f.o[q])*f.m[q]
	switch x := f.o[axis] - offset/f.m[axis]; {
	case f.m[axis] > 0:
		n.add(math.Inf(-1), x, 0, n.surfaces[0])
	case f.m[axis] < 0:
		n.add(x, math.Inf(1), n.surfaces[0], 0)
	case offset < 0:
		n.add(math.Inf(-1), math.Inf(1), 0, 0)
	}
}

func (f *halfSpace) section(_ *node, s *plane) {
	p, q, r := s.axes[0], s.axes[1], s.axes[2]
	s.line(f.m[p], f.m[q], f.m[p]*f.o[p]+f.m[q]*f.o[q]-(s.position-f.o[r])*f.m[r])
}

func (f *halfSpace) extrema(_ *Cell, axis int, to []float64) []float64 { return append(to, f.o[axis]) }

func (f *halfSpace) complete(int) bool { return true }

func (f *halfSpace) surface(int) any {
	s := flat{f.m, f.o[0]*f.m[0] + f.o[1]*f.m[1] + f.o[2]*f.m[2]}
	for _, part := range s.m {
		if part < 0 {
			return flat{[3]float64{0 - s.m[0], 0 - s.m[1], 0 - s.m[2]}, 0 - s.at}
		}
		if part > 0 {
			break
		}
	}
	return s
}

// torus has its axis along z.
type torus struct {
	c            [3]float64
	ring, radius float64
}

func (f *torus) line(n *node, axis int, at *[3]float64) {
	if axis == 2 {
		d := norm(at[0]-f.c[0], at[1]-f.c[1], 0) - f.ring
		if halfSquare := f.radius*f.radius - d*d; halfSquare > 0 { // the square of half the chord
			n.add(f.c[2]-math.Sqrt(halfSquare), f.c[2]+math.Sqrt(halfSquare), n.surfaces[0], n.surfaces[0]+1)
		}
		return
	}
	outer, inner := f.radiiAt(at[2])
	other := at[1-axis] - f.c[1-axis]
	outerSquare, innerSquare := outer*outer-other*other, inner*inner-other*other // squares of half the chords
	if !(outerSquare > 0) {
		return
	}
	x := f.c[axis]
	outerHalf := math.Sqrt(outerSquare)
	if !(innerSquare > 0) {
		n.add(x-outerHalf, x+outerHalf, n.surfaces[0], n.surfaces[0]+1)
		return
	}
	innerHalf := math.Sqrt(innerSquare)
	n.add(x-outerHalf, x-innerHalf, n.surfaces[0], n.surfaces[1])
	n.add(x+innerHalf, x+outerHalf, n.surfaces[1]+1, n.surfaces[0]+1)
}

// radiiAt returns the radii of the two circles between which the torus lies in the plane at z; both are 0 if the plane
// does not intersect it.
func (f *torus) radiiAt(z float64) (outer, inner float64) {
	z -= f.c[2]
	halfSquare := (f.radius - z) * (f.radius + z)
	if !(halfSquare > 0) {
		return 0, 0
	}
	return f.ring + math.Sqrt(halfSquare), max(0, f.ring-math.Sqrt(halfSquare))
}

func (f *torus) section(n *node, s *plane) {
	if s.axes[2] != 2 {
		return
	}
	outer, inner := f.radiiAt(s.position)
	p, q := f.c[s.axes[0]], f.c[s.axes[1]]
	s.ellipse(n.surfaces[0], p, q, outer, outer)
	s.ellipse(n.surfaces[1], p, q, inner, inner)
}

// extrema also appends the positions where the torus meets the edges of the cell along z, and its extrema in the sides
// of the cell.
func (f *torus) extrema(c *Cell, axis int, to []float64) []float64 {
	to = append(to, f.c[axis]-f.radius, f.c[axis]+f.radius)
	if f.radius > f.ring {
		z := math.Sqrt((f.radius - f.ring) * (f.radius + f.ring))
		to = append(to, f.c[axis]-z, f.c[axis]+z)
	}
	for _, x := range []float64{c.Lo[0], c.Lo[0] + c.H[0], f.c[0]} {
		for _, y := range []float64{c.Lo[1], c.Lo[1] + c.H[1], f.c[1]} {
			d := norm(x-f.c[0], y-f.c[1], 0) - f.ring
			if halfSquare := f.radius*f.radius - d*d; halfSquare > 0 {
				to = append(to, f.c[2]-math.Sqrt(halfSquare), f.c[2]+math.Sqrt(halfSquare))
			}
		}
	}
	return to
}

// surface distinguishes the outer and the inner circles of cross-sections.
func (f *torus) surface(k int) any {
	return struct {
		torus
		inner bool
	}{*f, k == 1}
}

func (f *torus) complete(axis int) bool { return axis == 2 }
