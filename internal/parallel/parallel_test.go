package parallel

import (
	"sync/atomic"
	"testing"
)

// Every item is in one range, whatever the number of parts, and no part has too few items where there is a choice.
func TestRanges(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 1000} {
		for _, parts := range []int{1, 2, 3, 7, 16} {
			seen := make([]atomic.Int32, n)
			Ranges(n, parts, func(part, lo, hi int) {
				if part < 0 || part >= parts {
					t.Errorf("part %d of %d", part, parts)
				}
				for i := lo; i < hi; i++ {
					seen[i].Add(1)
				}
			})
			for i := range seen {
				if got := seen[i].Load(); got != 1 {
					t.Errorf("item %d of %d was visited %d times by %d parts", i, n, got, parts)
				}
			}
		}
		if parts := Parts(n, 100); parts < 1 || parts > 1 && n/parts < 100 {
			t.Errorf("%d parts of %d items, of at least 100", parts, n)
		}
	}
}

// One bad item is found wherever it is, and none where there is none.
func TestAll(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		for _, bad := range []int{-1, 0, n / 2, n - 1} {
			want := bad < 0 || bad >= n
			if got := All(n, 10, func(i int) bool { return i != bad }); got != want {
				t.Errorf("of %d items, with item %d bad: %v", n, bad, got)
			}
		}
	}
}
