package checkpoint

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
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

// homes distributes keys to ranks, and those of a rank to passes: chunks of 2^shift successive keys, successive ones
// evenly by the golden ratio, so that it does not matter whether keys have gaps.
type homes struct {
	shift         uint
	ranks, passes uint64
}

// chunksPerPass is the number of chunks of a rank in each pass if keys have no gaps, maxPasses that of passes.
const chunksPerPass, maxPasses = 8, 16

// minPerPass is the number of entities of a rank for which it takes more than one pass. Tests reduce it.
var minPerPass int64 = 1 << 17

func newHomes(entities int64, ranks int) homes {
	passes := min(maxPasses, 1+entities/int64(ranks)/minPerPass)
	return homes{uint(bits.Len64(uint64(entities) / uint64(chunksPerPass*passes*int64(ranks)))), uint64(ranks),
		uint64(passes)}
}

// of returns the home and the pass of a key, and the number of keys from it on to the end of its chunk.
func (h homes) of(key int64) (rank int, pass uint64, left int64) {
	const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio
	high, rest := bits.Mul64(uint64(key>>h.shift)*golden, h.ranks)
	pass, _ = bits.Mul64(rest, h.passes)
	return int(high), pass, int64(1)<<h.shift - key&(1<<h.shift-1)
}

// Kinds of runs.
const heldRuns, wantedRuns = 0, 1

// Numbers of varints that encode a run and a segment.
const varintsPerRun, varintsPerSegment = 3, 4

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

// runLists are the lists of runs for each home.
type runLists struct {
	home  homes
	pass  uint64 // to which the runs belong
	kind  byte
	bytes [][]byte
	ends  []struct{ key, entity int64 } // of the last run in each
}

func newRunLists(home homes, pass uint64, kind byte) *runLists {
	return &runLists{home, pass, kind, make([][]byte, home.ranks), make([]struct{ key, entity int64 }, home.ranks)}
}

// add adds what belongs to the pass of a run, in parts for several homes.
func (r *runLists) add(key, entity, n int64) {
	for n > 0 {
		rank, pass, m := r.home.of(key)
		if m = min(m, n); pass != r.pass {
			key, entity, n = key+m, entity+m, n-m
			continue
		}
		b, end := r.bytes[rank], &r.ends[rank]
		if b == nil {
			b = append(b, r.kind)
		}
		b = binary.AppendVarint(b, key-end.key)
		b = binary.AppendVarint(b, entity-end.entity)
		r.bytes[rank] = binary.AppendUvarint(b, uint64(m-1))
		key, entity, n = key+m, entity+m, n-m
		end.key, end.entity = key, entity
	}
}

func (r *runLists) parcels() []dist.Parcel { return parcelsOf(r.bytes) }

// run is a run of successive keys of a rank at its home. n counts at most the keys of a chunk.
type run struct {
	key, entity, n int64
	rank           int
}

// varints returns the number of varints in bytes that have nothing else.
func varints(b []byte) (n int) {
	for _, v := range b {
		if v < 0x80 {
			n++
		}
	}
	return n
}

// match returns, for their holders, the entities that other ranks want.
func match(parcels []dist.Parcel, ranks int) ([]dist.Parcel, error) {
	var counts [2]int
	for _, p := range parcels {
		counts[p.Bytes[0]] += varints(p.Bytes[1:]) / varintsPerRun
	}
	held, wanted := make([]run, 0, counts[heldRuns]), make([]run, 0, counts[wantedRuns])
	for _, p := range parcels {
		d := decoder{bytes: p.Bytes[1:]}
		list := &held
		if p.Bytes[0] == wantedRuns {
			list = &wanted
		}
		var end run
		for len(d.bytes) > 0 {
			r := run{key: end.key + d.signed(), entity: end.entity + d.signed(), n: 1 + d.unsigned(), rank: p.Rank}
			if d.err != nil {
				return nil, d.err
			}
			*list, end = append(*list, r), run{key: r.key + r.n, entity: r.entity + r.n}
		}
	}
	slices.SortFunc(held, func(a, b run) int { return cmp.Compare(a.key, b.key) })
	lists := make([][]byte, ranks)
	ends := make([]segment, ranks)
	for _, w := range wanted { // those of a rank follow each other
		k := sort.Search(len(held), func(k int) bool { return held[k].key+held[k].n > w.key })
		for ; k < len(held) && held[k].key < w.key+w.n; k++ {
			h := &held[k]
			first := max(h.key, w.key)
			g := segment{rank: int32(w.rank), wanted: int32(w.entity + first - w.key),
				entity: int32(h.entity + first - h.key), n: int32(min(h.key+h.n, w.key+w.n) - first)}
			lists[h.rank] = g.append(lists[h.rank], &ends[h.rank])
		}
	}
	return parcelsOf(lists), nil
}

// segment are n entities that another rank wants: from entity on of those that the holder has, and from wanted on in
// the order of those that the other wants.
type segment struct{ rank, wanted, entity, n int32 }

// append appends the encoding of a segment, which depends on the one before.
func (g *segment) append(b []byte, before *segment) []byte {
	b = binary.AppendVarint(b, int64(g.rank-before.rank))
	b = binary.AppendVarint(b, int64(g.wanted-before.wanted-before.n))
	b = binary.AppendVarint(b, int64(g.entity-before.entity-before.n))
	*before = *g
	return binary.AppendUvarint(b, uint64(g.n-1))
}

// appendSegments appends the segments that homes tell a holder.
func appendSegments(list []segment, parcels []dist.Parcel) ([]segment, error) {
	for _, p := range parcels {
		d := decoder{bytes: p.Bytes}
		for before := (segment{}); len(d.bytes) > 0; {
			before.rank += int32(d.signed())
			before.wanted += before.n + int32(d.signed())
			before.entity += before.n + int32(d.signed())
			before.n = 1 + int32(d.unsigned())
			if d.err != nil {
				return nil, d.err
			}
			list = append(list, before)
		}
	}
	return list, nil
}

// joined sorts segments by the rank that wants them and in its order, and joins those that follow each other.
func joined(list []segment) []segment {
	slices.SortFunc(list, func(a, b segment) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.wanted, b.wanted))
	})
	joined := list[:0]
	for _, g := range list {
		if k := len(joined) - 1; k >= 0 && joined[k].rank == g.rank && joined[k].wanted+joined[k].n == g.wanted &&
			joined[k].entity+joined[k].n == g.entity {
			joined[k].n += g.n
			continue
		}
		joined = append(joined, g)
	}
	return joined
}

// decoder decodes varints.
type decoder struct {
	bytes []byte
	err   error
}

var errMessage = errors.New("a message of a restart is damaged")

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.bytes)
	d.advance(n)
	return v
}

func (d *decoder) unsigned() int64 {
	v, n := binary.Uvarint(d.bytes)
	d.advance(n)
	return int64(v)
}

func (d *decoder) advance(n int) {
	if n <= 0 {
		d.err, d.bytes = errMessage, nil
		return
	}
	d.bytes = d.bytes[n:]
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
