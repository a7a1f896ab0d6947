// Package local is the transport for ranks that are goroutines of one process: New returns their communicators, and
// Each runs a function on every rank. Tests use it to delay, reorder and drop messages, and to kill a rank.
//
// # Protocol
//
// Sends and receives are matched in a lane, one for each ordered pair of ranks. The second of the two copies the
// bytes directly from the sender's buffer into the receiver's. Messages are not buffered: a program that relies on
// buffering (which MPI does not guarantee either) blocks here at any message size, until its context ends.
//
// Two Collectives are used alternately. A rank can enter collective k+2 only after all have entered k+1, and hence
// left k.
//
// In steady state no call allocates.
//
// # Failure
//
// The first failure ends the run for all ranks: a killed rank, an Abort, a rank that gives up a collective because
// its context ended, or ranks that call different collectives. Pending and later calls return its cause. A
// point-to-point call whose context ends is cancelled and affects no other. A closed rank is not a failure: calls
// that would wait for it return a *dist.PeerError that wraps dist.ErrClosed.
package local
