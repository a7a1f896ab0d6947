// Package cuda runs kernels on an NVIDIA GPU through the driver's own interface, libcuda.so.1, which is looked for when
// a device is opened: a program with this package in it builds without CUDA and runs without a GPU.
//
// A [Device] belongs to one rank and is called from one goroutine. Ranks of one process that share a GPU share its
// primary context, so that memory is common to them, and have streams of their own.
//
// Kernels come as PTX, which the driver compiles for the GPU it finds ([Device.Load]). A kernel with its arguments is a
// [Launch]; it takes the bounds lo and hi of each dimension of its index space first, as int64, then the arguments as
// Go holds them: numbers, structs and slice headers, whose memory is the device's (backend.Make). What a rank's step
// repeats can be captured as a [Graph] and replayed in one call.
//
// Everything is queued on the compute stream unless said otherwise, and errors are remembered: the first one comes back
// from the next call that returns one, [Device.Sync] and Download included, with the kernel's name.
//
// With ATOLL_CUDA_DEBUG=1 in the environment every kernel is waited for and timed, and Close prints a table of them.
package cuda

//go:generate go run ./gen primitives.cu testdata/kernels.cu
