// Package lanes selects the vector instructions for kernels marked //atoll:kernel lanes. The vector code of such a
// kernel computes several indices at a time, with the same bits as the Go function, which computes the remaining
// indices. The environment variable [Variable] overrides the choice; [Use] changes it in tests.
package lanes

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/cpu"
)

// Variable is the environment variable that selects the instructions: off, avx2 or avx512. The default is the widest
// set of the processor.
const Variable = "ATOLL_SIMD"

// Set is a set of vector instructions.
type Set int32

const (
	Off    Set = iota // plain Go
	AVX2              // vectors of 32 bytes
	AVX512            // vectors of 64 bytes
)

var names = []string{"off", "avx2", "avx512"}

func (s Set) String() string { return names[s] }

// Best returns the widest set that the processor and the operating system support and this build has code for.
func Best() Set {
	switch {
	case !built:
		return Off
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512CD &&
		cpu.X86.HasAVX2 && cpu.X86.HasBMI2:
		return AVX512
	case cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2:
		return AVX2
	}
	return Off
}

var (
	used    atomic.Int32
	problem error
)

func init() {
	set, err := Parse(os.Getenv(Variable))
	if err != nil {
		problem = fmt.Errorf("%s: %w", Variable, err)
		set = Off
	}
	used.Store(int32(set))
}

// Parse returns the set with a name, or the best one for an empty name. A set that the processor lacks is an error.
func Parse(name string) (Set, error) {
	if name == "" {
		return Best(), nil
	}
	set := Set(slices.Index(names, name))
	switch {
	case set < 0:
		return Off, fmt.Errorf("%q is none of %s", name, strings.Join(names, ", "))
	case set > Best():
		return Off, fmt.Errorf("%s: this processor, system or build (%s/%s) has no more than %s", set, runtime.GOOS,
			runtime.GOARCH, Best())
	}
	return set, nil
}

// Used returns the set for loops that are prepared from now on.
func Used() Set { return Set(used.Load()) }

// Problem returns an error if the value of the environment variable is invalid. Loops then run as plain Go.
func Problem() error { return problem }

// Use sets the set for loops that are prepared from now on, and returns the previous one. Existing loops do not change.
// It is for tests and measurements.
func Use(s Set) Set { return Set(used.Swap(int32(s))) }

// Code identifies the vector code of a kernel for a set. The zero value means that there is none.
type Code struct {
	Entry int
	Lanes int // indices computed at a time
}

// batch is the number of indices of one call of vector code, which Go's scheduler cannot preempt: about 5 µs for the
// longest kernels.
const batch = 128

// Count returns how many of the remaining indices the next call takes: a multiple of c.Lanes, or 0 if too few are left.
func (c Code) Count(left int) int {
	if c.Lanes == 0 {
		return 0
	}
	return min(left, batch) / c.Lanes * c.Lanes
}
