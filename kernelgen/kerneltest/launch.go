package kerneltest

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// launch is the launch of turns.h.
type launch struct {
	box           [6]int64
	dims, tile    int64
	order         int64
	fill          int64
	memory        unsafe.Pointer
	reached, size int64
	shadow        unsafe.Pointer
	changes       unsafe.Pointer
	fine          int64
	first, number int64
	watched       [2]int64
	told          [2]turn
	conflict      conflict
}

// turn is a turn of turns.h.
type turn struct {
	index    [3]int64
	loop, k  int64
	together int64
	variable [40]byte
}

// conflict is a conflict of turns.h.
type conflict struct {
	found       int64
	offset      int64
	kinds       [2]int64
	numbers     [2]int64
	array       [40]byte
	at, element int64
}

// The sizes of a cell and of a change of shadow.h.
const (
	cellBytes   = 16
	changeBytes = 36
)

// mostTurns is about how many numbers of turns, which have 31 bits, may be used up before a launch begins.
const mostTurns = 1 << 30

// prepared is a launch that can be run again and again.
type prepared struct {
	l      *Library
	e      *entry
	memory *memory
	args   []unsafe.Pointer
	launch launch
}

func (l *Library) prepare(e *entry, k abi.Launch, lo, hi int) (*prepared, error) {
	l.memory.reach(k)
	r := &prepared{l: l, e: e, memory: &l.memory}
	parameters, err := k.Parameters(r.memory.address)
	if err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	for i, p := range parameters {
		if int64(len(p)) != e.Params[i].Size {
			return nil, fmt.Errorf("kerneltest: %s: argument %s has %d bytes, the entry takes %d", k.Symbol, k.Args[i].Name,
				len(p), e.Params[i].Size)
		}
		r.args = append(r.args, unsafe.Pointer(unsafe.SliceData(p)))
	}
	r.args = append(r.args, nil) // so that there is a first one
	r.launch = launch{box: [6]int64{int64(lo), int64(hi)}, dims: int64(k.Dims), tile: number(k.Tile),
		memory: unsafe.Pointer(unsafe.SliceData(r.memory.copy)), reached: int64(r.memory.reached()),
		size: int64(len(r.memory.copy))}
	if k.Box != nil {
		for d := range k.Dims {
			r.launch.box[2*d], r.launch.box[2*d+1] = int64(k.Box.Lo[d]), int64(k.Box.Hi[d])
		}
	}
	return r, nil
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// run runs the launch on a new copy of the memory. What is passed says how.
func (r *prepared) run(how launch) launch {
	r.memory.take()
	how.box, how.dims, how.tile = r.launch.box, r.launch.dims, r.launch.tile
	how.memory, how.reached, how.size = r.launch.memory, r.launch.reached, r.launch.size
	r.e.call(&how, &r.args[0])
	runtime.KeepAlive(r)
	return how
}

// orders are those beside the natural one; from 2 on they are seeds of pseudo-random ones.
var orders = []int64{1, 2, 3}

// inOrder says in which order a launch was run.
func inOrder(order int64) string {
	switch order {
	case 0:
		return "in natural order"
	case 1:
		return "in reverse order"
	}
	return fmt.Sprintf("in the pseudo-random order of seed %d", order)
}

// orders tells whether the launch has another outcome than is kept if its turns go in other orders.
func (r *prepared) orders(tried []int64) error {
	for _, order := range tried {
		// All bits set make a NaN, and an index that is out of range.
		r.run(launch{order: order, fill: 0xff * (order % 2)})
		if at, found := r.memory.changed(); found {
			name, from, size := r.place(at)
			return fmt.Errorf("kernel %s: %s depends on the order: its bytes become %x %s, and %x %s", r.e.Symbol, name,
				r.memory.kept[from:from+size], inOrder(0), r.memory.copy[from:from+size], inOrder(order))
		}
	}
	return nil
}

// races runs the launch in natural order, with something to keep for an outcome, and reports two turns whose order is
// open, although it matters.
func (r *prepared) races() error {
	ran := r.record()
	if ran.fine != 0 && !r.e.fine {
		r.e.fine = true
		ran = r.record()
	}
	c := ran.conflict
	if c.found == 0 {
		return nil
	}
	r.memory.keep()
	again := r.run(launch{first: ran.first, watched: [2]int64{c.numbers[0] &^ 1, c.numbers[1] &^ 1}})
	copy(r.memory.copy, r.memory.kept)
	return r.race(c, again.told)
}

// record runs the launch in natural order and records what its turns do.
func (r *prepared) record() launch {
	l, grain := r.l, 4
	if r.e.fine {
		grain = 1
	}
	if cells := (len(r.memory.copy) + grain - 1) / grain; cells > l.cells || l.turns > mostTurns {
		l.cells, l.turns = max(cells, l.cells), 0
		l.shadow, l.changes = make([]uint64, l.cells*cellBytes/8), make([]uint64, l.cells*changeBytes/8+1)
	}
	ran := r.run(launch{shadow: unsafe.Pointer(unsafe.SliceData(l.shadow)),
		changes: unsafe.Pointer(unsafe.SliceData(l.changes)), fine: number(r.e.fine), first: l.turns})
	l.turns = ran.number
	return ran
}
