package cpu

import (
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// fewBytes are so few that it does not pay to look for those among them that are free.
const fewBytes = 4 << 20

// released is how many bytes the process had allocated, in all, when memory was last returned.
var released atomic.Uint64

// ReleaseMemory returns memory that is free to the system. That takes a collection of garbage, so it does nothing where
// little has been allocated since the last time: by small runs, and by further ranks of a process.
func ReleaseMemory() {
	all := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(all)
	if now := all[0].Value.Uint64(); now-released.Load() > fewBytes {
		released.Store(now)
		debug.FreeOSMemory()
	}
}
