package cpu

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type visits []int32

func (v visits) Range(lo, hi int) {
	for i := lo; i < hi; i++ {
		atomic.AddInt32(&v[i], 1)
	}
}

// TestRunVisitsEveryIndexOnce proves it for threads that poll and for threads that sleep while they wait, also with
// more threads than processors, and when loops follow each other after any time.
func TestRunVisitsEveryIndexOnce(t *testing.T) {
	for _, start := range []func(int) *Device{New, NewCrowded} {
		for _, threads := range []int{1, 2, 3, 8} {
			d := start(threads)
			for n, count := range []int{0, 1, maxBlock, maxBlock + 1, 5*maxBlock + 17} {
				for _, lo := range []int{0, 3} {
					checkVisits(t, d, lo, lo+count)
					time.Sleep(time.Duration(n) * pollTime / 2)
				}
			}
			d.Close()
		}
	}
}

func checkVisits(t *testing.T, d *Device, lo, hi int) {
	v := make(visits, hi)
	d.Run(v, lo, hi)
	for i, got := range v {
		want := int32(1)
		if i < lo {
			want = 0
		}
		if got != want {
			t.Fatalf("threads %d, [%d, %d): index %d visited %d times, want %d", d.Threads(), lo, hi, i, got, want)
		}
	}
}

// TestPolls proves that threads do not poll while the devices of the process have more threads than processors, nor on
// a crowded machine.
func TestPolls(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	one, crowded := New(2), NewCrowded(2)
	if !one.polls() || crowded.polls() {
		t.Errorf("with 4 threads of 4 a device polls: %v, on a crowded machine: %v", one.polls(), crowded.polls())
	}
	other := New(3)
	if one.polls() || other.polls() {
		t.Error("a device polls with 7 threads of 4")
	}
	other.Close()
	crowded.Close()
	if !one.polls() {
		t.Error("a device does not poll after others were closed")
	}
	one.Close()
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
