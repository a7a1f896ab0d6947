package refused

//atoll:kernel
func goes(i int, x []float64) {
	go first(x) // want: a go statement
}

func first(x []float64) { x[0] = 1 }

//atoll:kernel
func defers(i int, x []float64) {
	defer first(x) // want: a defer statement
}

//atoll:kernel
func jumps(i int, x []float64) {
	if x[i] > 0 {
		goto end // want: goto with a label
	}
	x[i] = 1
end: // want: label end
	x[i] = 2
}

//atoll:kernel
func labels(i int, x []float64) {
outer: // want: label outer
	for {
		for {
			break outer
		}
	}
}

//atoll:kernel
func falls(i int, x []float64) {
	switch i {
	case 0:
		fallthrough // want: fallthrough: kernels have no jumps
	default:
		x[i] = 1
	}
}

//atoll:kernel
func rangesValue(i int, x []float64) {
	for _, v := range x { // want: a range loop with a value
		x[i] += v
	}
}

//atoll:kernel
func rangesAssigned(i int, x []float64) {
	for k := range 4 { // want: loop variable k is assigned in the body
		k++
		x[i] += float64(k)
	}
}

//atoll:kernel
func rangesOutside(i int, x []float64) {
	var k int
	for k = range 4 { // want: a range loop over a variable from outside
		x[k] = 1
	}
}

//atoll:kernel
func rangesFunction(i int, x []float64) {
	for range first2 { // want: range over
		x[i] = 1
	}
}

func first2(yield func() bool) {}

//atoll:kernel
func loopAddress(i int, x []float64) {
	for k := 0; k < 4; k++ {
		p := &k // want: the address of loop variable k
		x[i] = float64(*p)
	}
}

//atoll:kernel
func postTwo(i int, x []float64) {
	for a, b := 0, 4; a < b; a, b = b, a-1 { // want: does not fit into the head of a C++ loop
		x[i] = 1
	}
}

//atoll:kernel
func localType(i int, x []float64) {
	type pair struct{ a, b float64 } // want: a type inside a function
	x[i] = 1
}

//atoll:kernel
func prints(i int, x []float64) {
	println(i) // want: builtin println
}

//atoll:kernel
func clears(i int, x []float64) {
	clear(x) // want: builtin clear
}
