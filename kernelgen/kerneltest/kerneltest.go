// Package kerneltest runs translated kernels without a GPU: their CUDA C is compiled as C++ and launched, through the
// same parameters as on a device, by one thread. Tests compare what comes out with what the Go functions do.
//
// # Order
//
// A GPU runs indices, and the turns of a tile's loops, in any order and at the same time. Every launch is therefore a
// test of order, too. It fails
//
//   - if two turns access a byte, not both by the same atomic function and not both to read it, and nothing orders
//     them: they belong to different indices or tiles, or to one tile between two of its barriers. A turn is an index;
//     of a tile kernel, a turn of a shared loop, the copies marked //atoll:async of such a turn, or what all threads do
//     outside of the loops, which may write nothing.
//   - if another order of indices and turns leaves another byte: the reverse one and two pseudo-random ones are tried,
//     with something else in the memory that a tile shares at its beginning. This finds what depends on memory that
//     nobody wrote. The first launch of a kernel tries all of them, others one in turn.
//
// The first rule is exact for the data of the launch: the compiler instruments every access. Where it finds nothing, no
// turn reads what another one might still write, and the atomic functions commute and return nothing, so that by
// induction over its accesses each turn does the same in every interleaving: there is one outcome.
package kerneltest

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/internal/needs"
	"github.com/atoll-hpc/atoll/kernelgen"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// Library is a package's kernels, compiled for this processor.
type Library struct {
	entries map[string]*entry

	mutex  sync.Mutex // one launch at a time
	memory memory     // of the launch at hand

	shadow, changes []uint64 // the cells and the changes of shadow.h
	cells           int      // how many there are
	turns           int64    // the last number of a turn in them
}

// entry is a kernel in one precision.
type entry struct {
	*kernelgen.Entry
	call     func(l *launch, args *unsafe.Pointer)
	launches int
	fine     bool // it accesses less than four bytes at a time
}

// libraries holds what became of the kernels in each folder, so that a test binary compiles them once.
var libraries = struct {
	sync.Mutex
	in map[string]func() (*Library, error)
}{in: map[string]func() (*Library, error){}}

// Compile translates the kernels in dir and compiles them. Where there is no GNU g++ or no go command the test is
// skipped.
func Compile(t testing.TB, dir string) *Library {
	t.Helper()
	if err := missing(); err != nil {
		needs.Missing(t, "%v", err)
	}
	l, err := library(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func library(dir string) (*Library, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	libraries.Lock()
	once := libraries.in[dir]
	if once == nil {
		once = sync.OnceValues(func() (*Library, error) { return compile(dir) })
		libraries.in[dir] = once
	}
	libraries.Unlock()
	return once()
}

// Run launches a loop for indices of [lo, hi), or for all of its box. The memory that its arguments lead to then holds
// the outcome in the natural order. The test fails if the outcome could be another one in another order.
func (l *Library) Run(t testing.TB, loop abi.Launcher, lo, hi int) {
	t.Helper()
	if err := l.run(loop.Launch(), lo, hi); err != nil {
		t.Error(err)
	}
	runtime.KeepAlive(loop)
}

func (l *Library) run(k abi.Launch, lo, hi int) error {
	e := l.entries[k.Symbol]
	if e == nil {
		return fmt.Errorf("kerneltest: no kernel %s", k.Symbol)
	}
	if len(k.Args) != len(e.Params) || k.Dims != e.Kernel.Dims || k.Block != e.Kernel.Block || k.Tile != e.Kernel.Tile {
		return fmt.Errorf("kerneltest: %s and its launcher differ: %d and %d arguments", k.Symbol, len(e.Params), len(k.Args))
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	r, err := l.prepare(e, k, lo, hi)
	if err != nil {
		return err
	}
	race := r.races()
	r.memory.keep()
	tried := orders
	if n := e.launches % len(orders); race == nil && e.launches > 0 {
		tried = orders[n : n+1]
	}
	e.launches++
	order := r.orders(tried)
	r.memory.give()
	return errors.Join(race, order)
}
