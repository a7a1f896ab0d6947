package marks

//atoll:kernel tile
func writesOutside(t int, x []float64) {
	x[t] = 1 // want: writes to memory outside of a loop
}

//atoll:kernel tile
func loopsOutside(t int, x []float64) {
	for i := 0; i < t; i++ { // want: its body is declarations, assignments to variables and loops
		x[i] = 1
	}
}

//atoll:kernel tile
func returnsEarly(t int, x []float64) {
	for i := range t {
		if x[i] > 0 {
			return // want: a return inside of a tile's loop
		}
	}
}

//atoll:kernel tile
func breaks(t int, x []float64) {
	for i := range t {
		if x[i] > 0 {
			break // want: use continue
		}
		for x[i] < 0 {
			x[i]++
			break
		}
	}
}

//atoll:kernel tile
func sums(t int, x []float64) {
	sum, count := 0.0, 0
	for i := range t {
		sum += x[i] // want: sum comes from outside of the loop
		count++     // want: count comes from outside of the loop
	}
	for i := range t {
		x[i] = sum + float64(count)
	}
}

//atoll:kernel tile min
func reads(t int, x []float64) float64 {
	best := 1.0
	for i := range t {
		best = min(best, x[i])
		x[i] = best // want: best is not yet reduced
	}
	return best
}

//atoll:kernel tile
func rangesOverSlice(t int, x []float64) {
	for i := range x { // want: the outer loops of a tile kernel range over integers
		x[i] = 1
	}
}

//atoll:kernel tile
func takesAddress(t int, x []float64) {
	var v float64
	for i := range t {
		p := &v // want: the address of v, which comes from outside of the loop
		x[i] = *p
	}
}

//atoll:kernel tile stages=4
func tileInStages(t int, x []float64) { // want: a tile kernel has one index and no stages
	for i := range t {
		x[i] = 1
	}
}

//atoll:kernel tile
func disordered(t int, x []float64) {
	for i := range t {
		//atoll:ordered
		for j := range i { // want: //atoll:ordered marks only outer loops of tile kernels
			x[j]++
		}
	}
}

//atoll:kernel tile
func writesInOrder(t int, x []float64) {
	//atoll:ordered
	for i := range t {
		x[i] = 1 // want: writes to memory outside of a loop
	}
}

//atoll:kernel tile
func inDisorder(t int, x []float64) {
	//atoll:order
	for i := range t { // want: a loop can only be marked //atoll:ordered
		x[i] = 1
	}
}

//atoll:kernel tile
func keepsShared(t int, x []float64, shared *[8]float64) {
	half := shared[:4] // want: keeps a part of shared memory in a variable
	first := shared[0]
	for i := range t {
		x[i] = half[i] + first
	}
}
