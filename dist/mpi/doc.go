// Package mpi is the transport for ranks that mpirun or srun has started, over MPI. Init returns the dist.Comm of
// this process, and Watch makes ranks detect hung ones. The package needs the build tag mpi, cgo and an installed
// MPI; without them Init returns ErrNotBuilt.
//
// # Protocol
//
// MPI is initialised for threads (MPI_THREAD_MULTIPLE) by github.com/emer/empi. Everything else happens on three
// duplicates of MPI_COMM_WORLD, with errors returned instead of fatal:
//
//	messages  the messages of Isend and Irecv
//	rounds    the messages of collectives
//	notices   that a rank leaves, or that the run has failed and why
//
// A message of up to 4 KiB is copied through C memory. A longer one is sent from and received into the caller's
// memory, which is pinned meanwhile.
//
// Collectives are built from messages, because a blocking MPI collective cannot be ended by a context or an Abort,
// MPI_MIN does not define the result for NaN, and MPI does not detect that ranks call different collectives. Each
// begins with an exchange by recursive doubling whose messages identify the collective, which detects ranks that
// differ. Small reductions and barriers consist of that exchange alone, ⌈log₂ n⌉ messages deep. All operations are
// exact and independent of order, so that the result has the same bits on any number of ranks.
//
// # Waiting
//
// A waiting call polls MPI for about 10 µs, then yields its core between polls. After 2 ms it sleeps between polls,
// up to 200 µs and at most 3% of the time waited, so that other ranks on the same core can run. It detects the end
// of its context, and an Abort of any rank, within a millisecond.
//
// MPI transfers messages only while a thread is in an MPI call. A rank that computes for long delays a peer that
// sends it more than MPI's eager limit, as in every MPI program.
//
// # Failure
//
// MPI does not report lost ranks: when a process dies, mpirun or srun ends the others and prints which one died.
// They do not detect a rank that hangs: Watch makes the ranks watch each other by UDP heartbeats, signed with a
// shared key, and fails the run when one is silent. All other failures are handled by this package: the first
// failure on any rank (an Abort, a collective that was given up or that differs between ranks) is sent to all, and
// pending and later calls return it. A receive that ends with its context is cancelled and affects no other. A send
// of more than 4 KiB that can no longer be cancelled fails the run, since the caller's memory is still in use.
//
// Close ends the calls of other goroutines and waits until all ranks have closed, then finalises MPI. After a
// failure it waits up to two seconds for the others, and then ends all by MPI_Abort.
package mpi

import "errors"

// ErrNotBuilt is the error of Init in a program that was built without MPI.
var ErrNotBuilt = errors.New("this program was built without MPI: install an MPI and build it with " +
	"`make build-mpi` (go build -tags mpi), or choose another transport")
