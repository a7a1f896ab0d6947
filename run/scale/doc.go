// Package scale predicts how long the steps of a case take on many ranks. A Trace takes some steps on a few ranks of
// this process and records, through their communicators, what each exchanges, reduces and computes in between. A World
// divides the case among other ranks as its set-up would, with the real plans of all exchanges. Simulate then plays the
// recorded sequence on these ranks, on a machine whose messages follow LogGOPS. Nothing here knows a solver.
package scale
