package study

import (
	"math"
	"strings"
)

// Resolution is the axis along which the number of cells changes, by its place in Axes, as the runs that are done tell;
// of several it is the first, and -1 is for none.
func (s *Study) Resolution() int {
	for n := range s.Axes {
		compared, same := 0, 0
		for i, r := range s.Runs {
			for _, o := range s.Runs[:i] {
				if r.Summary == nil || o.Summary == nil || !along(r, o, n) {
					continue
				}
				if compared++; r.Summary.Cells == o.Summary.Cells {
					same++
				}
			}
		}
		if compared > 0 && same == 0 {
			return n
		}
	}
	return -1
}

// along reports whether two runs differ along an axis at most.
func along(a, b *Run, axis int) bool {
	for k := range a.Values {
		if k != axis && a.Values[k] != b.Values[k] {
			return false
		}
	}
	return true
}

// spacing is how many times as long the cells of a coarse run are as those of a fine one, along the directions in which
// they differ; 0 if that is not known.
func spacing(coarse, fine *Run, axis int) float64 {
	dim := changed(coarse.Values[axis], fine.Values[axis])
	if dim == 0 {
		dim = fine.Summary.Dim
	}
	if dim == 0 {
		return 0
	}
	return math.Pow(float64(fine.Summary.Cells)/float64(coarse.Summary.Cells), 1/float64(dim))
}

// changed is in how many places two lists of the same length differ: 0 for what are no such lists.
func changed(a, b string) (n int) {
	if !strings.HasPrefix(a, "[") || !strings.HasPrefix(b, "[") {
		return 0
	}
	one, other := split(strings.Trim(a, "[]")), split(strings.Trim(b, "[]"))
	if len(one) != len(other) {
		return 0
	}
	for i := range one {
		if one[i] != other[i] {
			n++
		}
	}
	return n
}
