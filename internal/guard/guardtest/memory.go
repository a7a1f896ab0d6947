// Package guardtest measures, for tests, what strangers cost a server.
package guardtest

import "runtime"

// MaxBytes is how much more memory a process may need while strangers attack it.
const MaxBytes = 10 << 20

// LiveBytes returns the memory that this process uses now: objects that are reachable, and the stacks of goroutines.
// Garbage is not counted, whose amount depends on the load of the machine.
func LiveBytes() int64 {
	runtime.GC()
	runtime.GC() // the first one only moves what pools hold to where the second one frees it
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
