package kerneltest

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// launch has the layout of launch in turns.h.
type launch struct {
	box                   [6]int64
	dims, tile            int64
	order                 int64
	fill                  int64
	memory                unsafe.Pointer
	argumentBytes, size   int64
	shadow                unsafe.Pointer
	changes               unsafe.Pointer
	byteCells             int64
	turnBefore, turnAfter int64
	watched               [2]int64
	watchedTurns          [2]turn
	conflict              conflict
}

// turn has the layout of turn in turns.h.
type turn struct {
	index      [3]int64
	loop, k    int64
	allThreads int64
	variable   [40]byte
}

// conflict has the layout of conflict in turns.h.
type conflict struct {
	found       int64
	offset      int64
	kinds       [2]int64
	numbers     [2]int64
	array       [40]byte
	at, element int64
}

// The sizes of a cell and a change in shadow.h, in bytes.
const (
	cellBytes   = 16
	changeBytes = 36
)

// maxTurn is the greatest number of a turn before a launch. Numbers of turns have 31 bits; above maxTurn they begin
// at 0 again, with a cleared shadow.
const maxTurn = 1 << 30

// preparedLaunch is a launch that can be run repeatedly.
type preparedLaunch struct {
	l      *Library
	e      *entry
	memory *memory
	args   []unsafe.Pointer
	launch launch
}

// prepare lays out the memory of a launch and the parameters of its entry.
func (l *Library) prepare(e *entry, k abi.Launch, lo, hi int) (*preparedLaunch, error) {
	l.memory.layOut(k)
	r := &preparedLaunch{l: l, e: e, memory: &l.memory}
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
	r.args = append(r.args, nil) // so that &r.args[0] exists
	r.launch = launch{box: [6]int64{int64(lo), int64(hi)}, dims: int64(k.Dims), tile: boolToInt(k.Tile),
		memory: unsafe.Pointer(unsafe.SliceData(r.memory.contents)), argumentBytes: int64(r.memory.argumentBytes()),
		size: int64(len(r.memory.contents))}
	if k.Box != nil {
		for d := range k.Dims {
			r.launch.box[2*d], r.launch.box[2*d+1] = int64(k.Box.Lo[d]), int64(k.Box.Hi[d])
		}
	}
	return r, nil
}

func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// run runs the launch on a new copy of the memory. The order, the fill and what is recorded are those of options.
func (r *preparedLaunch) run(options launch) launch {
	r.memory.copyFromHost()
	options.box, options.dims, options.tile = r.launch.box, r.launch.dims, r.launch.tile
	options.memory, options.argumentBytes, options.size = r.launch.memory, r.launch.argumentBytes, r.launch.size
	r.e.call(&options, &r.args[0])
	runtime.KeepAlive(r)
	return options
}

// orders are the orders besides the natural one: 1 is the reverse order, greater numbers are seeds of pseudo-random
// orders.
var orders = []int64{1, 2, 3}

// orderText describes an order in messages.
func orderText(order int64) string {
	switch order {
	case 0:
		return "in natural order"
	case 1:
		return "in reverse order"
	}
	return fmt.Sprintf("in the pseudo-random order of seed %d", order)
}

// checkOrders returns an error if the result of the launch in one of the selected orders differs from the saved result.
func (r *preparedLaunch) checkOrders(selected []int64) error {
	for _, order := range selected {
		// A value with all bits set is a NaN, or an index out of range.
		r.run(launch{order: order, fill: 0xff * (order % 2)})
		if at, found := r.memory.changed(); found {
			name, from, size := r.describe(at)
			return fmt.Errorf("kernel %s: %s depends on the order: its bytes become %x %s, and %x %s", r.e.Symbol, name,
				r.memory.saved[from:from+size], orderText(0), r.memory.contents[from:from+size], orderText(order))
		}
	}
	return nil
}

// checkRaces runs the launch in natural order and returns an error for the first two conflicting turns whose order is
// not defined. Afterwards the memory holds the result.
func (r *preparedLaunch) checkRaces() error {
	result := r.record()
	if result.byteCells != 0 && !r.e.byteCells {
		r.e.byteCells = true
		result = r.record()
	}
	c := result.conflict
	if c.found == 0 {
		return nil
	}
	r.memory.save()
	again := r.run(launch{turnBefore: result.turnBefore, watched: [2]int64{c.numbers[0] &^ 1, c.numbers[1] &^ 1}})
	copy(r.memory.contents, r.memory.saved)
	return r.raceError(c, again.watchedTurns)
}

// record runs the launch in natural order and records the accesses of its turns.
func (r *preparedLaunch) record() launch {
	l, covered := r.l, 4 // bytes that a cell covers
	if r.e.byteCells {
		covered = 1
	}
	if cells := (len(r.memory.contents) + covered - 1) / covered; cells > l.cells || l.turns > maxTurn {
		l.cells, l.turns = max(cells, l.cells), 0
		l.shadow, l.changes = make([]uint64, l.cells*cellBytes/8), make([]uint64, l.cells*changeBytes/8+1)
	}
	result := r.run(launch{shadow: unsafe.Pointer(unsafe.SliceData(l.shadow)),
		changes: unsafe.Pointer(unsafe.SliceData(l.changes)), byteCells: boolToInt(r.e.byteCells), turnBefore: l.turns})
	l.turns = result.turnAfter
	return result
}
