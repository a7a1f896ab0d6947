package checkpoint

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sort"

	"github.com/atoll-hpc/atoll/dist"
)

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
