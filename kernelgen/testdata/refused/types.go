package refused

import "unsafe"

type shape interface{ area() float64 }

//atoll:kernel
func interfaces(i int, s shape, x []float64) { // want: kernels have no interfaces
	x[i] = s.area() // want: is a method of an interface
}

//atoll:kernel
func asserts(i int, x []float64) {
	v := any(x[i])    // want: kernels have no interfaces // want: a conversion from float64 to any
	switch v.(type) { // want: a type switch
	}
	x[i] = v.(float64) // want: a type assertion
}

//atoll:kernel
func maps(i int, m map[int]float64, x []float64) { // want: kernels have no maps
	x[i] = m[i] // want: kernels index slices and arrays
}

//atoll:kernel
func channels(i int, c chan float64) { // want: kernels have no channels
	c <- 1 // want: a channel operation
}

//atoll:kernel
func closures(i int, x []float64) {
	f := func() float64 { return 1 } // want: a function literal // want: kernels have no function values
	x[i] = f()                       // want: f is not the name of a function
}

//atoll:kernel
func functions(i int, x []float64) {
	f := one // want: one is used as a value // want: kernels have no function values
	_ = f
	x[i] = 1
}

func one() float64 { return 1 }

//atoll:kernel
func strings(i int, x []float64) {
	s := "text"            // want: a constant of type string // want: type string
	x[i] = float64(len(s)) // want: len of string
}

//atoll:kernel
func complexes(i int, x []float64) {
	z := complex(x[i], 0) // want: builtin complex // want: type complex128
	_ = z
}

//atoll:kernel
func narrow(i int, x []int16) {} // want: type int16

//atoll:kernel
func sliceOfSlices(i int, x [][]float64) {} // want: the elements of a slice must be values

type linked struct { // the error is that of the parameter below, not of the field
	next *linked
	v    float64
}

//atoll:kernel
func links(i int, x []linked) {} // want: the elements of a slice must be values

type holder struct { // want: field p of holder is a pointer
	p *float64
	v float64
}

//atoll:kernel
func holds(i int, h holder, x []float64) { x[i] = h.v }

//atoll:kernel
func scalarPointer(i int, p *float64) { *p = 1 } // want: kernels take pointers to structs

//atoll:kernel
func anonymous(i int, x []struct{ a float64 }) {} // want: a struct type without a name

//atoll:kernel
func foreign(i int, p unsafe.Pointer) {} // want: type unsafe.Pointer

type empty struct{} // want: struct empty is empty

//atoll:kernel
func empties(i int, e *empty) {}

//atoll:kernel min
func least(i int, x []int64) int64 { return x[i] } // want: it must return a float32 or a float64

//atoll:kernel
func generic[T int32 | float32](i int, x []T) {} // want: must be constrained to float32 | float64
