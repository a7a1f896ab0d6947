// Package cuda runs kernels on an NVIDIA GPU through the driver API, libcuda.so.1. It loads the library when a device
// is opened, so that a program with this package builds without CUDA and runs without a GPU.
//
// A [Device] belongs to one rank and is called from one goroutine. Ranks of one process that share a GPU share its
// primary context, and therefore its address space, but each has its own streams.
//
// Kernels are given as PTX, which the driver compiles for the GPU ([Device.Load]). A [Launch] is a kernel with its
// arguments: first the bounds lo and hi of each dimension of its index space, as int64, then numbers, structs and slice
// headers in Go's layout. Slices must lie in the device's memory (backend.Make). A repeated sequence of launches can be
// captured as a [Graph], which is queued with one call.
//
// All work is queued on the compute stream unless a comment says otherwise. The device stores its first error, which
// names the kernel, and returns it from all later calls, [Device.Sync] and Download included.
//
// With ATOLL_CUDA_DEBUG=1 in the environment the device waits for every kernel and times it, and Close prints a table.
package cuda

//go:generate go run ./gen -machine primitives.cu peer.cu
//go:generate go run ./gen testdata/kernels.cu
