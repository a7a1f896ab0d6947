// Package kernels has the operations of an adaptation in the plane on meshes in flat arrays: what a split, a
// collapse, a swap or a move of a vertex would give, and whether it is accepted. Processors call its functions;
// kernels of them run whole rounds on a device.
//
// What an operation gives depends on the triangles around one vertex, their global ids and the metric alone, not on
// the order of anything in memory. Only + − × ÷ √ and comparisons of floating-point numbers are used, so that every
// processor gives the same bits.
package kernels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90
