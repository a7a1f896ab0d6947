package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Reseeding holds the parameters of reseeding, which restores the number of particles in the dual cells near the
// interface. Order lists the particles of the block by dual cell; those of cell c are Order[Start[c]:Start[c+1]].
//
//atoll:constant
type Reseeding[F num.Float] struct {
	Seeding      Seeding[F]
	Escape       F
	Start, Order []int32
}

// DualCellOf finds the dual cell of the block that contains particle i, which must not be removed.
//
//atoll:kernel
func DualCellOf[F num.Float](i int, s *Seeding[F], p []Particle[F], cell []int32) {
	a, _ := splitCoordinate(p[i].X)
	b, _ := splitCoordinate(p[i].Y)
	c, _ := splitCoordinate(p[i].Z)
	cell[i] = int32(s.cellNumber(a, b, c))
}

// ThinCell removes excess particles of dual cell (i, j, k), and counts missing ones: if it is near the interface,
// the cell keeps PerSign particles of each sign that have not escaped, otherwise none. The particles that stay are
// those whose spheres are nearest to the interface; of equal ones that with the lower number. Escaped particles all
// stay, since they correct the level set where it is wrong. stays marks the particles that stay; deficit holds a
// number for each sign of each cell.
//
//atoll:kernel grain=64
func ThinCell[F num.Float](i, j, k int, r *Reseeding[F], n *Removed, p []Particle[F], id []int64,
	stays []uint8, deficit []int32) {
	s := &r.Seeding
	cell := s.cellNumber(i, j, k)
	lo, hi := int(r.Start[cell]), int(r.Start[cell+1])
	target := int32(0)
	if s.inBand(i, j, k) {
		target = s.PerSign
	}
	for sign := range 2 {
		count := int32(0)
		for slot := lo; slot < hi; slot++ {
			if r.isOrdinary(p[r.Order[slot]], sign == 1) {
				count++
			}
		}
		deficit[2*cell+sign] = num.Larger(target-count, 0)
		for slot := lo; slot < hi; slot++ {
			candidate := int(r.Order[slot])
			if (p[candidate].R < 0) != (sign == 1) {
				continue
			}
			stays[candidate] = 1
			if count > target && r.isOrdinary(p[candidate], sign == 1) && r.countPreferred(p, id, lo, hi, candidate) >= target {
				stays[candidate] = 0
				atomic.AddInt64(&n.Deleted, 1)
			}
		}
	}
}

// isOrdinary reports whether a particle has a sign and has not escaped.
func (r *Reseeding[F]) isOrdinary(q Particle[F], inside bool) bool {
	_, escaped := r.clearance(q)
	return (q.R < 0) == inside && !escaped
}

// clearance returns the distance between a particle's sphere and the interface, positive on the particle's side,
// and whether the particle has escaped.
func (r *Reseeding[F]) clearance(q Particle[F]) (clearance F, escaped bool) {
	s := &r.Seeding
	a, fx := splitCoordinate(q.X)
	b, fy := splitCoordinate(q.Y)
	c, fz := splitCoordinate(q.Z)
	phi := s.Lattice.interpolate(s.Phi, s.Lattice.index(a, b, c), fx, fy, fz)
	if q.R < 0 {
		return q.R - phi, phi > -r.Escape*q.R
	}
	return phi - q.R, -phi > r.Escape*q.R
}

// countPreferred returns the number of particles of a cell, with the sign of a candidate, that are preferred to it.
func (r *Reseeding[F]) countPreferred(p []Particle[F], id []int64, lo, hi, candidate int) int32 {
	clearance, _ := r.clearance(p[candidate])
	n := int32(0)
	for slot := lo; slot < hi; slot++ {
		other := int(r.Order[slot])
		if !r.isOrdinary(p[other], p[candidate].R < 0) {
			continue
		}
		otherClearance, _ := r.clearance(p[other])
		if otherClearance < clearance || otherClearance == clearance && id[other] < id[candidate] {
			n++
		}
	}
	return n
}

// FillCell seeds the particles that are missing in dual cell (i, j, k). A particle that would end in another cell
// is dropped, so that none changes blocks.
//
//atoll:kernel grain=64
func FillCell[F num.Float](i, j, k int, s *Seeding[F], first, deficit []int32, p []Particle[F], id []int64) {
	cell := s.cellNumber(i, j, k)
	for sign := range int32(2) {
		entry := 2*cell + int(sign)
		for n := range deficit[entry] {
			q := Particle[F]{R: s.MinRadius}
			if sign == 1 {
				q.R = -s.MinRadius
			}
			number := s.particleNumber(i, j, k, sign*s.PerSign+n)
			q = s.attract(q, i, j, k, number)
			a, _ := splitCoordinate(q.X)
			b, _ := splitCoordinate(q.Y)
			c, _ := splitCoordinate(q.Z)
			if a != i || b != j || c != k {
				q.R = 0
			}
			p[first[entry]+n] = q
			id[first[entry]+n] = number
		}
	}
}
