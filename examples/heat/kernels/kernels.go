// Package kernels holds the kernels of heat.
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

// at returns where a cell is in an array.
func (l *Lattice) at(i, j, k int) int { return l.First + i + l.Stride[1]*j + l.Stride[2]*k }

// Conduct advances the temperature of a cell by one step, with explicit Euler and central differences, and its peak,
// the highest temperature so far.
//
//atoll:kernel
func Conduct(i, j, k int, l *Lattice, dt, now, next, peak []float64) {
	c := l.at(i, j, k)
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
	peak[c] = max(peak[c], next[c])
}

// Measured is what is measured of a cell.
type Measured struct {
	Hottest float64 `reduce:"max"`   // of all peaks
	Cooling int64   `reduce:"count"` // cells that were warmer before
}

// measure measures a cell. The kernel Measure, of all cells, is generated, and so is the type of its result, Found.
//
//atoll:reduce Measure Found
func measure(i, j, k int, l *Lattice, t, peak []float64) (m Measured) {
	c := l.at(i, j, k)
	m.Hottest = peak[c]
	if t[c] < peak[c] {
		m.Cooling = 1
	}
	return m
}
