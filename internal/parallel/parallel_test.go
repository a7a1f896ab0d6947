package parallel

import (
	"sync/atomic"
	"testing"
)

// Every item is in one range, for any number of parts; and Parts respects the least number of items.
func TestRanges(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 1000} {
		for _, parts := range []int{1, 2, 3, 7, 16} {
			seen := make([]atomic.Int32, n)
			Ranges(n, parts, func(part, lo, hi int) {
				if part < 0 || part >= parts {
					t.Errorf("got part %d of %d", part, parts)
				}
				for i := lo; i < hi; i++ {
					seen[i].Add(1)
				}
			})
			for i := range seen {
				if got := seen[i].Load(); got != 1 {
					t.Errorf("%d parts visited item %d of %d %d times, want once", parts, i, n, got)
				}
			}
		}
		if parts := Parts(n, 100); parts < 1 || parts > 1 && n/parts < 100 {
			t.Errorf("got %d parts of %d items, want at least 100 items per part", parts, n)
		}
	}
}

// All finds a bad item at any position.
func TestAll(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		for _, bad := range []int{-1, 0, n / 2, n - 1} {
			want := bad < 0 || bad >= n
			if got := All(n, 10, func(i int) bool { return i != bad }); got != want {
				t.Errorf("%d items, item %d is bad: got %v, want %v", n, bad, got, want)
			}
		}
	}
}
