package refused

import (
	"sync"

	"github.com/atoll-hpc/atoll/kernelgen/testdata/refused/other"
	twin "github.com/atoll-hpc/atoll/kernelgen/testdata/refused/twin/other"
)

//atoll:kernel
func otherVariable(i int, x []float64) {
	x[i] = other.Table[i] // want: is a variable of a package or a function that is not called
}

//atoll:kernel
func otherWritten(i int) {
	other.Table[i] = 1 // want: is a variable of a package or a function that is not called
}

//atoll:kernel
func otherValue(i int, x []float64) {
	f := other.First[float64] // want: not supported in kernels // want: kernels have no function values
	_ = f
	x[i] = 1
}

//atoll:kernel
func references(i int, x, y []float64) {
	z := other.First(x, y) // want: type parameters stand for values, without pointers and slices
	z[i] = 1
}

//atoll:kernel
func otherInterface(i int, v interface{ Value() float64 }, x []float64) { // want: kernels have no interfaces
	x[i] = other.Ask(v)
}

//atoll:kernel
func standardType(i int, m *sync.Mutex, x []float64) { // want: belongs to the standard library
	x[i] = 1
}

//atoll:kernel
func twins(i int, x []float64) {
	x[i] = other.First(x[i], 1)
	x[i] = twin.First(x[i], 1) // want: both become other_First_f64 in CUDA C
}
