package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Particle is a sphere that touches the interface from inside (R < 0) or from outside. Its position is in units of
// cells, its radius |R| is a length. A removed particle has R = 0.
type Particle[F num.Float] struct{ X, Y, Z, R F }

// Domain is the region of particles. A block owns those in the dual cells from Lo to Hi, which are half open, so that
// each particle has one owner. At a wall dual cells extend half a cell below the first centre, and those of the last
// cell end half a cell above its centre.
//
//atoll:constant
type Domain struct {
	Cells    [3]int32 // of the grid
	Periodic [3]bool
	Lo, Hi   [3]int32
	Dim      int32
}

// owns reports whether the block owns a cell.
func (d *Domain) owns(i, j, k int) bool {
	return i >= int(d.Lo[0]) && i < int(d.Hi[0]) && j >= int(d.Lo[1]) && j < int(d.Hi[1]) && k >= int(d.Lo[2]) &&
		k < int(d.Hi[2]) && i >= 0 && j >= 0 && k >= 0
}

// Removed counts particles that were removed.
type Removed struct {
	Left    int64 // the domain
	Deleted int64 // by reseeding
}

// Destinations of a particle in a step.
const (
	LeavesDomain int32 = iota // left the grid
	ChangesBlock              // belongs to another block
	StaysInBlock
)

// mostPeriods bounds how far a particle may be beyond a periodic axis. With few cells along it, the band in which
// particles are seeded and attracted is several periods wide.
const mostPeriods = 64

// wrapCoordinate wraps a coordinate around a periodic axis, and returns the destination of a particle there.
func wrapCoordinate[F num.Float](d *Domain, axis int, x F) (wrapped F, destination int32) {
	n := F(d.Cells[axis])
	if d.Periodic[axis] {
		for k := 0; k < mostPeriods && x < 0; k++ {
			x += n
		}
		for k := 0; k < mostPeriods && x >= n; k++ {
			x -= n
		}
		if !(x >= 0 && x < n) {
			return x, LeavesDomain
		}
	} else if !(x >= -0.5 && x < n-0.5) {
		return x, LeavesDomain
	}
	if !(x >= F(d.Lo[axis]) && x < F(d.Hi[axis])) {
		return x, ChangesBlock
	}
	return x, StaysInBlock
}

// AdvectParticle advects particle i by a second-order step in time, with periodic wrapping, and marks it with its
// destination: see Routes.
//
//atoll:kernel
func AdvectParticle[F num.Float](i int, s *Flow[F], d *Domain, r *Routes, clock *Clock[F], n *Removed, p []Particle[F],
	marks []uint8) {
	q := p[i]
	if q.R != 0 {
		q = s.advected(q, clock)
	}
	classify(i, q, d, r, n, p, marks)
}

// advected returns a particle at the end of a step.
func (s *Flow[F]) advected(q Particle[F], clock *Clock[F]) Particle[F] {
	u, v, w := s.velocity(q.X, q.Y, q.Z)
	u, v, w = s.velocity(q.X+clock.Half[0]*u, q.Y+clock.Half[1]*v, q.Z+clock.Half[2]*w)
	q.X, q.Y, q.Z = q.X+clock.Whole[0]*u, q.Y+clock.Whole[1]*v, q.Z+clock.Whole[2]*w
	return q
}

// AdvectAndCorrect combines, for particle i, UpdateRadius, with which a step begins, with AdvectParticle and Correct:
// before is the level set at the beginning of the step, after the advected one. If there are several blocks, it marks
// the particle with its destination, and particles that change blocks do not correct the level set yet.
//
//atoll:kernel several=false,true
func AdvectAndCorrect[F num.Float](i int, several bool, s *Flow[F], d *Domain, r *Routes, clock *Clock[F], n *Removed,
	before, after *Correction[F], minRadius, maxRadius F, p []Particle[F], bounds []Bounds[F], marks []uint8) {
	if several {
		marks[i] = 0
	}
	q := p[i]
	if q.R == 0 {
		return
	}
	q.R = before.radius(q, minRadius, maxRadius)
	q, destination := locate(s.advected(q, clock), d)
	if destination == LeavesDomain {
		atomic.AddInt64(&n.Left, 1)
		q.R = 0
	}
	p[i] = q
	if several && destination == ChangesBlock {
		marks[i] = markOf(q, r)
		return
	}
	if q.R != 0 {
		after.correct(q, bounds)
	}
}

// MarkLive marks the particles that have not been removed.
//
//atoll:kernel
func MarkLive[F num.Float](i int, p []Particle[F], marks []uint8) {
	marks[i] = 0
	if p[i].R != 0 {
		marks[i] = 1
	}
}

// ClassifyParticle performs the part of AdvectParticle after the advection.
//
//atoll:kernel
func ClassifyParticle[F num.Float](i int, d *Domain, r *Routes, n *Removed, p []Particle[F], marks []uint8) {
	classify(i, p[i], d, r, n, p, marks)
}

func classify[F num.Float](i int, q Particle[F], d *Domain, r *Routes, n *Removed, p []Particle[F], marks []uint8) {
	marks[i] = 0
	if q.R == 0 {
		return
	}
	q, destination := locate(q, d)
	if destination == LeavesDomain {
		atomic.AddInt64(&n.Left, 1)
		q.R = 0
	} else if destination == ChangesBlock {
		marks[i] = markOf(q, r)
	}
	p[i] = q
}

// staysAlong reports, for most particles of a block, that they need no wrapping along an axis and stay in the block.
func staysAlong[F num.Float](d *Domain, axis int, x F) bool {
	return x >= 0 && x >= F(d.Lo[axis]) && x < F(d.Hi[axis])-0.5
}

// locate wraps a particle around periodic axes, and returns its destination.
func locate[F num.Float](q Particle[F], d *Domain) (Particle[F], int32) {
	if staysAlong(d, 0, q.X) && staysAlong(d, 1, q.Y) && (d.Dim == 2 || staysAlong(d, 2, q.Z)) {
		return q, StaysInBlock
	}
	x, destination := wrapCoordinate(d, 0, q.X)
	y, axisDestination := wrapCoordinate(d, 1, q.Y)
	destination = num.Smaller(destination, axisDestination)
	z := q.Z
	if d.Dim == 3 {
		z, axisDestination = wrapCoordinate(d, 2, q.Z)
		destination = num.Smaller(destination, axisDestination)
	}
	q.X, q.Y, q.Z = x, y, z
	return q, destination
}

// Bounds are the bounds on the level set at a cell from escaped particles: those from outside raise Plus, those from
// inside lower Minus. Without any they have the values of ClearBounds.
type Bounds[F num.Float] struct{ Plus, Minus F }

const noBound = 0x1p120 // of a larger magnitude than any level set

// ClearBounds clears the bounds at index c of the arrays.
//
//atoll:kernel
func ClearBounds[F num.Float](c int, bounds []Bounds[F]) {
	bounds[c] = Bounds[F]{Plus: -noBound, Minus: noBound}
}

// Correction is a level set that particles correct.
//
//atoll:constant
type Correction[F num.Float] struct {
	Lattice Lattice[F]
	Escape  F   // a particle on the wrong side by more than this multiple of its radius has escaped
	Phi     []F // before any correction
}

// Correct computes bounds for the corners of the dual cell of particle i, if the particle has escaped, from their
// distances to its sphere. All particles use the same level set, and minima and maxima do not depend on the order.
//
//atoll:kernel
func Correct[F num.Float](i int, s *Correction[F], p []Particle[F], bounds []Bounds[F]) {
	q := p[i]
	if q.R == 0 {
		return
	}
	s.correct(q, bounds)
}

func (s *Correction[F]) correct(q Particle[F], bounds []Bounds[F]) {
	l := &s.Lattice
	a, fx := splitCoordinate(q.X)
	b, fy := splitCoordinate(q.Y)
	d, fz := splitCoordinate(q.Z)
	c := l.index(a, b, d)
	if !s.escaped(q.R, l.interpolate(s.Phi, c, fx, fy, fz)) {
		return
	}
	for number := range 1 << l.Dim {
		x, y, z := number&1, number>>1&1, number>>2
		corner := c + x + y*l.SY + z*l.SZ
		depth := l.depthInSphere(q.R, F(x)-fx, F(y)-fy, F(z)-fz)
		if q.R > 0 && depth > s.Phi[corner] {
			atomics.Max(&bounds[corner].Plus, depth)
		}
		if q.R < 0 && -depth < s.Phi[corner] {
			atomics.Min(&bounds[corner].Minus, 0-depth)
		}
	}
}

// depthInSphere returns the depth inside a particle's sphere of a position at an offset in units of cells; never -0.
func (l *Lattice[F]) depthInSphere(r, x, y, z F) F {
	x, y, z = x*l.H[0], y*l.H[1], z*l.H[2]
	return num.Abs(r) - num.Sqrt(x*x+y*y+z*z) + 0
}

// escaped reports whether a particle of signed radius r, where the level set is phi, is so far on the wrong side
// that it corrects the level set.
func (s *Correction[F]) escaped(r, phi F) bool {
	if r < 0 {
		return phi > -s.Escape*r
	}
	return -phi > s.Escape*r
}

// MergeReturned merges bounds that others have collected for a cell, or this block in a ghost across a period, into
// those of the cell: element from[i] of the array into element to[i], several perhaps into the same.
//
//atoll:kernel
func MergeReturned[F num.Float](i int, from, to []int32, bounds []Bounds[F]) {
	returned, cell := bounds[from[i]], &bounds[to[i]]
	if returned.Plus != -noBound {
		atomics.Max(&cell.Plus, returned.Plus)
	}
	if returned.Minus != noBound {
		atomics.Min(&cell.Minus, returned.Minus)
	}
}

// ApplyBounds ends a correction at cell (i, j, k), which may be a ghost next to the block: each
// bound alone limits the level set, and the result nearer to the interface is kept. The bounds are cleared.
//
//atoll:kernel
func ApplyBounds[F num.Float](i, j, k int, l *Lattice[F], d *Domain, bounds []Bounds[F], phi []F) {
	c := l.index(i, j, k)
	given := bounds[c]
	if given.Plus == -noBound && given.Minus == noBound {
		return
	}
	bounds[c] = Bounds[F]{Plus: -noBound, Minus: noBound}
	if !d.owns(i, j, k) {
		return
	}
	corrected := num.Smaller(given.Minus, phi[c])
	raised := num.Larger(given.Plus, phi[c])
	if num.Abs(raised) <= num.Abs(corrected) {
		corrected = raised
	}
	phi[c] = corrected
}

// UpdateRadius sets the radius of particle i so that it touches the interface, within limits. An escaped one gets the
// minimum.
//
//atoll:kernel
func UpdateRadius[F num.Float](i int, s *Correction[F], minRadius, maxRadius F, p []Particle[F]) {
	q := p[i]
	if q.R == 0 {
		return
	}
	q.R = s.radius(q, minRadius, maxRadius)
	p[i] = q
}

func (s *Correction[F]) phiAt(q Particle[F]) F {
	a, fx := splitCoordinate(q.X)
	b, fy := splitCoordinate(q.Y)
	d, fz := splitCoordinate(q.Z)
	return s.Lattice.interpolate(s.Phi, s.Lattice.index(a, b, d), fx, fy, fz)
}

func (s *Correction[F]) radius(q Particle[F], minRadius, maxRadius F) F {
	phi := s.phiAt(q)
	if q.R < 0 {
		return -num.Smaller(num.Larger(-phi, minRadius), maxRadius)
	}
	return num.Smaller(num.Larger(phi, minRadius), maxRadius)
}

// MarkEscaped marks the particles of a side that have escaped.
//
//atoll:kernel
func MarkEscaped[F num.Float](i int, s *Correction[F], inside bool, p []Particle[F], marks []uint8) {
	q := p[i]
	marks[i] = 0
	if q.R != 0 && (q.R < 0) == inside && s.escaped(q.R, s.phiAt(q)) {
		marks[i] = 1
	}
}

// Replicate writes the bounds that particle i sets at the corners of its dual cell consecutively, with their indices.
//
//atoll:kernel
func Replicate[F num.Float](i int, s *Correction[F], p []Particle[F], keys []uint32, order []int32, values []F) {
	q := p[i]
	l := &s.Lattice
	a, fx := splitCoordinate(q.X)
	b, fy := splitCoordinate(q.Y)
	d, fz := splitCoordinate(q.Z)
	c := l.index(a, b, d)
	for corner := range 1 << l.Dim {
		x, y, z := corner&1, corner>>1&1, corner>>2
		n := i<<l.Dim + corner
		keys[n], order[n] = uint32(c+x+y*l.SY+z*l.SZ), int32(n)
		values[n] = l.depthInSphere(q.R, F(x)-fx, F(y)-fy, F(z)-fz)
		if q.R < 0 {
			values[n] = 0 - values[n]
		}
	}
}

// RaisePlus raises Plus at the i-th of the cells with bounds from outside particles.
//
//atoll:kernel
func RaisePlus[F num.Float](i int, keys []uint32, values []F, bounds []Bounds[F]) {
	bounds[keys[i]].Plus = num.Larger(bounds[keys[i]].Plus, values[i])
}

// LowerMinus lowers Minus at the i-th of the cells with bounds from inside particles.
//
//atoll:kernel
func LowerMinus[F num.Float](i int, keys []uint32, values []F, bounds []Bounds[F]) {
	bounds[keys[i]].Minus = num.Smaller(bounds[keys[i]].Minus, values[i])
}
