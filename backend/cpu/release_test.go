package cpu

import (
	"runtime"
	"testing"
)

// TestReleaseMemory: what is garbage goes back to the system, once much of it may be there.
func TestReleaseMemory(t *testing.T) {
	back := func() uint64 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return uint64(s.NumForcedGC)
	}
	ReleaseMemory()
	before := back()
	ReleaseMemory()
	if n := back() - before; n != 0 {
		t.Errorf("%d collections of what nobody allocated", n)
	}
	garbage = make([]byte, 2*fewBytes)
	garbage = nil
	ReleaseMemory()
	if n := back() - before; n != 1 {
		t.Errorf("%d collections of garbage, want 1", n)
	}
}

var garbage []byte
