// Package kernelgen translates kernels, plain Go functions that do one cell, edge or particle, to CUDA C, and writes
// the loops that run them on either kind of device. The Go function is the only source.
//
//	//atoll:kernel
//	func Add[F Float](i int, p *Params[F], x []F, out []F) { out[i] = x[i] + p.Shift }
//
// A function so marked is emitted once for each float type that its type parameter allows, as Add_f32 and Add_f64, with
// all that it calls, in its package or in others outside of the standard library. What cannot be translated is refused
// with file, line, column and reason: kernels that pass mean the same in Go and in CUDA, to the last bit. The guide
// docs/kernels.md shows how to write them.
//
// # Marks
//
//	//atoll:kernel             a kernel over one index, or over i, j or i, j, k by those names; i varies fastest
//	//atoll:kernel min         its result is reduced to the least; max to the largest
//	//atoll:kernel block=256   threads of a block, 128 by default
//	//atoll:kernel blocks=4    a GPU's multiprocessor is to hold so many blocks at a time, of float32 twice as many
//	//atoll:kernel way=A,B     parameter way is constant on the GPU; see Variants
//	//atoll:kernel lanes       on the CPU, vectors do several indices at a time; lanes=A,B for these variants
//	//atoll:kernel tile        an index is a tile, which a block does together; see Tiles
//	//atoll:kernel stages=32   on the CPU, 32 indices go through each call of the body before the next call
//	//atoll:kernel grain=64    a thread of the CPU takes 64 indices at a time; of a tile kernel 4
//	//atoll:constant           before a struct: kernels get it by value and only read it
//	//atoll:mostly, seldom     before a branch of a kernel marked lanes: most indices take it, or few
//	//atoll:rare               before a function: vectors put off the indices that call it, until they are many
//
// # Variants
//
// A parameter that is an integer or a bool, and for which the mark lists values, is constant in the translation: there
// is an entry for each value, Add_A_f64 and Add_B_f64, or Add_way_1_f64 where values have no names, in which the
// compiler leaves out what the value does not need. Several such parameters make an entry of each combination, the
// last one's values fastest, and blocks=4,5 is then a number for each. On the CPU the parameter is as any other, and a
// loop's Launch takes the entry of its value; it panics where the mark does not list that.
//
// # Packages
//
// Kernels call functions and methods of other packages, and use their types and constants, but for the standard
// library, of which they know some functions of math and sync/atomic. In CUDA C a name of another package has that
// package's name before it. Generic functions and types may have values of any kind as type arguments. A kernel of
// another package is a function like others.
//
// # Same bits
//
// The CUDA C is compiled without contraction and with IEEE division and roots. Signed integers wrap around. Shift
// counts may exceed the width. The builtins min and max, math.Min and math.Max treat NaN and -0 as Go does. Constants
// are rounded once. F(math.Sqrt(float64(x))) is a single root in F.
//
// These differ, and a kernel must not depend on them: which NaN an operation makes; conversions of floats to integers
// that cannot hold them; an index out of range, a division of integers by zero, and a negative shift count, which panic
// in Go, so run kernels on the CPU first.
//
// # Entries
//
// An entry is an extern "C" function. It takes, in this order:
//
//   - int64 lo, int64 hi for one index, or both for each of two or three: the thread (x, y, z) of the grid does
//     index lo + x, lo + y, lo + z and nothing from hi on. Blocks are rows of threads, block × 1 × 1, at most the
//     kernel's block, and a multiple of 32.
//   - each parameter. A slice is {pointer, length, capacity}, 24 bytes, as in Go. A number, a bool or a struct is its
//     bytes. A pointer to a struct that is marked //atoll:constant or that holds slices is the struct's bytes, with
//     device addresses in its slices. Any other pointer to a struct is a device address.
//   - for a reduction, the device address of an atomics.Least or atomics.Most.
//
// Structs have Go's sizes and offsets, which the CUDA C asserts. A struct of numbers that is an element of slices and
// a part of no other struct is aligned to 16 or 8 bytes where that divides its size, so that the GPU moves it in such
// pieces: slices must begin at addresses that allow it, as cuMemAlloc's do, and end where an element ends.
//
// # Reductions
//
// A Least is 8 bytes: an integer key that is larger for what wins, and 0 where nothing has been taken. For a float64 x
// with bits b, let r be b with its first bit set if x has no sign, else the complement of b. The key of Most is r, that
// of Least its complement, and for NaN all bits are set. A float32 does the same in the lower 32 bits. A block reduces
// its keys and then takes one atomic maximum. Zeroed memory is empty; kernels may take a *atomics.Least to read it with
// Value and to empty it with Reset, so that a time step never leaves the device.
//
// # Tiles
//
// A tile kernel does a piece of the work, such as a few hundred cells, by loops that the threads of a block share:
//
//	//atoll:kernel tile
//	func Blur[F Float](t int, tiles []Tile, x, out []F, shared *[256]F) {
//		first, n := tiles[t].First, tiles[t].Count
//		for i := range n {
//			shared[i] = weigh(x[first+i])
//		}
//		for i := range n {
//			out[first+i] = shared[i] + shared[n-1-i]
//		}
//	}
//
// Each outer loop over an integer is shared: its turns go to different threads, and the next loop begins when all are
// done. A pointer to an array is memory that the block shares; what it holds at the start is undefined. A turn must not
// write what another turn of the same loop reads or writes; package kerneltest finds those that do. What stands outside
// of the loops is done by every thread, and only sets variables; what reads shared memory there waits for the loops
// before. Inside of a loop nothing from outside is assigned, but for best = min(best, x), or max, of a kernel with that
// reduction, which returns best. A loop marked //atoll:ordered is not shared: all threads take its turns together, and
// share the loops inside. On the CPU all this is the Go function as it stands.
//
// An assignment marked //atoll:async copies numbers from slices to shared memory without a stop at registers, those
// that lie together in one piece: no thread waits for them before the end of the loop, and a turn must not read them.
// It needs a GPU of compute capability 8.0, and so do all kernels of the package then.
//
// Arrays of more than 48 KiB in all are asked for at the launch: abi.Launch.Shared says how many bytes, and a device
// whose blocks have less refuses the loop. They begin at multiples of 16 bytes, in the order of the parameters.
//
// # Files
//
// Command kernelgen writes kernels_gen.cu, kernels_gen.ptx and kernels_gen.go beside the kernels. The first line of
// the PTX is the SHA-256 of the compiler's options and of the CUDA C without comments; [Check] compares it, and
// everything else, without a compiler. Where there is none, a line that says so takes the place of PTX that is not
// current: the CPU runs the kernels then, and GPUs refuse them. A line in one of the package's files asks for machine
// code of GPUs too:
//
//	//atoll:machine sm_80 sm_90
//
// It goes to kernels_gen.zip, with the first line of the PTX that it goes with: what goes with another one is not used.
// For each kernel K the Go file has a type KLoop:
// NewKLoop takes the kernel's arguments without the indices, preceded by an abi.Box for two or three indices and
// followed by the Least or Most of a reduction. Its Range runs it on the CPU, and its Launch gives an abi.Launch,
// whose Parameters are the bytes of a launch.
package kernelgen
