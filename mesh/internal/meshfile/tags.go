package meshfile

import (
	"github.com/atoll-hpc/atoll/mesh"
)

// TagIndex finds the position of a tag, the number of a vertex or a cell in a file, in the list of all tags. It has one
// of three forms.
type TagIndex struct {
	first  int64 // consecutive tags: the first, and their number
	count  int
	base   int64 // dense tags: the lowest, and the position of each tag from it on, -1 for none
	dense  []int32
	sparse map[int64]int32 // other tags: the position of each
}

// NewTagIndex returns the index of tags. If a tag occurs twice, it returns that tag and ok is false.
func NewTagIndex(tags []int64) (index TagIndex, duplicate int64, ok bool) {
	if len(tags) == 0 {
		return TagIndex{}, 0, true
	}
	consecutive, lo, hi := true, tags[0], tags[0]
	for i, t := range tags {
		consecutive = consecutive && t-tags[0] == int64(i)
		lo, hi = min(lo, t), max(hi, t)
	}
	if consecutive {
		return TagIndex{first: lo, count: len(tags)}, 0, true
	}
	if spread := uint64(hi) - uint64(lo); spread < 4*uint64(len(tags))+1024 {
		index.base = lo
		index.dense = mesh.NoIDs(int(spread) + 1)
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

// Of returns the position of a tag, -1 if the list does not have it.
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
