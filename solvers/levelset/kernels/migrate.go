package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Traveller is a particle on its way to another block.
type Traveller[F num.Float] struct {
	P  Particle[F]
	ID int64
}

// Routes tells which peer has the block that a particle belongs to.
//
//atoll:constant
type Routes struct {
	Blocks [3]int32 // along each axis
	Cuts   []int32  // the first cells of blocks along x, then along y, then along z
	Peers  []int32  // of each block, along x first, the index of its rank among the peers, or how many these are
}

// Address finds the peer that leaver j goes to.
//
//atoll:kernel
func Address[F num.Float](j int, r *Routes, p []Particle[F], peer []int32) {
	q := p[j]
	x := part(r, 0, 0, q.X)
	y := part(r, 1, r.Blocks[0], q.Y)
	z := part(r, 2, r.Blocks[0]+r.Blocks[1], q.Z)
	peer[j] = r.Peers[(z*r.Blocks[1]+y)*r.Blocks[0]+x]
}

// part is the block along an axis that a coordinate is in. Dual cells before the first centre are the first block's.
func part[F num.Float](r *Routes, axis int, first int32, x F) int32 {
	k := int32(0)
	for k+1 < r.Blocks[axis] && x >= F(r.Cuts[first+k+1]) {
		k++
	}
	return k
}

// Board puts leaver order[j] at place j of what is sent.
//
//atoll:kernel
func Board[F num.Float](j int, order []int32, p []Particle[F], id []int64, out []Traveller[F]) {
	i := order[j]
	out[j] = Traveller[F]{P: p[i], ID: id[i]}
}

// Alight puts traveller j among the particles of its block, and counts those that are another's.
//
//atoll:kernel
func Alight[F num.Float](j int, d *Domain, in []Traveller[F], p []Particle[F], id, astray []int64) {
	t := in[j]
	p[j], id[j] = t.P, t.ID
	if _, where := arrived(t.P, d); where != Stays {
		atomic.AddInt64(&astray[0], 1)
	}
}

// Owned tells whether a particle belongs to a block.
func Owned[F num.Float](d *Domain, p Particle[F]) bool {
	_, where := arrived(p, d)
	return where == Stays
}
