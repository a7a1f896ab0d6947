package marks

//atoll:kernal
func misspelt(i int) {} // want: a function can only be marked //atoll:kernel

//atoll:kernel
func noIndex(x []float64) {} // want: has no index

//atoll:kernel
func returns(i int) float64 { return 1 } // want: returns a value

//atoll:kernel min
func noResult(i int) {} // want: must return one value

//atoll:kernel block=33
func block(i int) {} // want: has no option "block=33"

//atoll:kernel fast
func fast(i int) {} // want: has no option "fast"

//atoll:kernel blocks=17
func blocks(i int) {} // want: has no option "blocks=17"

type t struct{ n int }

//atoll:kernel
func (v *t) method(i int) {} // want: is a method: kernels are functions

//atoll:kernel
func two[A, B float32 | float64](i int, a []A, b []B) {} // want: more than one type parameter

//atoll:constants
type limits struct{ n int } // want: a type can only be marked //atoll:constant

//atoll:kernel
func body(i int) // want: has no body

const high = 3

//atoll:kernel x=1,2
func slices(i int, x []float64) {} // want: only integers and bools can be constant

//atoll:kernel n=1,low
func unknown(i, n int) {} // want: "low" is not a constant of type int

//atoll:kernel way=high,low
func names(i int, way int32) {} // want: "low" is not a constant of type int32

//atoll:kernel on=true,1
func kinds(i int, on bool) {} // want: "1" is not a constant of type bool

//atoll:kernel way=1,high blocks=3,4,5
func counts(i int, way int32) {} // want: 3 numbers of blocks for 2 variants
