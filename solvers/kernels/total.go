// Package kernels adds up a field of numbers exactly, on any device.
package kernels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen
//atoll:machine sm_80 sm_90

// Float is the type of the numbers.
type Float interface{ float32 | float64 }

// Layout is where the numbers of entities lie in an array: that of entity a + N[0]·(b + N[1]·c) at index First +
// a·Stride[0] + b·Stride[1] + c·Stride[2].
//
//atoll:constant
type Layout struct {
	First     int
	N, Stride [3]int
	Scale     float64 // factor of each number
}

// addend is the number of an entity.
type addend struct {
	Words  float64 `reduce:"sum"`
	Broken float64 `reduce:"first"`
}

// add returns the number of entity i.
//
//atoll:reduce Add Total
func add[F Float](i int, l *Layout, x []F) (a addend) {
	a.Words = l.Scale * float64(x[l.index(i)])
	a.Broken = a.Words
	return a
}

// Clear clears word k of a total.
//
//atoll:kernel
func Clear(k int, to *Total) {
	to.Words[k] = 0
	if k == 0 {
		to.Broken = 0
	}
}

// index returns the index of an entity's number.
func (l *Layout) index(entity int) int {
	row, a := entity/l.N[0], entity%l.N[0]
	return l.First + a*l.Stride[0] + row%l.N[1]*l.Stride[1] + row/l.N[1]*l.Stride[2]
}
