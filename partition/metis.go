//go:build linux

package partition

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/atoll-hpc/atoll/internal/dynlib"
)

// metisLibrary is libmetis 5, opened at run time, so that building and running Atoll does not need it.
type metisLibrary struct {
	mu   sync.Mutex // the random state and the signal handlers of libmetis are global to the process
	wide bool       // idx_t has 64 bits rather than 32
	kway uintptr    // METIS_PartGraphKway
}

const metisOK = 1 // METIS_OK of metis.h

var openMETIS = sync.OnceValues(func() (*metisLibrary, error) {
	handle, err := dynlib.Open("libmetis.so.5", "libmetis.so")
	if err != nil {
		return nil, fmt.Errorf("libmetis is not installed: install it (Debian and Ubuntu: apt install libmetis5), or "+
			"choose one of %s, %s, %s, which need no library (%w)", HilbertCut, RCB, RandomCut, err)
	}
	var lib metisLibrary
	defaults, err := dynlib.Symbol(handle, "METIS_SetDefaultOptions")
	if err != nil {
		return nil, fmt.Errorf("libmetis was found, but is not METIS 5: %w", err)
	}
	if lib.kway, err = dynlib.Symbol(handle, "METIS_PartGraphKway"); err != nil {
		return nil, fmt.Errorf("libmetis was found, but is not METIS 5: %w", err)
	}
	if lib.wide, err = probeWidth(defaults); err != nil {
		return nil, err
	}
	// A path of four vertices has one best cut in two halves. Another result means that the library's parameters are
	// not those of METIS 5.
	path := Graph{Start: []int32{0, 1, 3, 5, 6}, Adj: []int32{1, 0, 2, 1, 3, 2}}
	partOf, err := lib.partition(path, 2)
	if err != nil {
		return nil, err
	}
	if partOf[0] != partOf[1] || partOf[2] != partOf[3] || partOf[0] == partOf[2] {
		return nil, fmt.Errorf("libmetis was found, but is not METIS 5: it assigns the vertices of the path 0-1-2-3 to "+
			"the parts %v, which is not the best cut in two", partOf)
	}
	return &lib, nil
})

// probeWidth finds out whether idx_t has 64 bits: METIS_SetDefaultOptions sets all 40 options to -1, which is 40 or 80
// words of 32 bits.
func probeWidth(setDefaultOptions uintptr) (wide bool, err error) {
	const noptions = 40 // METIS_NOPTIONS of metis.h
	words := make([]int32, 4*noptions)
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(&words[0])
	purego.SyscallN(setDefaultOptions, addressOf(words))
	wordsSet := 0
	for wordsSet < len(words) && words[wordsSet] == -1 {
		wordsSet++
	}
	switch wordsSet {
	case noptions:
		return false, nil
	case 2 * noptions:
		return true, nil
	}
	return false, fmt.Errorf("libmetis was found, but sets %d words of options where METIS 5 sets %d or %d", wordsSet,
		noptions, 2*noptions)
}

// metisKway is the k-way partition of libmetis with its default options, which include a fixed seed. No option is set,
// since versions of the library number them differently.
func metisKway(g Graph, parts int) ([]int32, error) {
	lib, err := openMETIS()
	if err != nil {
		return nil, err
	}
	n := g.N()
	switch {
	case parts > n:
		return nil, fmt.Errorf("%d parts of %d cells: METIS makes no empty parts; choose fewer parts, or %s or %s",
			parts, n, HilbertCut, RCB)
	case parts == 1 || g.Edges() == 0:
		// All balanced partitions cut equally many edges, and some versions of libmetis reject such graphs.
		return cutEvenly(identity(n), parts), nil
	}
	return lib.partition(g, parts)
}

func (lib *metisLibrary) partition(g Graph, parts int) ([]int32, error) {
	if lib.wide {
		partOf, err := callKway(lib, int64(g.N()), widen(g.Start), widen(g.Adj), int64(parts))
		narrow := make([]int32, len(partOf))
		for i, part := range partOf {
			narrow[i] = int32(part)
		}
		return narrow, err
	}
	return callKway(lib, int32(g.N()), g.Start, g.Adj, int32(parts))
}

// callKway calls METIS_PartGraphKway for a library whose idx_t is T. All weights are 1.
func callKway[T int32 | int64](lib *metisLibrary, n T, start, adjacent []T, parts T) ([]T, error) {
	lib.mu.Lock()
	defer lib.mu.Unlock()
	defer keepSignalHandlers()()
	scalars := []T{n, 1, parts, 0} // vertices, weights a vertex, parts, edges cut
	partOf := make([]T, n)
	var pinner runtime.Pinner
	defer pinner.Unpin()
	for _, array := range [][]T{scalars, start, adjacent, partOf} {
		pinner.Pin(&array[0])
	}
	status, _, _ := purego.SyscallN(lib.kway, addressOf(scalars), addressOf(scalars[1:]), addressOf(start),
		addressOf(adjacent), 0, 0, 0, addressOf(scalars[2:]), 0, 0, 0, addressOf(scalars[3:]), addressOf(partOf))
	if int32(status) != metisOK {
		return nil, fmt.Errorf("METIS_PartGraphKway failed with status %d (-2 input, -3 memory, -4 other)",
			int32(status))
	}
	for cell, part := range partOf {
		if part < 0 || part >= parts {
			return nil, fmt.Errorf("libmetis assigned cell %d to part %d, want 0..%d", cell, part, parts-1)
		}
	}
	return partOf, nil
}

func widen(values []int32) []int64 {
	wide := make([]int64, len(values))
	for i, v := range values {
		wide[i] = int64(v)
	}
	return wide
}

// addressOf is the address of the first element, for C. The caller pins it.
func addressOf[T int32 | int64](values []T) uintptr {
	return uintptr(unsafe.Pointer(&values[0]))
}
