// Package dist defines the communicator through which ranks exchange messages and call collectives, Comm, and what
// needs nothing but a communicator: exact sums over ranks (Accumulator, AllreduceSum), several reductions in one
// (Joint), gatherings in the background (Gathering), and agreement on errors (FirstError).
//
// The transports are dist/local (ranks are goroutines of one process), dist/grpc and dist/mpi (ranks are
// processes). All pass the conformance suite of dist/disttest.
package dist

import (
	"context"
	"errors"
	"fmt"
)

// Comm connects the ranks of one run. Point-to-point calls may be made from several goroutines; collectives are
// called by every rank in the same order, from one goroutine per rank. Messages between two ranks with one tag do
// not overtake each other.
//
// No call blocks forever: each returns when its context ends, and within seconds after a peer has died. Every error
// that a peer causes is, or wraps, a *PeerError with its rank.
type Comm interface {
	Rank() int
	Size() int

	// Isend starts sending buf, which may be empty. The caller leaves buf unchanged until Wait has returned.
	Isend(ctx context.Context, to, tag int, buf []byte) (Request, error)
	// Irecv starts receiving exactly len(buf) bytes into buf. A message of another length is an error in Wait.
	Irecv(ctx context.Context, from, tag int, buf []byte) (Request, error)
	// IrecvUpTo starts receiving a message of up to len(buf) bytes. When Wait has returned nil, *length is the
	// number of bytes received, and the rest of buf is unchanged; the caller must not access *length before. A
	// longer message is an error in Wait. Irecv and IrecvUpTo match messages by the same rules: a receive of either
	// kind gets the next message with its tag.
	IrecvUpTo(ctx context.Context, from, tag int, buf []byte, length *int) (Request, error)
	// Wait returns when all requests are complete, or when the first fails. Each request must be waited for exactly
	// once.
	Wait(ctx context.Context, reqs []Request) error

	// AllreduceFloat64 replaces buf on every rank by the element-wise minimum or maximum over all ranks; a NaN on
	// any rank gives NaN.
	AllreduceFloat64(ctx context.Context, op Op, buf []float64) error
	// AllreduceInt64 replaces buf on every rank by the element-wise sum (wrapping), minimum, maximum or bitwise
	// or over all ranks.
	AllreduceInt64(ctx context.Context, op Op, buf []int64) error
	Barrier(ctx context.Context) error
	// Bcast copies root's buf into every rank's, which must be of the same length.
	Bcast(ctx context.Context, root int, buf []byte) error
	// Gatherv returns every rank's bytes in rank order on root, nil elsewhere. Lengths may differ.
	Gatherv(ctx context.Context, root int, send []byte) ([][]byte, error)
	// Allgatherv returns every rank's bytes in rank order on every rank.
	Allgatherv(ctx context.Context, send []byte) ([][]byte, error)

	// Abort ends the run on all ranks: their pending and later calls return an *AbortError that carries the rank
	// of the caller, code and cause. It does not exit the process.
	Abort(code int, cause error)
	// Close leaves the run: it waits, for a bounded time, until peers no longer need this rank.
	Close() error
}

// Request names a pending send or receive of the Comm that returned it.
type Request uint64

// Op is a reduction that does not depend on the order of its operands.
type Op uint8

const (
	Min Op = iota
	Max
	Sum // of integers only: see Accumulator for sums of float64
	Or  // of integers only
)

// PeerError is a failure of the communication with a rank.
type PeerError struct {
	Rank int // the peer
	Err  error
}

func (e *PeerError) Error() string { return fmt.Sprintf("rank %d: %v", e.Rank, e.Err) }
func (e *PeerError) Unwrap() error { return e.Err }

// ErrPeerLost is wrapped by a PeerError when the peer's process died or stopped answering.
var ErrPeerLost = errors.New("lost (the process died or stopped answering)")

// ErrClosed is wrapped by the error of a call on, or with, a rank that has called Close.
var ErrClosed = errors.New("has left the run")

// AbortError is the error of all calls after a rank called Abort.
type AbortError struct {
	Rank, Code int
	Cause      string
}

func (e *AbortError) Error() string {
	return fmt.Sprintf("rank %d aborted the run: %s", e.Rank, e.Cause)
}
