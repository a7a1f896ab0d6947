package refused

//atoll:kernel tile
func copies(t int, x []float64, shared *[8]float64) {
	for i := range t {
		y := x[i]
		//atoll:async
		y = x[i] // want: marks copies of numbers to shared memory
		//atoll:async
		shared[i] = y // want: marks copies of numbers to shared memory
		//atoll:async
		shared[i] = x[i]
		//atoll:later
		x[i] = y // want: can only be marked //atoll:async
	}
}
