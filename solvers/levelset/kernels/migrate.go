package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Migrant is a particle that is sent to another block.
type Migrant[F num.Float] struct {
	P  Particle[F]
	ID int64
}

// Routes maps positions to the peer whose block owns them.
//
//atoll:constant
type Routes struct {
	Blocks [3]int32 // along each axis
	Cuts   []int32  // the first cells of blocks along x, then along y, then along z
	Peers  []int32  // of each block, x fastest: the index of its rank among the peers, or the number of peers
}

// RouteMigrant finds the peer that migrant j goes to.
//
//atoll:kernel
func RouteMigrant[F num.Float](j int, r *Routes, p []Particle[F], peer []int32) {
	q := p[j]
	x := blockOf(r, 0, 0, q.X)
	y := blockOf(r, 1, r.Blocks[0], q.Y)
	z := blockOf(r, 2, r.Blocks[0]+r.Blocks[1], q.Z)
	peer[j] = r.Peers[(z*r.Blocks[1]+y)*r.Blocks[0]+x]
}

// blockOf returns the index along an axis of the block that contains a coordinate. Particles below the first centre
// belong to the first block. first is the index in Cuts of the axis.
func blockOf[F num.Float](r *Routes, axis int, first int32, x F) int32 {
	k := int32(0)
	for k+1 < r.Blocks[axis] && x >= F(r.Cuts[first+k+1]) {
		k++
	}
	return k
}

// PackMigrant puts migrant order[j] at index j of the message.
//
//atoll:kernel
func PackMigrant[F num.Float](j int, order []int32, p []Particle[F], id []int64, out []Migrant[F]) {
	i := order[j]
	out[j] = Migrant[F]{P: p[i], ID: id[i]}
}

// UnpackMigrant puts migrant j among the particles of its block, and counts those that belong to another block.
//
//atoll:kernel
func UnpackMigrant[F num.Float](j int, d *Domain, in []Migrant[F], p []Particle[F], id, misplaced []int64) {
	migrant := in[j]
	p[j], id[j] = migrant.P, migrant.ID
	if _, destination := locate(migrant.P, d); destination != StaysInBlock {
		atomic.AddInt64(&misplaced[0], 1)
	}
}

// Owned reports whether a particle belongs to a block.
func Owned[F num.Float](d *Domain, p Particle[F]) bool {
	_, destination := locate(p, d)
	return destination == StaysInBlock
}
