package checkpoint

import (
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
)

// blockBytes bounds the numbers of a block. Tests have smaller ones.
var blockBytes = 4 << 20

// Layouts are how entities that are the same throughout a run lie in its checkpoints, which the first of them finds out
// for all. The zero value is that of a run without any so far.
type Layouts struct{ of map[*solvers.Space][]piece }

// piece is some entities of a rank, in one block: from lo to below hi.
type piece struct {
	lo, hi      int
	keys        []byte // as the file has them
	least, most int64  // of them
}

// arrange makes the blocks of this rank, their offsets counted from its first byte, and returns how many bytes they
// take.
func (w *Writer) arrange(layouts *Layouts) int64 {
	known := map[*solvers.Space][]piece{}
	at := int64(0)
	for s := range w.shot.Spaces {
		from := &w.shot.Spaces[s]
		to := space{Name: from.Name}
		each := 0
		for k := range from.Fields {
			f := &from.Fields[k]
			to.Fields = append(to.Fields, field{f.Name, f.Size, f.Hashed})
			each += f.Size
		}
		w.index.Spaces = append(w.index.Spaces, to)
		if from.Hashes() {
			w.sums = append(w.sums, solvers.Digests{})
		}
		pieces := layouts.of[from.Fixed]
		if from.Fixed == nil || pieces == nil {
			pieces = cut(from, max(1, blockBytes/max(each, 1)))
		}
		if from.Fixed != nil {
			known[from.Fixed] = pieces
		}
		for _, p := range pieces {
			n := p.hi - p.lo
			b := block{Space: s, Count: n, Least: p.least, Most: p.most, Keys: blob{At: at, Len: int64(len(p.keys))}}
			at += b.Keys.Len
			for _, f := range to.Fields {
				b.Fields = append(b.Fields, blob{At: at, Len: int64(f.Size) * int64(n)})
				at += int64(f.Size) * int64(n)
			}
			w.index.Blocks = append(w.index.Blocks, b)
		}
		w.pieces = append(w.pieces, pieces...)
	}
	layouts.of = known
	return at
}

// cut cuts a space into pieces of at most so many entities.
func cut(s *solvers.SavedSpace, most int) []piece {
	pieces := make([]piece, (s.Owned+most-1)/most)
	parallel.Ranges(len(pieces), parallel.Parts(len(pieces), 1), func(_, lo, hi int) {
		keys := make([]int64, 0, min(most, s.Owned))
		for k := lo; k < hi; k++ {
			p := piece{lo: k * most, hi: min((k+1)*most, s.Owned)}
			keys = keys[:0]
			for i := p.lo; i < p.hi; i++ {
				keys = append(keys, s.Key(i))
			}
			p.keys, p.least, p.most = appendKeys(nil, keys), slices.Min(keys), slices.Max(keys)
			pieces[k] = p
		}
	})
	return pieces
}

// sumOf is which of the sums is that of a space: those without hashed fields have none.
func (w *Writer) sumOf(space int) int {
	n := 0
	for k := range space {
		if w.shot.Spaces[k].Hashes() {
			n++
		}
	}
	return n
}
