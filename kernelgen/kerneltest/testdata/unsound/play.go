package unsound

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
)

// A script lists the accesses of each iteration of the two loops of a tile: Steps accesses, in order.
const (
	Turns = 3
	Steps = 2
	Cells = 4
)

// Step is an access to element Cell of x by operation Op, one of those below; if 4 is added to Op, to element Cell
// of the shared array.
type Step struct{ Op, Cell int32 }

const (
	Read = iota
	Write
	Add
	Max
)

// Play executes the accesses of a script.
//
//atoll:kernel tile
func Play(t int, script []Step, x, out []int64, shared *[Cells]int64) {
	for k := range Turns {
		turn := 2*t*Turns + k
		for s := range Steps {
			play(script[turn*Steps+s], x, shared, &out[turn])
		}
	}
	for k := range Turns {
		turn := (2*t+1)*Turns + k
		for s := range Steps {
			play(script[turn*Steps+s], x, shared, &out[turn])
		}
	}
}

func play(s Step, x []int64, shared *[Cells]int64, out *int64) {
	cell := &x[s.Cell]
	if s.Op&4 != 0 {
		cell = &shared[s.Cell]
	}
	switch s.Op & 3 {
	case Read:
		*out += *cell
	case Write:
		*cell = 1
	case Add:
		atomic.AddInt64(cell, 1)
	case Max:
		atomics.Max(cell, 1)
	}
}
