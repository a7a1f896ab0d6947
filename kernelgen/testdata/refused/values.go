package refused

var global = 1.0

//atoll:kernel
func globals(i int, x []float64) {
	x[i] = global // want: global is a package variable: pass it
	global = 2    // want: global is a package variable: write // want: global is a package variable: pass it
}

//atoll:kernel
func appends(i int, x []float64) {
	x = append(x, 1) // want: append: kernels allocate nothing
}

//atoll:kernel
func makes(i int, x []float64) {
	y := make([]float64, 3) // want: make: kernels allocate nothing
	x[i] = y[0]
}

//atoll:kernel
func literals(i int, x []float64) {
	y := []float64{1, 2} // want: a literal of type []float64
	x[i] = y[0]
}

//atoll:kernel
func escapes(i int, x []float64) {
	p := &counter{} // want: the address of a literal
	x[i] = p.n
}

//atoll:kernel
func slicing(i int, x []float64) {
	y := x[1:2:3] // want: kernels take x[lo:hi]
	x[i] = y[0]
}

//atoll:kernel
func nils(i int, x []float64) {
	if x != nil { // want: nil: kernels do not compare // want: operator != on []float64
		x[i] = 1
	}
}

//atoll:kernel
func structsCompared(i int, x []counter, y []float64) {
	if x[i] == x[0] { // want: operator == on counter
		y[i] = 1
	}
}

//atoll:kernel
func keyedArray(i int, x []float64) {
	a := [3]float64{2: 1} // want: an array literal with keys
	x[i] = a[2]
}

// limits reach kernels by value.
//
//atoll:constant
type limits struct {
	low  float64
	list [2]float64
}

func (l *limits) reset() { l.low = 0 } // want: l.low is written

//atoll:kernel
func writesConstant(i int, l *limits) {
	l.list[1] = 2 // want: l.list[1] is written
	l.reset()
	(*l).low++ // want: (*l).low is written
}

//atoll:kernel
func pointsIntoConstant(i int, l *limits, x []float64) {
	p := &l.list[1] // want: the address of l.list[1], which is a part of a limits
	x[i] = *p
}

//atoll:constant
type plan struct{ first counter }

//atoll:kernel
func methodOnPart(i int, p *plan, x []float64) {
	x[i] = p.first.get() // want: the address of p.first, which is a part of a plan
}

type region struct {
	cells []float64
	count int
}

//atoll:kernel
func writesSliceHolder(i int, r *region) {
	r.cells[i] = 1
	r.count = 3   // want: r.count is written
	r.cells = nil // want: r.cells is written // want: nil: kernels do not
}
