package kerneltest

import "github.com/atoll-hpc/atoll/kernelgen/abi"

// Structs of the kernels in testdata, which have no generated loops.
type (
	box  [5]float64
	grid struct {
		N      int
		Levels [2][]float64
	}
	tally struct{ N, Low, High int64 }
)

// indexed returns a launch of a kernel over one index.
func indexed(symbol string, args ...abi.Arg) abi.Launch {
	return abi.Launch{Symbol: symbol, Block: 128, Dims: 1, Args: args}
}

// tiled returns a launch of a tile kernel.
func tiled(symbol string, args ...abi.Arg) abi.Launch {
	return abi.Launch{Symbol: symbol, Block: 128, Dims: 1, Tile: true, Args: args}
}

// onGrid returns a launch over all of a grid.
func onGrid(symbol string) abi.Launch {
	g := &grid{N: 7, Levels: [2][]float64{unsorted[float64](21), unsorted[float64](21)}}
	return abi.Launch{Symbol: symbol, Block: 128, Dims: 2, Box: &abi.Box{Hi: [3]int{7, 3, 1}},
		Args: []abi.Arg{abi.ConstantOf("g", g)}}
}

// unsorted returns n unsorted numbers.
func unsorted[T int32 | int64 | uint8 | float64](n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(i*29%97%50 + 1)
	}
	return x
}

func floats(name string) abi.Arg          { return abi.ElementsOf(name, unsorted[float64](width*tiles)) }
func integers(name string, n int) abi.Arg { return abi.ElementsOf(name, unsorted[int64](n)) }
func bytesOf(name string, n int) abi.Arg  { return abi.ElementsOf(name, unsorted[uint8](n)) }
func tallyArg(name string) abi.Arg        { return abi.PointerTo(name, &tally{}) }
