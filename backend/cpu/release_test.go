package cpu

import (
	"runtime"
	"testing"
)

// TestReleaseMemory proves that garbage is collected only after enough has been allocated.
func TestReleaseMemory(t *testing.T) {
	collections := func() uint64 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return uint64(s.NumForcedGC)
	}
	ReleaseMemory()
	before := collections()
	ReleaseMemory()
	if n := collections() - before; n != 0 {
		t.Errorf("%d collections although nothing was allocated, want 0", n)
	}
	garbage = make([]byte, 2*minAllocated)
	garbage = nil
	ReleaseMemory()
	if n := collections() - before; n != 1 {
		t.Errorf("%d collections after an allocation, want 1", n)
	}
}

var garbage []byte
