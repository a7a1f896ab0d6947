package cpu

import (
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// minAllocated is the number of bytes allocated since the last collection from which on another collection is worth
// its time.
const minAllocated = 4 << 20

// allocatedAtRelease is the total number of bytes that the process had allocated, since its start, when
// ReleaseMemory last collected garbage.
var allocatedAtRelease atomic.Uint64

// ReleaseMemory collects garbage and returns free memory to the system. It does nothing if little has been allocated
// since the last call: in small runs, and when several ranks of a process call it one after another.
func ReleaseMemory() {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(samples)
	if allocated := samples[0].Value.Uint64(); allocated-allocatedAtRelease.Load() > minAllocated {
		allocatedAtRelease.Store(allocated)
		debug.FreeOSMemory()
	}
}
