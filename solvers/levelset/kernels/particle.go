package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Particle is a sphere that touches the interface: inside of it, which a negative R tells, or outside. Its position
// counts cells, its radius |R| is a length. R is 0 of one that is gone.
type Particle[F num.Float] struct{ X, Y, Z, R F }

// Domain is where particles may be. A block owns those in the dual cells from Lo up to Hi, which are half open, so
// that each particle has one owner. At a wall dual cells begin half a cell before the first centre, and those of the
// last cell end half a cell behind its centre.
//
//atoll:constant
type Domain struct {
	Cells    [3]int32 // of the grid
	Periodic [3]bool
	Lo, Hi   [3]int32
	Dim      int32
}

// owns tells whether a cell is the block's own.
func (d *Domain) owns(i, j, k int) bool {
	return i >= int(d.Lo[0]) && i < int(d.Hi[0]) && j >= int(d.Lo[1]) && j < int(d.Hi[1]) && k >= int(d.Lo[2]) &&
		k < int(d.Hi[2]) && i >= 0 && j >= 0 && k >= 0
}

// Gone counts particles that are no more.
type Gone struct {
	Left    int64 // the domain
	Deleted int64 // by reseeding
}

// Where a particle comes to.
const (
	Leaves int32 = iota // the domain
	Moves               // to another block
	Stays
)

// arrive brings a coordinate into the grid along a periodic axis, and tells where it is.
func arrive[F num.Float](d *Domain, axis int, x F) (at F, where int32) {
	n := F(d.Cells[axis])
	if d.Periodic[axis] {
		if x < 0 {
			x += n
		}
		if x >= n {
			x -= n
		}
	} else if !(x >= -0.5 && x < n-0.5) {
		return x, Leaves
	}
	if !(x >= F(d.Lo[axis]) && x < F(d.Hi[axis])) {
		return x, Moves
	}
	return x, Stays
}

// Carry takes particle i through a step of second order in time, and around the periods of the grid. stays and goes
// tell whether it is still the block's, or another one's.
//
//atoll:kernel
func Carry[F num.Float](i int, s *Flow[F], d *Domain, clock *Clock[F], n *Gone, p []Particle[F], stays, goes []uint8) {
	q := p[i]
	if q.R != 0 {
		q = s.carried(q, clock)
	}
	settled(i, q, d, n, p, stays, goes)
}

// carried is a particle after a step.
func (s *Flow[F]) carried(q Particle[F], clock *Clock[F]) Particle[F] {
	u, v, w := s.velocity(q.X, q.Y, q.Z)
	u, v, w = s.velocity(q.X+clock.Half[0]*u, q.Y+clock.Half[1]*v, q.Z+clock.Half[2]*w)
	q.X, q.Y, q.Z = q.X+clock.Whole[0]*u, q.Y+clock.Whole[1]*v, q.Z+clock.Whole[2]*w
	return q
}

// Pass does for particle i, in one go, what Resize does at the end of a step, and Carry and Correct in the next one,
// where no particle goes to other blocks: before is the level set that the step begins with, after what advection has
// made of it.
//
//atoll:kernel
func Pass[F num.Float](i int, s *Flow[F], d *Domain, clock *Clock[F], n *Gone, before, after *Correction[F],
	least, most F, p []Particle[F], near []Pair[F]) {
	q := p[i]
	if q.R == 0 {
		return
	}
	q.R = before.radius(q, least, most)
	q, where := arrived(s.carried(q, clock), d)
	if where == Leaves {
		atomic.AddInt64(&n.Left, 1)
		q.R = 0
	}
	p[i] = q
	if q.R != 0 {
		after.correct(q, near)
	}
}

// Live marks the particles that are not gone.
//
//atoll:kernel
func Live[F num.Float](i int, p []Particle[F], stays []uint8) {
	stays[i] = 0
	if p[i].R != 0 {
		stays[i] = 1
	}
}

// Settle does for particle i what Carry does where it arrives.
//
//atoll:kernel
func Settle[F num.Float](i int, d *Domain, n *Gone, p []Particle[F], stays, goes []uint8) {
	settled(i, p[i], d, n, p, stays, goes)
}

func settled[F num.Float](i int, q Particle[F], d *Domain, n *Gone, p []Particle[F], stays, goes []uint8) {
	stays[i], goes[i] = 0, 0
	if q.R == 0 {
		return
	}
	q, where := arrived(q, d)
	if where == Leaves {
		atomic.AddInt64(&n.Left, 1)
		q.R = 0
	} else if where == Moves {
		goes[i] = 1
	} else {
		stays[i] = 1
	}
	p[i] = q
}

// arrived brings a particle into the grid along periodic axes, and tells where it is.
func arrived[F num.Float](q Particle[F], d *Domain) (Particle[F], int32) {
	x, worst := arrive(d, 0, q.X)
	y, where := arrive(d, 1, q.Y)
	worst = num.Smaller(worst, where)
	z := q.Z
	if d.Dim == 3 {
		z, where = arrive(d, 2, q.Z)
		worst = num.Smaller(worst, where)
	}
	q.X, q.Y, q.Z = x, y, z
	return q, worst
}

// Pair is what escaped particles tell of the level set at a cell: those from outside raise Plus, those from inside
// lower Minus. Where none has told anything it is that of Nothing.
type Pair[F num.Float] struct{ Plus, Minus F }

const beyond = 0x1p120 // any level set

// Nothing clears what is told of place c of the arrays.
//
//atoll:kernel
func Nothing[F num.Float](c int, near []Pair[F]) { near[c] = Pair[F]{Plus: -beyond, Minus: beyond} }

// Correction is what particles correct.
//
//atoll:constant
type Correction[F num.Float] struct {
	Lattice Lattice[F]
	Escape  F   // how many radii a particle is on the wrong side when it has escaped
	Phi     []F // as it was before any correction
}

// Correct lets particle i, where it has escaped, tell the corners of its dual cell how far they are from its sphere.
// All particles look at the same level set, and minima and maxima have no order.
//
//atoll:kernel
func Correct[F num.Float](i int, s *Correction[F], p []Particle[F], near []Pair[F]) {
	q := p[i]
	if q.R == 0 {
		return
	}
	s.correct(q, near)
}

func (s *Correction[F]) correct(q Particle[F], near []Pair[F]) {
	l := &s.Lattice
	a, fx := split(q.X)
	b, fy := split(q.Y)
	d, fz := split(q.Z)
	c := l.at(a, b, d)
	if !s.escaped(q.R, l.linear(s.Phi, c, fx, fy, fz)) {
		return
	}
	for corner := range 1 << l.Dim {
		x, y, z := corner&1, corner>>1&1, corner>>2
		at := c + x + y*l.SY + z*l.SZ
		in := l.within(q.R, F(x)-fx, F(y)-fy, F(z)-fz)
		if q.R > 0 && in > s.Phi[at] {
			atomics.Max(&near[at].Plus, in)
		}
		if q.R < 0 && -in < s.Phi[at] {
			atomics.Min(&near[at].Minus, 0-in)
		}
	}
}

// within is how far a place is within the sphere of a particle, from which it is some parts of a cell away; never -0.
func (l *Lattice[F]) within(r, x, y, z F) F {
	x, y, z = x*l.H[0], y*l.H[1], z*l.H[2]
	return num.Abs(r) - num.Sqrt(x*x+y*y+z*z) + 0
}

// escaped tells whether a particle is so far on the wrong side, where the level set is phi, that it corrects it.
func (s *Correction[F]) escaped(r, phi F) bool {
	if r < 0 {
		return phi > -s.Escape*r
	}
	return -phi > s.Escape*r
}

// Take gives cell (i, j, k) what the next rank gathered for it, which has come to the ghost below along an axis.
//
//atoll:kernel
func Take[F num.Float](i, j, k int, l *Lattice[F], stride int, near []Pair[F]) {
	c := l.at(i, j, k)
	near[c] = Pair[F]{Plus: num.Larger(near[c].Plus, near[c-stride].Plus),
		Minus: num.Smaller(near[c].Minus, near[c-stride].Minus)}
}

// Merge ends a correction at cell (i, j, k), which may be a ghost next to the block: of what is told and the level set
// as it was, the value nearer to the interface counts. What is told is cleared.
//
//atoll:kernel
func Merge[F num.Float](i, j, k int, l *Lattice[F], d *Domain, near []Pair[F], phi []F) {
	c := l.at(i, j, k)
	told := near[c]
	if told.Plus == -beyond && told.Minus == beyond {
		return
	}
	near[c] = Pair[F]{Plus: -beyond, Minus: beyond}
	if !d.owns(i, j, k) {
		return
	}
	v := num.Smaller(told.Minus, phi[c])
	plus := num.Larger(told.Plus, phi[c])
	if num.Abs(plus) <= num.Abs(v) {
		v = plus
	}
	phi[c] = v
}

// Resize gives particle i the radius with which it touches the interface, within bounds. One that has escaped gets the
// least.
//
//atoll:kernel
func Resize[F num.Float](i int, s *Correction[F], least, most F, p []Particle[F]) {
	q := p[i]
	if q.R == 0 {
		return
	}
	q.R = s.radius(q, least, most)
	p[i] = q
}

func (s *Correction[F]) at(q Particle[F]) F {
	a, fx := split(q.X)
	b, fy := split(q.Y)
	d, fz := split(q.Z)
	return s.Lattice.linear(s.Phi, s.Lattice.at(a, b, d), fx, fy, fz)
}

func (s *Correction[F]) radius(q Particle[F], least, most F) F {
	phi := s.at(q)
	if q.R < 0 {
		return -num.Smaller(num.Larger(-phi, least), most)
	}
	return num.Smaller(num.Larger(phi, least), most)
}

// Escapes marks the particles of a side that have escaped.
//
//atoll:kernel
func Escapes[F num.Float](i int, s *Correction[F], inside bool, p []Particle[F], marks []uint8) {
	q := p[i]
	marks[i] = 0
	if q.R != 0 && (q.R < 0) == inside && s.escaped(q.R, s.at(q)) {
		marks[i] = 1
	}
}

// Replicate writes what particle i tells the corners of its dual cell, one after the other, and their places.
//
//atoll:kernel
func Replicate[F num.Float](i int, s *Correction[F], p []Particle[F], keys []uint32, order []int32, values []F) {
	q := p[i]
	l := &s.Lattice
	a, fx := split(q.X)
	b, fy := split(q.Y)
	d, fz := split(q.Z)
	c := l.at(a, b, d)
	for corner := range 1 << l.Dim {
		x, y, z := corner&1, corner>>1&1, corner>>2
		n := i<<l.Dim + corner
		keys[n], order[n] = uint32(c+x+y*l.SY+z*l.SZ), int32(n)
		values[n] = l.within(q.R, F(x)-fx, F(y)-fy, F(z)-fz)
		if q.R < 0 {
			values[n] = 0 - values[n]
		}
	}
}

// Raise gives the i-th of the cells that outside particles tell something the most of it.
//
//atoll:kernel
func Raise[F num.Float](i int, keys []uint32, values []F, near []Pair[F]) {
	near[keys[i]].Plus = num.Larger(near[keys[i]].Plus, values[i])
}

// Lower gives the i-th of the cells that inside particles tell something the least of it.
//
//atoll:kernel
func Lower[F num.Float](i int, keys []uint32, values []F, near []Pair[F]) {
	near[keys[i]].Minus = num.Smaller(near[keys[i]].Minus, values[i])
}
