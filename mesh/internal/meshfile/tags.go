package meshfile

import (
	"github.com/atoll-hpc/atoll/mesh"
)

// TagIndex finds the position of a tag, a number by which a file calls a vertex or a cell, in the list of all.
type TagIndex struct {
	first  int64           // where tags ascend by one: the first of them,
	count  int             // and how many there are
	base   int64           // otherwise, the lowest tag,
	dense  []int32         // with positions from the lowest tag on, -1 for none,
	sparse map[int64]int32 // or where tags are far apart
}

// NewTagIndex returns the index of tags. If a tag occurs twice, it returns that tag and ok false.
func NewTagIndex(tags []int64) (index TagIndex, twice int64, ok bool) {
	if len(tags) == 0 {
		return TagIndex{}, 0, true
	}
	run, lo, hi := true, tags[0], tags[0]
	for i, t := range tags {
		run = run && t-tags[0] == int64(i)
		lo, hi = min(lo, t), max(hi, t)
	}
	if run {
		return TagIndex{first: lo, count: len(tags)}, 0, true
	}
	if spread := uint64(hi) - uint64(lo); spread < 4*uint64(len(tags))+1024 {
		index.base = lo
		index.dense = mesh.NewMarks(int(spread) + 1)
		for i, t := range tags {
			if index.dense[t-lo] >= 0 {
				return index, t, false
			}
			index.dense[t-lo] = int32(i)
		}
		return index, 0, true
	}
	index.sparse = make(map[int64]int32, len(tags))
	for i, t := range tags {
		if _, again := index.sparse[t]; again {
			return index, t, false
		}
		index.sparse[t] = int32(i)
	}
	return index, 0, true
}

// Of returns the position of a tag, -1 if there is none.
func (x *TagIndex) Of(tag int64) int32 {
	switch {
	case x.dense != nil:
		if i := uint64(tag) - uint64(x.base); i < uint64(len(x.dense)) {
			return x.dense[i]
		}
	case x.sparse != nil:
		if i, ok := x.sparse[tag]; ok {
			return i
		}
	default:
		if i := uint64(tag) - uint64(x.first); i < uint64(x.count) {
			return int32(i)
		}
	}
	return -1
}
