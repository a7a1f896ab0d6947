//go:build mpi && cgo

package mpi

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	empi "github.com/emer/empi/mpi"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
)

// Built reports whether this program was built with MPI.
const Built = true

var started atomic.Bool

// liveComms keeps the garbage collector from freeing communicators whose memory MPI may still use: after a failure the
// program may drop a communicator that has pending messages.
var liveComms sync.Map

// Init initialises MPI and returns the communicator of all processes that the launcher has started; without a
// launcher, of one rank. MPI can be initialised only once in a process; closing the communicator finalises it.
func Init() (dist.Comm, error) {
	if started.Swap(true) {
		return nil, errors.New("dist/mpi: Init was called twice, but MPI can be initialised only once in a process")
	}
	if err := empi.InitThreadSafe(); err != nil {
		return nil, fmt.Errorf("dist/mpi: this MPI (%s) does not support threads (MPI_THREAD_MULTIPLE): %w", Version(), err)
	}
	c, err := open()
	if err != nil {
		return nil, err
	}
	c.fromInit = true
	return c, nil
}

// open returns a new communicator of all ranks, independent of earlier ones.
func open() (*comm, error) {
	e, err := openEngine()
	if err != nil {
		return nil, fmt.Errorf("dist/mpi: %w", err)
	}
	n := empi.WorldSize()
	c := &comm{engine: e, rank: empi.WorldRank(), size: n, tagLimit: tagLimit()}
	c.peers = make([]peer, n)
	c.leaving = leaving{tree: collect.NewTree(c.rank, n), gone: make(map[int]bool)}
	c.sent = newCounters(n)
	c.received = newCounters(n)
	c.table.engine = e
	c.collective.open(e, c.rank, n)
	liveComms.Store(c, nil)
	return c, nil
}

func newCounters(n int) []atomic.Uint64 { return make([]atomic.Uint64, n) }
