// Package partition decides who owns a cell and in which order cells are stored. It holds graphs of cells (or
// vertices), orderings that bring neighbours close together in memory, partitions into balanced parts, the local
// arrangement of one part with its ghosts, and reports on the quality of each.
//
// Everything here is a pure function from values to values: the same graph, coordinates and seed give the same
// answer on every machine and for any number of ranks. Ties are always broken by the lower id. The one exception
// is [METIS], whose answer is that of the library found at run time.
//
// Two conventions hold throughout. An ordering is a slice perm with perm[new] = old. A partition is a slice partOf
// with partOf[cell] = the part that owns it, from 0.
package partition
