// Package local connects ranks that are goroutines of one process. It is also the transport of tests: it can delay
// and reorder messages, drop them, and kill a rank.
//
// # Protocol
//
// A send and the receive that matches it meet in a lane, of which there is one for each ordered pair of ranks. Whoever
// comes second copies the bytes straight from the sender's buffer into the receiver's. Nothing is buffered, so a
// program that relies on buffering, which MPI does not promise for large messages either, shows it here at any size:
// its sends wait until their context ends.
//
// Collectives use two rounds in turn. A rank can enter round k+2 only after all have entered k+1, hence left k.
//
// In steady state no call allocates.
//
// # Failure
//
// The first failure ends the run for all ranks: a killed rank, an Abort, a rank that gives up a collective because its
// context ended, or ranks that call different collectives. Pending and later calls return its cause. A point-to-point
// call whose context ends is withdrawn and harms no other. That a rank closes is no failure: calls
// that would wait for it return a *dist.PeerError that wraps ErrClosed.
package local
