package plic

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vector"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
)

// Moment returns the first moment of the fluid in the cell at index c about the cell's centre, in units of its sides
// and its volume; with other, that of the rest of the cell. The fluid in a mixed cell is below its plane.
func (s *Interface[F]) Moment(field []F, c int, other bool) (moment [3]float64) {
	f := float64(field[c])
	if !s.Rings && !s.Mixed(f) {
		return moment
	}
	first := s.partOf(field, c)
	whole := part{inner: first.inner}
	for axis := range s.Block.Grid.Dim {
		moment[axis] = f * (first.centre(axis) - .5)
		if other {
			moment[axis] = whole.centre(axis) - .5 - moment[axis]
		}
	}
	return moment
}

// partOf returns the part of a cell that the fluid fills, the whole cell if it is not mixed.
func (s *Interface[F]) partOf(field []F, c int) (p part) {
	if s.Mixed(float64(field[c])) {
		p.m, p.alpha = s.UnitPlane(field, c)
	}
	if s.Rings {
		inner := float64(s.inner(c))
		p.inner = &inner
	}
	return p
}

// part is the part of a unit cell below the plane m·ξ = α: all of it if m is 0. Of a ring, whose lower face across x
// has the radius *inner, volumes are weighted with the radius.
type part struct {
	m     [3]float64
	alpha float64
	inner *float64
}

// centre returns the centre along an axis: from the sizes of slices across it. Between the positions at which the plane
// leaves an edge of the cell they are polynomials, of second degree at most, for whose first moments Gauss's rule of
// two points is exact.
func (p *part) centre(axis int) float64 {
	a, b := p.m[(axis+1)%3], p.m[(axis+2)%3]
	ends := append(make([]float64, 0, 6), 0, 1)
	for _, corner := range [4]float64{0, a, b, a + b} {
		if at := (p.alpha - corner) / p.m[axis]; at > 0 && at < 1 {
			ends = append(ends, at)
		}
	}
	slices.Sort(ends)
	var size, moment float64
	for n, hi := range ends[1:] {
		lo := ends[n]
		for _, side := range [2]float64{-1, 1} {
			at := (lo+hi)/2 + side*(hi-lo)/(2*math.Sqrt(3))
			slice := (hi - lo) * p.slice(axis, at)
			size, moment = size+slice, moment+slice*at
		}
	}
	if size == 0 {
		return .5
	}
	return moment / size
}

// slice returns the size of the slice across an axis at a position.
func (p *part) slice(axis int, at float64) float64 {
	a, b, rest := p.m[(axis+1)%3], p.m[(axis+2)%3], p.alpha-p.m[axis]*at
	whole := vector.Dot(p.m, p.m) == 0 || a == 0 && b == 0 && rest >= 0
	length := 0.0
	switch {
	case whole:
		length = 1
	case a != 0 || b != 0:
		length = geom.Area(a, b, rest)
	}
	switch {
	case p.inner == nil:
		return length
	case axis == 0:
		return length * (*p.inner + at)
	case p.m[0] < 0: // the outer part of the slice
		return length * (*p.inner + 1 - length/2)
	}
	return length * (*p.inner + length/2)
}
