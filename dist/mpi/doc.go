// Package mpi connects ranks that mpirun or srun has started, over MPI. It needs the build tag mpi, cgo and an
// installed MPI; without them Init returns ErrNotBuilt, and the rest of the module does without.
//
// # Protocol
//
// MPI is initialised for threads (MPI_THREAD_MULTIPLE) by github.com/emer/empi. Everything else happens on three
// duplicates of MPI_COMM_WORLD, with errors returned instead of fatal:
//
//	messages  what Isend and Irecv carry
//	rounds    what collectives carry
//	notices   that a rank leaves, or that the run has failed and why
//
// A message of up to 4 KiB is copied through memory on C's side. A longer one travels from and into the caller's
// memory, which is pinned meanwhile.
//
// Collectives are built from messages, because a blocking MPI collective can honour neither a context nor an Abort,
// MPI_MIN does not define what NaN gives, and MPI does not notice when ranks call different ones. Each begins with an
// exchange by recursive doubling whose messages say which collective it is: two ranks that differ find out there.
// Small reductions and barriers are that exchange alone, ⌈log₂ n⌉ messages deep. All operations are exact and
// order-free, so the result has the same bits on any number of ranks.
//
// # Waiting
//
// A call that waits tests for some 10 µs, then yields its core between tests, and sleeps up to 200 µs at a time, but 3%
// of the time waited at most, once it has waited 2 ms: ranks that share cores get on. It sees the end of its context,
// and an Abort of any rank, within a millisecond.
//
// MPI moves messages only while some thread is in a call. A rank that computes for long delays a peer that sends it
// more than MPI's eager limit, as in every MPI program.
//
// # Failure
//
// MPI has no notion of a lost rank: when a process dies, mpirun or srun ends the others and says which it was. A rank
// that hangs they do not notice: Watch makes the ranks watch each other by datagrams beside MPI, signed with a key that
// they share, and fails the run when one is silent. What this package adds besides is the way there. The first failure
// on any rank (an Abort, a collective that was given up or that differs between ranks) is told to all, and pending and
// later calls return it. A receive that ends with its context is withdrawn and harms no other. A send of more than
// 4 KiB that cannot be withdrawn any more fails the run, since the caller's memory is still in use.
//
// Close ends the calls of other goroutines and waits until all ranks have closed, then finalises MPI. After a failure
// it gives the others two seconds to notice it, and ends those that have not by MPI_Abort.
package mpi

import "errors"

// ErrNotBuilt tells that this program cannot speak MPI.
var ErrNotBuilt = errors.New("this program was built without MPI: install an MPI and build it with " +
	"`make build-mpi` (go build -tags mpi), or choose another transport")

// ErrClosed is wrapped by the error of a call on, or to, a rank that has called Close.
var ErrClosed = errors.New("has left the run")
