// Package kernelgen translates kernels to CUDA C. A kernel is a plain Go function that computes one cell, edge or
// particle. Package kernelgen also generates the Go types that run a kernel over many indices, on the CPU or on a GPU.
// The Go function is the only source.
//
//	//atoll:kernel
//	func Add[F Float](i int, p *Params[F], x []F, out []F) { out[i] = x[i] + p.Shift }
//
// A marked function is translated once for each float type that its type parameter allows, as Add_f32 and Add_f64,
// together with all functions that it calls, except those of the standard library. Go that cannot be translated is
// an error with file, line, column and reason. A translated kernel computes the same bits as the Go function. The
// guide docs/kernels.md shows how to write kernels.
//
// # Marks
//
//	//atoll:kernel             a kernel over one index, or over i, j or i, j, k by those names; i varies fastest
//	//atoll:kernel min         the results of all indices are reduced to the minimum; max: to the maximum
//	//atoll:kernel block=256   threads of a block, 128 by default
//	//atoll:kernel blocks=4    resident blocks per multiprocessor for float64, twice as many for float32 (launch bounds)
//	//atoll:kernel way=A,B     parameter way is a compile-time constant on the GPU; see Variants
//	//atoll:kernel lanes       vector code on the CPU computes several indices at a time; lanes=A,B: only these variants
//	//atoll:kernel wide        vector code computes at least eight indices at a time
//	//atoll:kernel tile        an index is a tile, which the threads of a block compute together; see Tiles
//	//atoll:kernel stages=32   on the CPU, each call of the body is done for 32 indices before the next call
//	//atoll:kernel grain=64    a thread of the CPU takes 64 indices at a time; default 4 for tile kernels
//	//atoll:constant           before a struct: kernels get it by value and only read it
//	//atoll:mostly, seldom     before a branch of a kernel marked lanes: most indices take the branch, or few
//	//atoll:rare               before a function: vector code collects the indices that call it
//
// # Variants
//
// A mark such as way=A,B lists values of an integer or bool parameter. In the translation the parameter is a constant:
// there is an entry for each value, Add_A_f64 and Add_B_f64, or Add_way_1_f64 for values without names, and the
// compiler removes code that the value does not need. Several such parameters make an entry for each combination; the
// last parameter's values vary fastest, and blocks=4,5 then is for the first half of the entries and the second: a list
// has a number for each entry, or for each value of the first parameters. On the CPU the parameter is an ordinary one.
// A loop's Launch selects the entry of its value, and panics if the mark does not list the value.
//
// # Packages
//
// Kernels may call functions and methods of other packages, and use their types and constants. Of the standard library
// they may only use some functions of math and sync/atomic. In CUDA C a name from another package is prefixed by that
// package's name. Type arguments of generic functions and types may be any types without pointers and slices. A kernel
// of another package is an ordinary function.
//
// # Same bits
//
// The CUDA C is compiled without contraction and with IEEE division and roots. Signed integers wrap around. Shift
// counts may exceed the width. The builtins min and max, math.Min and math.Max treat NaN and -0 as Go does. Constants
// are rounded once. F(math.Sqrt(float64(x))) is a single root in F.
//
// A kernel must not depend on what differs: the bits of a NaN result; the conversion of a float that overflows the
// integer type; an index out of range, an integer division by zero, and a negative shift count. The last three panic in
// Go, so run kernels on the CPU first.
//
// # Entries
//
// An entry is an extern "C" function. It takes, in this order:
//
//   - int64 lo, int64 hi for each of the one, two or three indices: the thread (x, y, z) of the grid computes index
//     lo + x, lo + y, lo + z if that is less than hi. Blocks have the shape block × 1 × 1, with a multiple of 32
//     threads, at most the block of the kernel's mark.
//   - each parameter. A slice is {pointer, length, capacity}, 24 bytes, as in Go. A number, bool or struct is passed
//     by value. A pointer to a struct that is marked //atoll:constant or that holds slices is passed as the struct's
//     value, with device addresses in its slices. Any other pointer to a struct is passed as a device address.
//   - for a reduction, the device address of an atomics.Least or atomics.Most.
//
// Structs have Go's sizes and offsets, which the CUDA C asserts. A struct of numbers that is only used as an element of
// slices is aligned to 16 or 8 bytes if that divides its size, so that the GPU loads and stores it with instructions of
// that width. Slices must therefore begin at addresses with this alignment, as those of cuMemAlloc, and must end where
// an element ends.
//
// # Reductions
//
// An atomics.Least is 8 bytes: an integer key that is larger for smaller numbers, and 0 if it is empty. For a float64 x
// with bits b, let r be b with the sign bit set if x is positive, and the complement of b if x is negative. The key of
// an atomics.Most is r, that of a Least the complement of r, and the key of a NaN has all bits set. For float32 the
// same holds in the lower 32 bits. A block reduces the keys of its threads and then does one atomic maximum. Zeroed
// memory is an empty Least or Most. A kernel may have a parameter *atomics.Least, to read it with Value and to empty it
// with Reset, so that the length of a time step is computed on the device.
//
// A function of one entity marked //atoll:reduce returns a struct, whose members say by a tag how they are reduced over
// many entities. From it the file reductions_gen.go is generated, with a kernel that package kernelgen reads like those
// written by hand; its mark host=f names the function that Range calls instead of the kernel: see docs/kernels.md.
//
// # Tiles
//
// A tile kernel computes a tile, such as a few hundred cells, by loops whose iterations are distributed over the
// threads of a block:
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
// The iterations of each outer loop over an integer are distributed over the threads, so that one thread executes the
// body of a loop "for range 1". The next loop begins when all iterations are done. A parameter that points to an array
// is shared memory of the block; its contents are undefined at the start. An iteration must not write memory that
// another iteration of the same loop reads or writes; package kerneltest finds violations. Statements outside of the
// loops are executed by every thread and may only set variables; a statement there that reads shared memory waits for
// the loops before it. Inside of a loop no variable from outside may be assigned, except by best = min(best, x), or
// max, in a kernel with that reduction, which returns best. A loop marked //atoll:ordered is not distributed: every
// thread executes all its iterations in order, and the loops inside it are distributed. On the CPU the Go function runs
// unchanged.
//
// An assignment marked //atoll:async copies numbers from slices to shared memory asynchronously (cp.async), without
// passing through registers. Adjacent numbers are copied by one instruction. The copies are done at the end of the
// loop; an iteration must not read them. All kernels of a package with such an assignment need a GPU of compute
// capability 8.0.
//
// If the shared arrays of a kernel have more than 48 KiB in all, the launch requests them as dynamic shared memory:
// abi.Launch.Shared has the number of bytes, and a device with less returns an error. The arrays begin at multiples of
// 16 bytes, in the order of the parameters.
//
// # Files
//
// Command kernelgen writes kernels_gen.cu, kernels_gen.ptx, kernels_gen.zip and kernels_gen.go beside the kernels. The
// first line of the PTX is the SHA-256 of the compiler's options and of the CUDA C without comments, so that [Check]
// finds stale files without a compiler. If there is no compiler, outdated PTX is replaced by a line that says so: the
// kernels then run on the CPU, and devices with GPUs return an error. The archive kernels_gen.zip, which the program
// contains, holds the PTX and, if a line in one of the package's files requests it, machine code for GPUs:
//
//	//atoll:machine sm_80 sm_90
//
// For each kernel K the Go file has a type KLoop. NewKLoop takes the kernel's arguments without the indices, after an
// abi.Box if there are two or three indices, and before the Least or Most of a reduction. Range runs the kernel on the
// CPU. Launch returns an abi.Launch, whose Parameters are the parameters of a launch on a GPU.
package kernelgen
