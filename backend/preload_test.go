package backend

import "testing"

type recordedRanges [][2]int

func (r *recordedRanges) Range(lo, hi int) { *r = append(*r, [2]int{lo, hi}) }

// TestPreload: every index runs once, in blocks, also where an array is shorter or empty; each cache line of the
// elements of a block is read.
func TestPreload(t *testing.T) {
	var ranges recordedRanges
	long, short := make([][3]float64, 5000), make([]int32, 4500)
	l := Preload(&ranges, ElementsOf(long), ElementsOf(short), ElementsOf([]int64(nil)))
	l.Range(0, 0)
	l.Range(7, 5000)
	next := 7
	for _, r := range ranges {
		if r[0] != next || r[1] <= r[0] || r[1]-r[0] > preloadBlock {
			t.Fatalf("ranges %v", ranges)
		}
		next = r[1]
	}
	if next != 5000 {
		t.Errorf("ranges %v end at %d", ranges, next)
	}
	lines := make([]byte, 10*cacheLine)
	for i := range lines {
		lines[i] = 1
	}
	e := ElementsOf(lines)
	if got := e.readLines(cacheLine/2, 9*cacheLine); got != 9 {
		t.Errorf("%d lines read, want 9", got)
	}
}
