// Package kernels holds the kernel of heat.
package kernels

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen

// Lattice says where the cells of the grid are in the arrays of a rank, and how fast heat flows between neighbours.
//
//atoll:constant
type Lattice struct {
	Cells, Stride [3]int     // of the grid along each axis, and the distance of neighbours in an array
	First         int        // where cell (0, 0, 0) of the grid is in an array, or would be
	Periodic      [3]bool    // axes whose two ends are neighbours
	Rate          [3]float64 // κ/h² along each axis in 1/s, 0 along z in the plane
}

// Conduct advances the temperature of a cell by one step, with explicit Euler and central differences.
//
//atoll:kernel
func Conduct(i, j, k int, l *Lattice, dt, now, next []float64) {
	c := l.First + i + l.Stride[1]*j + l.Stride[2]*k
	cell, gain := [3]int{i, j, k}, 0.0
	for d := range 3 {
		if cell[d] > 0 || l.Periodic[d] {
			gain += l.Rate[d] * (now[c-l.Stride[d]] - now[c])
		}
		if cell[d] < l.Cells[d]-1 || l.Periodic[d] {
			gain += l.Rate[d] * (now[c+l.Stride[d]] - now[c])
		}
	}
	next[c] = now[c] + dt[0]*gain
}
