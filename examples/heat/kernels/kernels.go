// Package kernels has the GPU and CPU kernel of package heat.
package kernels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen

// Lattice describes where cells are in the arrays of a rank, and the rate of conduction between neighbours.
//
//atoll:constant
type Lattice struct {
	Cells, Stride [3]int     // of the grid along each axis, and the distance of neighbours in an array
	First         int        // index of cell (0, 0, 0) of the grid in an array; the rank may not have it
	Periodic      [3]bool    // axes with periodic boundaries
	Rate          [3]float64 // κ/h² along each axis in 1/s, 0 along z in the plane
}

// Conduct computes the temperature of a cell after a step, by explicit Euler and central differences.
//
//atoll:kernel
func Conduct(i, j, k int, l *Lattice, dt, now, next []float64) {
	c := l.First + i + l.Stride[1]*j + l.Stride[2]*k
	at, gain := [3]int{i, j, k}, 0.0
	for d := range 3 {
		if at[d] > 0 || l.Periodic[d] {
			gain += l.Rate[d] * (now[c-l.Stride[d]] - now[c])
		}
		if at[d] < l.Cells[d]-1 || l.Periodic[d] {
			gain += l.Rate[d] * (now[c+l.Stride[d]] - now[c])
		}
	}
	next[c] = now[c] + dt[0]*gain
}
