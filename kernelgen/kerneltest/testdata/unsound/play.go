package unsound

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
)

// A script says what each turn of the two loops of a tile does: Steps accesses one after the other.
const (
	Turns = 3
	Steps = 2
	Cells = 4
)

// Step is an access of a cell, by one of these ways; with 4 added that of a cell of shared memory.
type Step struct{ How, Cell int32 }

const (
	Read = iota
	Write
	Add
	Max
)

// Play does what a script says.
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
	if s.How&4 != 0 {
		cell = &shared[s.Cell]
	}
	switch s.How & 3 {
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
