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

// Owner is the region of the particles of a peer, in cells, half open.
type Owner struct{ Lo, Hi [3]int32 }

// Routes are the regions of all peers. A particle that changes blocks is marked with the number of its peer plus 1, or
// with that of peers plus 1 if none owns it; the mark of others is 0.
//
//atoll:constant
type Routes struct{ Peers []Owner }

// markOf returns the mark of a particle that changes blocks.
func markOf[F num.Float](q Particle[F], r *Routes) uint8 {
	for k := range r.Peers {
		o := r.Peers[k]
		if q.X >= F(o.Lo[0]) && q.X < F(o.Hi[0]) && q.Y >= F(o.Lo[1]) && q.Y < F(o.Hi[1]) && q.Z >= F(o.Lo[2]) &&
			q.Z < F(o.Hi[2]) {
			return uint8(k + 1)
		}
	}
	return uint8(len(r.Peers) + 1)
}

// MostPeers bounds the number of peers, since marks are bytes.
const MostPeers = 254

// GroupSize is the largest number of particles in a group.
const GroupSize = 64

// Leaving are the particles of a block that are marked with a peer. They are counted, and then sorted by peer, in
// groups: group g has the particles g, g + Groups, g + 2·Groups and so on, so that neighbours in memory belong to
// neighbouring groups.
//
//atoll:constant
type Leaving struct {
	Particles, Groups int
	Peers             int     // including the one of particles that no peer owns
	Marks             []uint8 // of each particle
	// Starts has, by peer and then by group, the number of leaving particles, from which ExclusiveScan makes the index
	// of the first in the message.
	Starts []int32
}

// CountLeaving counts the particles of group g that leave, and adds their numbers to those of each peer.
//
//atoll:kernel
func CountLeaving(g int, l *Leaving, totals []int32) {
	for k := range l.Peers {
		l.Starts[k*l.Groups+g] = 0
	}
	for i := g; i < l.Particles; i += l.Groups {
		if mark := int(l.Marks[i]); mark != 0 {
			l.Starts[(mark-1)*l.Groups+g]++
		}
	}
	for k := range l.Peers {
		if n := l.Starts[k*l.Groups+g]; n != 0 {
			atomic.AddInt32(&totals[k], n)
		}
	}
}

// PackLeaving moves the particles of group g that leave to the message, and stores the places that become free.
//
//atoll:kernel
func PackLeaving[F num.Float](g int, l *Leaving, p []Particle[F], id []int64, out []Migrant[F], free []int32) {
	for i := g; i < l.Particles; i += l.Groups {
		if mark := int(l.Marks[i]); mark != 0 {
			at := (mark-1)*l.Groups + g
			j := l.Starts[at]
			l.Starts[at] = j + 1
			out[j] = Migrant[F]{P: p[i], ID: id[i]}
			free[j] = int32(i)
			p[i].R = 0
		}
	}
}

// Places are where received particles go: first to free places, then behind the last particle.
//
//atoll:constant
type Places struct {
	Free      []int32
	Count     int // of free places
	Particles int // number of particles
}

// UnpackMigrant puts migrant j among the particles of its block. If correcting, it corrects the level set after as
// AdvectAndCorrect does.
//
//atoll:kernel correcting=false,true
func UnpackMigrant[F num.Float](j int, correcting bool, s *Places, in []Migrant[F], p []Particle[F], id []int64,
	after *Correction[F], bounds []Bounds[F]) {
	i := s.Particles + j - s.Count
	if j < s.Count {
		i = int(s.Free[j])
	}
	migrant := in[j]
	p[i], id[i] = migrant.P, migrant.ID
	if correcting {
		after.correct(migrant.P, bounds)
	}
}
