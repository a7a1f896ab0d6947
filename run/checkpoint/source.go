package checkpoint

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
)

// Select implements solvers.Source: each rank sends the keys of the entities that it holds to their owners.
func (s *State) Select(ctx context.Context, field string, size int, owner func(numbers []byte) int) ([]int64, error) {
	location, err := s.find(field, size)
	if err != nil {
		return nil, err
	}
	keysOf := make([][]byte, s.comm.Size())
	for _, b := range s.blocksOf(location.space) {
		owners := make([]int32, b.Count)
		parallel.Ranges(b.Count, parallel.Parts(b.Count, 1<<12), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				owners[i] = int32(owner(b.fields[location.field][i*size : (i+1)*size]))
			}
		})
		var stray error
		err := eachRun(b.keys, b.Count, func(first int64, n, before int) {
			for k := range n {
				key, to := first+int64(k), int(owners[before+k])
				if to < 0 || to >= len(keysOf) {
					stray = fmt.Errorf("%s: no rank owns %s %d", s.Path, s.Spaces[location.space].Name, key)
					continue
				}
				keysOf[to] = binary.LittleEndian.AppendUint64(keysOf[to], uint64(key))
			}
		})
		if err := errors.Join(err, stray); err != nil {
			return nil, err
		}
	}
	parcels, err := dist.Route(ctx, s.comm, tagSelect, parcelsOf(keysOf))
	if err != nil {
		return nil, err
	}
	var keys []int64
	for _, p := range parcels {
		for b := p.Bytes; len(b) >= 8; b = b[8:] {
			keys = append(keys, int64(binary.LittleEndian.Uint64(b)))
		}
	}
	return keys, nil
}

// countHeld returns the number of entities of a space that this rank holds.
func (s *State) countHeld(space int) (n int) {
	for _, b := range s.blocksOf(space) {
		n += b.Count
	}
	return n
}

// parcelsOf returns the parcels to the ranks for which there are bytes.
func parcelsOf(bytes [][]byte) (list []dist.Parcel) {
	for rank, b := range bytes {
		if len(b) > 0 {
			list = append(list, dist.Parcel{Rank: rank, Bytes: b})
		}
	}
	return list
}

// Locate implements solvers.Source. A rank does not know which ones hold the entities that it wants. So keys have
// homes: runs of successive keys that a rank holds, and those that it wants, go to the homes of their keys. There they
// meet, and the holder is told which of its entities another rank wants.
func (s *State) Locate(ctx context.Context, field string, keys []int64) (solvers.FieldReader, error) {
	location, err := s.find(field, 0)
	if err != nil {
		return nil, err
	}
	if held := s.countHeld(location.space); len(keys) > math.MaxInt32 || held > math.MaxInt32 {
		return nil, fmt.Errorf("a rank wants %d of field %q and reads %d, more than %d: use more ranks", len(keys), field,
			held, math.MaxInt32)
	}
	r := &reader{State: s, space: location.space, blocks: s.blocksOf(location.space), order: sortedOrder(keys)}
	home := newHomes(s.Counts[location.space], s.comm.Size())
	for pass := range home.passes {
		if err := r.locate(ctx, home, pass, keys); err != nil {
			return nil, err
		}
	}
	r.sent = joined(r.sent)
	parcels, err := dist.Route(ctx, s.comm, tagOrder, r.orders())
	if err != nil {
		return nil, err
	}
	if err := r.expect(parcels, len(keys)); err != nil {
		return nil, err
	}
	return r.read, nil
}

// locate finds the entities with the keys of one pass.
func (r *reader) locate(ctx context.Context, home homes, pass uint64, keys []int64) error {
	runs, err := r.runs(home, pass, keys)
	if err != nil {
		return err
	}
	parcels, err := dist.Route(ctx, r.comm, tagRuns, runs)
	if err != nil {
		return err
	}
	segments, err := match(parcels, r.comm.Size())
	if err != nil {
		return err
	}
	if parcels, err = dist.Route(ctx, r.comm, tagSegments, segments); err != nil {
		return err
	}
	count := 0
	for _, p := range parcels {
		count += varints(p.Bytes) / varintsPerSegment
	}
	if pass == 0 {
		count *= int(home.passes)
	}
	r.sent, err = appendSegments(slices.Grow(r.sent, count), parcels)
	return err
}

// runs returns the parcels of the runs that this rank holds and wants, for their homes. A run is three varints: its
// first key and its first entity, as distances from the end of the run before, and its length minus one.
func (r *reader) runs(home homes, pass uint64, keys []int64) ([]dist.Parcel, error) {
	held, wanted := newRunLists(home, pass, heldRuns), newRunLists(home, pass, wantedRuns)
	for _, b := range r.blocks {
		if err := eachRun(b.keys, b.Count, func(first int64, n, before int) {
			held.add(first, int64(b.first+before), int64(n))
		}); err != nil {
			return nil, &DamagedError{r.Path, err}
		}
	}
	key := func(k int) int64 {
		if r.order != nil {
			k = int(r.order[k])
		}
		return keys[k]
	}
	for k := 0; k < len(keys); {
		first, n := key(k), 1
		for k+n < len(keys) && key(k+n) == first+int64(n) {
			n++
		}
		wanted.add(first, int64(k), int64(n))
		k += n
	}
	return append(held.parcels(), wanted.parcels()...), nil
}

// span are n successive entities, in the order of those that a rank wants.
type span struct{ first, n int32 }

// reader reads fields of the entities of a space that have been located.
type reader struct {
	*State
	space    int
	blocks   []*heldBlock
	order    []int32   // of the keys; nil if they ascend
	sent     []segment // what other ranks want, by rank
	expected [][]span  // what comes from each rank
}

// sortedOrder returns the order in which keys ascend; nil if they do.
func sortedOrder(keys []int64) []int32 {
	if slices.IsSorted(keys) {
		return nil
	}
	order := make([]int32, len(keys))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	return order
}

// eachTarget calls f with the segments for each rank.
func (r *reader) eachTarget(f func(rank int, list []segment)) {
	for first := 0; first < len(r.sent); {
		k := first
		for k < len(r.sent) && r.sent[k].rank == r.sent[first].rank {
			k++
		}
		f(int(r.sent[first].rank), r.sent[first:k])
		first = k
	}
}

// orders returns the parcels that tell ranks in which order their entities come from this one.
func (r *reader) orders() (parcels []dist.Parcel) {
	r.eachTarget(func(rank int, list []segment) {
		var b []byte
		end := int32(0)
		for _, g := range list {
			b = binary.AppendUvarint(b, uint64(g.wanted-end))
			b = binary.AppendUvarint(b, uint64(g.n-1))
			end = g.wanted + g.n
		}
		parcels = append(parcels, dist.Parcel{Rank: rank, Bytes: b})
	})
	return parcels
}

// expect decodes what comes from other ranks.
func (r *reader) expect(parcels []dist.Parcel, count int) error {
	r.expected = make([][]span, r.comm.Size())
	for _, p := range parcels {
		d, end := decoder{bytes: p.Bytes}, int64(0)
		list := make([]span, 0, varints(p.Bytes)/2)
		for len(d.bytes) > 0 {
			first, n := end+d.unsigned(), 1+d.unsigned()
			if d.err != nil || first < end || n < 1 || n > int64(count)-first {
				return errMessage
			}
			list, end = append(list, span{int32(first), int32(n)}), first+n
		}
		r.expected[p.Rank] = list
	}
	return nil
}

// read is a solvers.FieldReader.
func (r *reader) read(ctx context.Context, field string, size int, put func(i int, numbers []byte)) error {
	location, err := r.find(field, size)
	if err != nil {
		return err
	}
	if location.space != r.space {
		return fmt.Errorf("%s has field %q in another space", r.Path, field)
	}
	var parcels []dist.Parcel
	r.eachTarget(func(rank int, list []segment) {
		n := int64(0)
		for k := range list {
			n += int64(list[k].n)
		}
		b := make([]byte, 0, n*int64(size))
		for k := range list {
			b = r.appendNumbers(b, &list[k], location.field, size)
		}
		parcels = append(parcels, dist.Parcel{Rank: rank, Bytes: b})
	})
	if parcels, err = dist.Route(ctx, r.comm, tagNumbers, parcels); err != nil {
		return err
	}
	return parallel.Each(ctx, "", len(parcels), 1, func(lo, hi int) error {
		for _, p := range parcels[lo:hi] {
			if err := r.unpack(p.Bytes, r.expected[p.Rank], size, put); err != nil {
				return err
			}
		}
		return nil
	})
}

// appendNumbers appends the numbers of a segment.
func (r *reader) appendNumbers(b []byte, g *segment, field, size int) []byte {
	first, n := int(g.entity), int(g.n)
	k := sort.Search(len(r.blocks), func(k int) bool { return r.blocks[k].first+r.blocks[k].Count > first })
	for ; n > 0; k++ {
		at := first - r.blocks[k].first
		m := min(n, r.blocks[k].Count-at)
		b = append(b, r.blocks[k].fields[field][at*size:(at+m)*size]...)
		first, n = first+m, n-m
	}
	return b
}

// unpack calls put for the entities of a parcel.
func (r *reader) unpack(b []byte, list []span, size int, put func(i int, numbers []byte)) error {
	for _, g := range list {
		n := int(g.n) * size
		if n > len(b) {
			return errMessage
		}
		for i := range int(g.n) {
			to := int(g.first) + i
			if r.order != nil {
				to = int(r.order[to])
			}
			put(to, b[i*size:(i+1)*size])
		}
		b = b[n:]
	}
	if len(b) > 0 {
		return errMessage
	}
	return nil
}
