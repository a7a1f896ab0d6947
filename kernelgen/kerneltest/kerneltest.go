// Package kerneltest runs translated kernels without a GPU: it compiles their CUDA C as C++ and launches it, with the
// same parameters as on a device, on one thread. [Compile] makes a [Library] of a package's kernels, whose method Run
// launches a loop. Tests compare the results with those of the Go functions, by [Same].
//
// # Races
//
// A GPU executes the indices of a kernel, and the iterations of a tile's loops, in any order and concurrently. Every
// launch is therefore also a test for races. Its unit is a turn: an index of a kernel; of a tile kernel, an iteration
// of a distributed loop, the copies marked //atoll:async of such an iteration, or the statements outside of the loops,
// which all threads execute and which must not write to memory. A launch fails
//
//   - if two turns access the same byte and no barrier orders them, unless both read it or both change it by the same
//     atomic function. Turns are unordered if they belong to different indices or tiles, or to one tile between two of
//     its barriers.
//   - if another order of the turns changes a byte of the result. The reverse order and two pseudo-random ones are
//     tried, with other initial contents of shared memory, which finds reads of uninitialized shared memory. The first
//     launch of a kernel tries all orders, each later launch one of them.
//
// The first rule is exact for the data of the launch, since the compiler instruments every access. If it finds no
// conflict, no turn reads what an unordered turn writes, and the atomic functions commute and return nothing. By
// induction over its accesses each turn then does the same in every interleaving: the result is unique.
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
	memory memory     // of the present launch

	shadow, changes []uint64 // the arrays of cells and changes of shadow.h
	cells           int      // length of these arrays
	turns           int64    // the greatest number of a turn in them
}

// entry is a kernel in one precision.
type entry struct {
	*kernelgen.Entry
	call      func(l *launch, args *unsafe.Pointer)
	launches  int
	byteCells bool // it has accesses of less than four bytes, which need a cell for each byte
}

// libraries caches the libraries by folder, so that a test binary compiles each once.
var libraries = struct {
	sync.Mutex
	byFolder map[string]func() (*Library, error)
}{byFolder: map[string]func() (*Library, error){}}

// Compile translates the kernels in dir and compiles them. It skips the test if GNU g++ or the go command is missing.
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

// library returns the library of the kernels in dir, which it compiles on first use.
func library(dir string) (*Library, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	libraries.Lock()
	once := libraries.byFolder[dir]
	if once == nil {
		once = sync.OnceValues(func() (*Library, error) { return compile(dir) })
		libraries.byFolder[dir] = once
	}
	libraries.Unlock()
	return once()
}

// Run launches a loop for the indices [lo, hi), or for all of its box. Afterwards the loop's slices and structs hold
// the result of the launch in natural order. The test fails if the launch has a race.
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
		return fmt.Errorf("kerneltest: %s and its launcher differ: generate them again", k.Symbol)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	r, err := l.prepare(e, k, lo, hi)
	if err != nil {
		return err
	}
	race := r.checkRaces()
	r.memory.save()
	tried := orders
	if n := e.launches % len(orders); race == nil && e.launches > 0 {
		tried = orders[n : n+1]
	}
	e.launches++
	order := r.checkOrders(tried)
	r.memory.copyToHost()
	return errors.Join(race, order)
}
