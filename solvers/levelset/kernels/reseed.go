package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Reseeding keeps the number of particles near the interface: Order lists those of the block dual cell after dual cell,
// and those of cell c are at Start[c] up to Start[c+1].
//
//atoll:constant
type Reseeding[F num.Float] struct {
	Seeding      Seeding[F]
	Escape       F
	Start, Order []int32
}

// DualCellOf returns the dual cell of the block that contains particle i: none if it is removed.
//
//atoll:kernel
func DualCellOf[F num.Float](i int, s *Seeding[F], p []Particle[F], cell []int32) {
	a, _ := splitCoordinate(p[i].X)
	b, _ := splitCoordinate(p[i].Y)
	c, _ := splitCoordinate(p[i].Z)
	cell[i] = int32(s.cell(a, b, c))
}

// ThinCell removes excess particles of dual cell (i, j, k), and counts missing ones: of each sign the cell has at most
// Each that have not escaped, and next to the interface that many. Those that stay are nearest to the interface
// relative to their radius; of equal ones that with the lower number. Escaped particles all stay, since they repair the
// level set where it has lost something. stays marks the rest; deficit is for both signs of a cell.
//
//atoll:kernel grain=64
func ThinCell[F num.Float](i, j, k int, r *Reseeding[F], n *Removed, p []Particle[F], id []int64,
	stays []uint8, lack []int32) {
	s := &r.Seeding
	cell := s.cell(i, j, k)
	lo, hi := int(r.Start[cell]), int(r.Start[cell+1])
	room := int32(0)
	if s.inBand(i, j, k) {
		room = s.Each
	}
	for sign := range 2 {
		count := int32(0)
		for at := lo; at < hi; at++ {
			if r.counts(p[r.Order[at]], sign == 1) {
				count++
			}
		}
		lack[2*cell+sign] = num.Larger(room-count, 0)
		for at := lo; at < hi; at++ {
			a := int(r.Order[at])
			if (p[a].R < 0) != (sign == 1) {
				continue
			}
			stays[a] = 1
			if count > room && r.counts(p[a], sign == 1) && r.before(p, id, lo, hi, a) >= room {
				stays[a] = 0
				atomic.AddInt64(&n.Deleted, 1)
			}
		}
	}
}

// counts reports whether a particle has a sign and has not escaped.
func (r *Reseeding[F]) counts(q Particle[F], inside bool) bool {
	_, escaped := r.depth(q)
	return (q.R < 0) == inside && !escaped
}

// depth returns the distance of a particle's sphere from the interface on its side, and whether it has escaped.
func (r *Reseeding[F]) depth(q Particle[F]) (depth F, escaped bool) {
	s := &r.Seeding
	a, fx := splitCoordinate(q.X)
	b, fy := splitCoordinate(q.Y)
	c, fz := splitCoordinate(q.Z)
	phi := s.Lattice.linear(s.Phi, s.Lattice.at(a, b, c), fx, fy, fz)
	if q.R < 0 {
		return q.R - phi, phi > -r.Escape*q.R
	}
	return phi - q.R, -phi > r.Escape*q.R
}

// before returns the number of particles of a cell, of the sign of one, that are preferred to it.
func (r *Reseeding[F]) before(p []Particle[F], id []int64, lo, hi, one int) int32 {
	depth, _ := r.depth(p[one])
	n := int32(0)
	for at := lo; at < hi; at++ {
		a := int(r.Order[at])
		if !r.counts(p[a], p[one].R < 0) {
			continue
		}
		d, _ := r.depth(p[a])
		if d < depth || d == depth && id[a] < id[one] {
			n++
		}
	}
	return n
}

// FillCell seeds the particles that dual cell (i, j, k) lacks. A particle that would end in another cell is dropped,
// so that none changes blocks.
//
//atoll:kernel grain=64
func FillCell[F num.Float](i, j, k int, s *Seeding[F], first, lack []int32, p []Particle[F], id []int64) {
	cell := s.cell(i, j, k)
	for sign := range int32(2) {
		at := 2*cell + int(sign)
		for n := range lack[at] {
			q := Particle[F]{R: s.Least}
			if sign == 1 {
				q.R = -s.Least
			}
			number := s.number(i, j, k, sign*s.Each+n)
			q = s.attract(q, i, j, k, number)
			a, _ := splitCoordinate(q.X)
			b, _ := splitCoordinate(q.Y)
			c, _ := splitCoordinate(q.Z)
			if a != i || b != j || c != k {
				q.R = 0
			}
			p[first[at]+n] = q
			id[first[at]+n] = number
		}
	}
}
