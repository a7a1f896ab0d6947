package checkpoint

import (
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
)

// blockBytes is the largest number of bytes of field values in a block. Tests reduce it.
var blockBytes = 4 << 20

// Layouts caches the encoded keys of spaces whose entities do not change during a run, so that only its first
// checkpoint encodes them. The zero value is an empty cache.
type Layouts struct {
	bySpace map[*solvers.Space][]blockRange
}

// blockRange is the range of a rank's entities in one block: from lo up to, but not including, hi.
type blockRange struct {
	lo, hi      int
	keys        []byte // encoded
	least, most int64  // range of the keys
}

// layOut creates the index of the blocks of this rank, with offsets from the first byte of the rank's part of the
// file. It returns the size of the part in bytes.
func (w *Writer) layOut(layouts *Layouts) int64 {
	cached := map[*solvers.Space][]blockRange{}
	offset := int64(0)
	for s := range w.snapshot.Spaces {
		saved := &w.snapshot.Spaces[s]
		indexed := space{Name: saved.Name}
		entityBytes := 0
		for k := range saved.Fields {
			f := &saved.Fields[k]
			indexed.Fields = append(indexed.Fields, field{f.Name, f.Size, f.Hashed})
			entityBytes += f.Size
		}
		w.index.Spaces = append(w.index.Spaces, indexed)
		if saved.Hashes() {
			w.digests = append(w.digests, solvers.Digests{})
		}
		ranges := layouts.bySpace[saved.Fixed]
		if saved.Fixed == nil || ranges == nil {
			ranges = split(saved, max(1, blockBytes/max(entityBytes, 1)))
		}
		if saved.Fixed != nil {
			cached[saved.Fixed] = ranges
		}
		for _, r := range ranges {
			n := r.hi - r.lo
			b := block{Space: s, Count: n, Least: r.least, Most: r.most, Keys: blob{Offset: offset, Len: int64(len(r.keys))}}
			offset += b.Keys.Len
			for _, f := range indexed.Fields {
				b.Fields = append(b.Fields, blob{Offset: offset, Len: int64(f.Size) * int64(n)})
				offset += int64(f.Size) * int64(n)
			}
			w.index.Blocks = append(w.index.Blocks, b)
		}
		w.ranges = append(w.ranges, ranges...)
	}
	layouts.bySpace = cached
	return offset
}

// split divides a space into ranges of at most maxEntities entities.
func split(s *solvers.SavedSpace, maxEntities int) []blockRange {
	ranges := make([]blockRange, (s.Owned+maxEntities-1)/maxEntities)
	parallel.Ranges(len(ranges), parallel.Parts(len(ranges), 1), func(_, lo, hi int) {
		keys := make([]int64, 0, min(maxEntities, s.Owned))
		for k := lo; k < hi; k++ {
			r := blockRange{lo: k * maxEntities, hi: min((k+1)*maxEntities, s.Owned)}
			keys = keys[:0]
			for i := r.lo; i < r.hi; i++ {
				keys = append(keys, s.Key(i))
			}
			r.keys, r.least, r.most = appendKeys(nil, keys), slices.Min(keys), slices.Max(keys)
			ranges[k] = r
		}
	})
	return ranges
}

// digestIndex returns the index of the digests of a space: spaces without hashed fields have none.
func (w *Writer) digestIndex(space int) int {
	n := 0
	for k := range space {
		if w.snapshot.Spaces[k].Hashes() {
			n++
		}
	}
	return n
}
