// Package mpi is the transport over MPI, for ranks that mpirun or srun has started. Init returns the dist.Comm of
// this process, and Watch makes ranks detect hung ranks. The package needs the build tag mpi, cgo and an installed
// MPI; without them Init returns ErrNotBuilt.
//
// # Protocol
//
// MPI is initialised for threads (MPI_THREAD_MULTIPLE) by github.com/emer/empi. Everything else happens on four
// duplicates of MPI_COMM_WORLD, on which MPI returns errors instead of ending the process. The code calls them
// channels:
//
//	messages     the messages of Isend and Irecv, and the headers of long ones
//	bodies       the bytes of long messages
//	collectives  the messages of collectives
//	notices      ranks leave, or the run has failed and why
//
// A message of up to 4 KiB is copied through C memory. A longer message is sent from and received into the caller's
// memory, which is pinned while it is pending.
//
// Collectives are built from messages, because a blocking MPI collective cannot be ended by a context or an Abort,
// MPI_MIN does not define the result for NaN, and MPI does not detect that ranks call different collectives. Each
// begins with an exchange by recursive doubling. Its messages identify the collective, so that ranks detect when they
// call different ones. Small reductions and barriers consist of that exchange only: ⌈log₂ n⌉ messages in succession.
// All operations are exact and independent of order, so that the result has the same bits on any number of ranks.
//
// # Waiting
//
// A waiting call polls MPI for about 10 µs, then yields its core between polls. After 2 ms it sleeps between polls,
// up to 200 µs and at most 3% of the time waited, so that other ranks on the same core can run. It detects the end
// of its context, and an Abort by any rank, within a millisecond.
//
// MPI transfers messages only while a thread is in an MPI call. A rank that computes for long delays a peer that
// sends it more than MPI's eager limit, as in every MPI program.
//
// # Failure
//
// MPI does not report lost ranks: when a process dies, mpirun or srun ends the others and prints which one died.
// They do not detect a rank that hangs: Watch makes the ranks watch each other by UDP heartbeats, signed with a
// shared key, and fails the run when a rank's heartbeats stop. This package handles all other failures: the first
// failure on any rank (an Abort, a collective that timed out or that differs between ranks) is sent to all ranks, and
// pending and later calls return it. A receive whose context ends is cancelled, without effect on other messages. A
// send of more than 4 KiB whose context ends, and that MPI cannot cancel, fails the run, since MPI still uses the
// caller's memory.
//
// Close ends the calls of other goroutines and waits until all ranks have closed, of which they tell each other along a
// tree, then finalises MPI. A call that waits for a rank for more than 100 ms asks it whether it has closed. After a
// failure it waits up to two seconds for the others, and then ends all by MPI_Abort.
package mpi

import "errors"

// ErrNotBuilt is the error of Init in a program that was built without MPI.
var ErrNotBuilt = errors.New("this program was built without MPI: install an MPI library and build with " +
	"`make build-mpi` (go build -tags mpi), or choose another transport")
