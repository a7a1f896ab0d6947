// Package lanes tells which vectors of the processor kernels use that are marked lanes. Such a kernel does several
// indices at a time, with the bits of the Go function, which does the rest.
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

// Variable names the environment variable that chooses the vectors: off, avx2 or avx512. Without it they are the widest
// that the processor has.
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

// Best is the widest set that this processor and its system have and that this build has code for.
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

// Parse reads the name of a set, which this processor must have; without a name it returns the best.
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

// Used is the set that loops take which are prepared from now on.
func Used() Set { return Set(used.Load()) }

// Problem says what is wrong with the environment's choice, or is nil. Loops run as plain Go then.
func Problem() error { return problem }

// Use lets loops that are prepared from now on take a set, and returns the one before. It is for tests and
// measurements: loops that there are keep theirs.
func Use(s Set) Set { return Set(used.Swap(int32(s))) }

// Code is a kernel's code for a set: nothing where it has none.
type Code struct {
	Entry int
	Lanes int // indices at a time
}

// Range is indices Lo ≤ index < Hi of a loop.
type Range struct{ Lo, Hi int }

// batch is how many indices go to vectors in one call, which the scheduler of Go cannot interrupt: some 5 µs of the
// longest kernels.
const batch = 128

// Count is how many of so many indices the next call takes: a multiple of its lanes, or 0 where too few are left.
func (c Code) Count(left int) int {
	if c.Lanes == 0 {
		return 0
	}
	return min(left, batch) / c.Lanes * c.Lanes
}
