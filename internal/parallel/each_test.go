package parallel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
)

func TestEachVisitsEachItemOnce(t *testing.T) {
	for _, n := range []int{0, 1, 7, 5000} {
		times := make([]int32, n)
		last := 0
		ctx := Watch(t.Context(), func(name string, done, total int) {
			if name != "counting" || done <= last || total != n {
				t.Errorf("got report %s, %d of %d after %d; want counting, increasing, of %d", name, done, total, last, n)
			}
			last = done
		})
		err := Each(ctx, "counting", n, 1, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				atomic.AddInt32(&times[i], 1)
			}
			return nil
		})
		if err != nil || last != n || slices.ContainsFunc(times, func(k int32) bool { return k != 1 }) {
			t.Errorf("%d items: got error %v, %d reported, visits %v; want each visited once", n, err, last, times)
		}
	}
}

// The error is that of the first range that fails, in whatever order ranges are called; and no call begins after the
// context has ended.
func TestErrorOfEach(t *testing.T) {
	for range 50 {
		err := Each(t.Context(), "", 2000, 1, func(lo, _ int) error {
			if lo%300 > 200 {
				return fmt.Errorf("at %d", lo)
			}
			return nil
		})
		if err == nil || err.Error() != "at 202" {
			t.Fatal(err)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	called := 0
	err := Each(ctx, "", 3, 3, func(int, int) error { called++; end(); return nil })
	if err = errors.Join(err, Each(ctx, "", 3, 3, func(int, int) error { called++; return nil })); called != 1 ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("got %d calls, error %v; want 1 call, context canceled", called, err)
	}
}
