package study

import (
	"math"
	"strings"
)

// Resolution returns the index in Axes of the axis along which the number of cells changes, the first if there are
// several, -1 if there is none. It compares runs that are done.
func (s *Study) Resolution() int {
	for n := range s.Axes {
		compared, same := 0, 0
		for i, r := range s.Runs {
			for _, other := range s.Runs[:i] {
				if r.Summary == nil || other.Summary == nil || !differOnlyAlong(r, other, n) {
					continue
				}
				if compared++; r.Summary.Cells == other.Summary.Cells {
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

// differOnlyAlong reports whether two runs have the same values along all axes but one.
func differOnlyAlong(a, b *Run, axis int) bool {
	for k := range a.Values {
		if k != axis && a.Values[k] != b.Values[k] {
			return false
		}
	}
	return true
}

// spacingRatio returns the ratio of the cell sizes of a coarse and a fine run, along the directions in which they
// differ; 0 if unknown.
func spacingRatio(coarse, fine *Run, axis int) float64 {
	dim := countChanged(coarse.Values[axis], fine.Values[axis])
	if dim == 0 {
		dim = fine.Summary.Dim
	}
	if dim == 0 {
		return 0
	}
	return math.Pow(float64(fine.Summary.Cells)/float64(coarse.Summary.Cells), 1/float64(dim))
}

// countChanged returns the number of differing elements of two lists of the same length; 0 if the values are no such
// lists.
func countChanged(a, b string) (n int) {
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
