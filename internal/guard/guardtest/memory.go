// Package guardtest measures, for tests, what strangers cost a server.
package guardtest

import "runtime"

// MaxBytes is how much more memory a process may need while strangers attack it.
const MaxBytes = 10 << 20

// LiveBytes returns the memory that this process uses now: objects that are reachable, and the stacks of goroutines.
// Neither garbage is counted, nor what connections that have just begun or ended use for a moment: their amounts depend
// on the load of the machine. It is the least of several readings.
func LiveBytes() int64 {
	least := liveBytes()
	for range 4 {
		least = min(least, liveBytes())
	}
	return least
}

func liveBytes() int64 {
	runtime.GC()
	runtime.GC() // the first one only moves what pools hold to where the second one frees it
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
