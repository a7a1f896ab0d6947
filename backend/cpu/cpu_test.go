package cpu

import (
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type visits []int32

func (v visits) Range(lo, hi int) {
	for i := lo; i < hi; i++ {
		atomic.AddInt32(&v[i], 1)
	}
}

func TestRunVisitsEveryIndexOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		d := New(threads)
		for _, n := range []int{0, 1, maxBlock, maxBlock + 1, 5*maxBlock + 17} {
			for _, lo := range []int{0, 3} {
				v := make(visits, n+lo)
				d.Run(v, lo, n+lo)
				for i, got := range v {
					want := int32(1)
					if i < lo {
						want = 0
					}
					if got != want {
						t.Fatalf("threads %d, [%d, %d): index %d visited %d times, want %d", threads, lo, n+lo, i, got, want)
					}
				}
			}
		}
		d.Close()
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	d := New(2)
	defer d.Close()
	v := make(visits, 10*maxBlock)
	l := &v
	if n := testing.AllocsPerRun(100, func() { d.Run(l, 0, len(*l)) }); n != 0 {
		t.Errorf("Run allocates %v times", n)
	}
}
