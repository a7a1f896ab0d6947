//go:build !linux

package cpu

import "math"

// HostMemory returns the bytes of memory that programs can still allocate, and the total. On this system both count as
// unlimited.
func HostMemory() (free, total uint64, err error) { return math.MaxInt64, math.MaxInt64, nil }

// available returns how much memory this process can still allocate, and what limits it. On this system it counts as
// unlimited.
func available() (free uint64, source string) { return math.MaxInt64, thisMachine }
