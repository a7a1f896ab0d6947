package solvers

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/partition"
)

// State is what the entities that a rank owns hold: plain numbers that the next steps follow from.
type State struct {
	Owned int
	Key   func(i int) int64  // of all ranks 0 to n-1, each once
	Size  int                // bytes of an entity
	Bytes func(i int) []byte // so many
}

// StateOf is what an array holds of entities; at is where in it the i-th is.
func StateOf[T any](owned int, key func(i int) int64, values []T, at func(i int) int) State {
	var t T
	size := int(unsafe.Sizeof(t))
	return State{Owned: owned, Key: key, Size: size, Bytes: func(i int) []byte {
		return unsafe.Slice((*byte)(unsafe.Pointer(&values[at(i)])), size)
	}}
}

// run is a number of entities of one rank with keys that follow each other.
type run struct{ first, count uint64 }

const runSize = 16

// Hash returns the SHA-256 of the bytes of all entities in the order of their keys, in hexadecimal. It gathers them in
// pieces of that order, so that no rank ever holds them all. All ranks call it and get the same.
func Hash(ctx context.Context, comm dist.Comm, s State) (string, error) {
	at, key := s.sorted()
	total := []int64{0}
	if s.Owned > 0 {
		total[0] = key(s.Owned-1) + 1
	}
	if err := comm.AllreduceInt64(ctx, dist.Max, total); err != nil {
		return "", err
	}
	piece := min(total[0], int64(max(1, 4<<20/s.Size)))
	sum, whole := sha256.New(), make([]byte, piece*int64(s.Size))
	var mine []byte
	next := 0
	for base := int64(0); base < total[0]; base += piece {
		end := min(base+piece, total[0])
		mine = mine[:0]
		for next < s.Owned && key(next) < end {
			r := run{first: uint64(key(next) - base)}
			head := len(mine)
			mine = append(mine, make([]byte, runSize)...)
			for ; next < s.Owned && key(next) == base+int64(r.first+r.count) && key(next) < end; next++ {
				mine = append(mine, s.Bytes(at(next))...)
				r.count++
			}
			binary.LittleEndian.PutUint64(mine[head:], r.first)
			binary.LittleEndian.PutUint64(mine[head+8:], r.count)
		}
		all, err := comm.Gatherv(ctx, 0, mine)
		if err != nil {
			return "", err
		}
		if comm.Rank() != 0 {
			continue
		}
		if err := place(whole[:int(end-base)*s.Size], s.Size, all); err != nil {
			return "", err
		}
		sum.Write(whole[:int(end-base)*s.Size])
	}
	digest := sum.Sum(nil)
	if err := comm.Bcast(ctx, 0, digest); err != nil {
		return "", err
	}
	return hex.EncodeToString(digest), nil
}

// sorted gives, in the order of their keys, which entity is the n-th, and its key.
func (s *State) sorted() (at func(n int) int, key func(n int) int64) {
	ascending := true
	for i := 1; i < s.Owned && ascending; i++ {
		ascending = s.Key(i-1) < s.Key(i)
	}
	if ascending {
		return func(n int) int { return n }, s.Key
	}
	order, keys := make([]int32, s.Owned), make([]uint64, s.Owned)
	for i := range order {
		order[i], keys[i] = int32(i), uint64(s.Key(i))
	}
	partition.SortByKey(keys, order)
	return func(n int) int { return int(order[n]) }, func(n int) int64 { return int64(keys[n]) }
}

// place puts the runs of all ranks where they belong in a piece, which they must fill.
func place(piece []byte, size int, all [][]byte) error {
	room := uint64(len(piece) / size)
	found := uint64(0)
	for rank, part := range all {
		for len(part) > 0 {
			if len(part) < runSize {
				return fmt.Errorf("rank %d sent %d bytes of entities that are not asked for", rank, len(part))
			}
			r := run{binary.LittleEndian.Uint64(part), binary.LittleEndian.Uint64(part[8:])}
			part = part[runSize:]
			if r.first > room || r.count > room-r.first || r.count*uint64(size) > uint64(len(part)) {
				return fmt.Errorf("rank %d sent %d entities from %d on for a piece of %d", rank, r.count, r.first, room)
			}
			copy(piece[int(r.first)*size:], part[:int(r.count)*size])
			part = part[int(r.count)*size:]
			found += r.count
		}
	}
	if found != room {
		return fmt.Errorf("%d entities came from all ranks where there are %d", found, room)
	}
	return nil
}
