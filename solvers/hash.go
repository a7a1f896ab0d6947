package solvers

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
)

// HashVersion is the version of the definition of [Hash]. Version 1 was the SHA-256 of all bytes in the order of the
// keys.
const HashVersion = 2

// State is the part of the state that a rank owns on one space: for each entity a key and a fixed number of bytes.
type State struct {
	Owned int
	Key   func(i int) int64  // unique over all ranks
	Size  int                // bytes per entity
	Bytes func(i int) []byte // Size bytes of an entity
}

// StateOf returns the State that an array contains, with the i-th entity in element at(i).
func StateOf[T any](owned int, key func(i int) int64, values []T, at func(i int) int) State {
	var t T
	size := int(unsafe.Sizeof(t))
	return State{Owned: owned, Key: key, Size: size, Bytes: func(i int) []byte {
		return unsafe.Slice((*byte)(unsafe.Pointer(&values[at(i)])), size)
	}}
}

// Hash is the hash of a solver's state in hexadecimal: the sum modulo 2²⁵⁶, over the entities of a space, of
// SHA-256(key, bytes), with the key as 8 bytes in little-endian order. The hash of several spaces is the SHA-256 of
// their sums. A sum does not depend on the order of entities, keys may have gaps, and no rank gathers the state. All
// ranks call it and get the same result.
func Hash(ctx context.Context, comm dist.Comm, solver interface {
	State(ctx context.Context) ([]State, error)
}) (string, error) {
	spaces, err := solver.State(ctx)
	if err != nil {
		return "", err
	}
	own := make([]Digests, len(spaces))
	for i := range spaces {
		own[i] = spaces[i].sum()
	}
	return SumHash(ctx, comm, own)
}

// SumHash is the hash of a state from each rank's sums, one for each space. All ranks call it.
func SumHash(ctx context.Context, comm dist.Comm, own []Digests) (string, error) {
	sums := slices.Clone(own)
	for i := range own {
		limbs := own[i].limbs()
		if err := comm.AllreduceInt64(ctx, dist.Sum, limbs[:]); err != nil {
			return "", err
		}
		sums[i] = fromLimbs(limbs)
	}
	return HashOf(sums), nil
}

// HashOf returns the hash of a state from the sums over all ranks, one for each space.
func HashOf(spaces []Digests) string {
	sums := make([]byte, 0, len(spaces)*sha256.Size)
	for _, d := range spaces {
		for k := range d {
			sums = binary.BigEndian.AppendUint64(sums, d[len(d)-1-k])
		}
	}
	if len(spaces) != 1 {
		whole := sha256.Sum256(sums)
		sums = whole[:]
	}
	return hex.EncodeToString(sums)
}

// Digests is a sum of digests modulo 2²⁵⁶, the lowest 64 bits first.
type Digests [4]uint64

// sum returns the sum of digests of this rank's entities.
func (s *State) sum() Digests {
	const minEntities = 1 << 10 // entities per goroutine
	parts := parallel.Parts(s.Owned, minEntities)
	sums := make([]Digests, parts)
	parallel.Ranges(s.Owned, parts, func(part, lo, hi int) {
		sums[part] = s.digest(lo, hi)
	})
	for part := 1; part < parts; part++ {
		sums[0].Add(&sums[part])
	}
	return sums[0]
}

// digest returns the sum of digests of the entities lo to hi-1.
func (s *State) digest(lo, hi int) (sum Digests) {
	entity := make([]byte, 8+s.Size)
	for i := lo; i < hi; i++ {
		binary.LittleEndian.PutUint64(entity, uint64(s.Key(i)))
		copy(entity[8:], s.Bytes(i))
		d := sha256.Sum256(entity)
		sum.Add(&Digests{
			binary.BigEndian.Uint64(d[24:]), binary.BigEndian.Uint64(d[16:]),
			binary.BigEndian.Uint64(d[8:]), binary.BigEndian.Uint64(d[:]),
		})
	}
	return sum
}

// Add adds another sum.
func (d *Digests) Add(o *Digests) {
	var carry uint64
	for k := range d {
		d[k], carry = bits.Add64(d[k], o[k], carry)
	}
}

// limbs splits a sum into numbers of 32 bits, whose sums over all ranks do not overflow an int64.
func (d *Digests) limbs() [8]int64 {
	var l [8]int64
	for k, word := range d {
		l[2*k], l[2*k+1] = int64(word&(1<<32-1)), int64(word>>32)
	}
	return l
}

// fromLimbs propagates the carries of summed limbs; the inverse of limbs, modulo 2²⁵⁶.
func fromLimbs(limbs [8]int64) (d Digests) {
	var carry uint64
	for k, limb := range limbs {
		carry += uint64(limb)
		d[k/2] |= carry & (1<<32 - 1) << (32 * (k % 2))
		carry >>= 32
	}
	return d
}
