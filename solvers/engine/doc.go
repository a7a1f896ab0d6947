// Package engine takes the steps of a solver that declares its arrays and its step as data.
//
// A solver declares arrays in a [Table], what ranks exchange of them in [Ghosts], a step as a [Program] of tasks,
// exchanges and reductions, the length of its steps by a [Clock], and what is measured in [Measures]. An [Engine]
// plays the program, alone or on several ranks, through the host or on linked devices, records what the host takes no
// part in, and implements the interfaces of package solvers.
//
// The rules: a program has the same exchanges and reductions in the same order on all ranks; its loops are made once,
// for each step of a cycle of buffers; what the host does in a step is an operation of its own, which ends a recording.
package engine
