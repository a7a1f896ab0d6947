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
func block(i int) {} // want: does not know "block=33"

//atoll:kernel fast
func fast(i int) {} // want: does not know "fast"

//atoll:kernel blocks=17
func blocks(i int) {} // want: does not know "blocks=17"

type t struct{ n int }

//atoll:kernel
func (v *t) method(i int) {} // want: is a method: kernels are functions

//atoll:kernel
func two[A, B float32 | float64](i int, a []A, b []B) {} // want: more than one type parameter

//atoll:constants
type limits struct{ n int } // want: a type can only be marked //atoll:constant

//atoll:kernel
func body(i int) // want: has no body
