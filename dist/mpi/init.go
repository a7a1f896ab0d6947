//go:build mpi && cgo

package mpi

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	empi "github.com/emer/empi/mpi"

	"github.com/atoll-hpc/atoll/dist"
)

// Built reports whether this program can speak MPI.
const Built = true

var started atomic.Bool

// held are the communicators whose memory MPI may still use. Nothing else need hold one: the program may have dropped
// it after a failure, with messages under way for ever.
var held sync.Map

// Init starts MPI and returns the rank of this process among all that the launcher has started. Started by none, it is
// a run of one rank. MPI can be started once in a process; closing the communicator ends it.
func Init() (dist.Comm, error) {
	if started.Swap(true) {
		return nil, errors.New("dist/mpi: MPI can be started only once in a process")
	}
	if err := empi.InitThreadSafe(); err != nil {
		return nil, fmt.Errorf("dist/mpi: this MPI (%s) was built without support of threads: %w", Version(), err)
	}
	c, err := open()
	if err != nil {
		return nil, err
	}
	c.job = true
	return c, nil
}

// open connects all ranks anew, apart from earlier communicators.
func open() (*comm, error) {
	e, err := openEngine()
	if err != nil {
		return nil, fmt.Errorf("dist/mpi: %w", err)
	}
	n := empi.WorldSize()
	c := &comm{engine: e, rank: empi.WorldRank(), size: n, tagLimit: tagLimit()}
	c.peers = make([]peer, n)
	c.sent = newCounters(n)
	c.received = newCounters(n)
	c.table.engine = e
	c.rounds.open(e, c.rank, n)
	held.Store(c, nil)
	return c, nil
}

func newCounters(n int) []atomic.Uint64 { return make([]atomic.Uint64, n) }
