package cpu

import (
	"math"
	"runtime/debug"
)

// MemoryIsOfGroup reports whether a control group limits the free memory, which only its processes share.
func MemoryIsOfGroup() bool {
	_, source := available()
	return source != thisMachine
}

// FreeMemory returns how many bytes of memory this process may take, and the source of that limit: this machine, a
// control group, or GOMEMLIMIT.
func FreeMemory() (free int64, source string) {
	bytes, source := available()
	free = int64(min(bytes, math.MaxInt64))
	if limit := debug.SetMemoryLimit(-1); limit < free {
		free, source = limit, "limit set by GOMEMLIMIT"
	}
	return free, source
}
