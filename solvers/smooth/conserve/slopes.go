package conserve

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// slopes returns the slopes of a linear function in each old cell: by least squares over the cells of its material
// around its vertices, limited so that the function is, at each corner of the cell, within the values of those around
// the corner (J. S. Park, S.-H. Yoon and C. Kim, J. Comput. Phys. 229 (2010) 788).
func (o *Overlap) slopes(values []float64) [][3]float64 {
	slopes := make([][3]float64, len(values))
	each(len(values), func(lo, hi int) {
		for i := int32(lo); i < int32(hi); i++ {
			if !math.IsNaN(values[i]) {
				slopes[i] = o.limited(values, i, o.slope(values, i))
			}
		}
	})
	return slopes
}

// eachAround calls f with the cells around a vertex that have a value and the material of a cell.
func (o *Overlap) eachAround(v, cell int32, values []float64, f func(near int32)) {
	for _, near := range o.around[o.start[v]:o.start[v+1]] {
		if o.from.material(near) == o.from.material(cell) && !math.IsNaN(values[near]) {
			f(near)
		}
	}
}

func (o *Overlap) vertices(cell int32) []int32 {
	n := int32(o.from.Dim + 1)
	return o.from.Cells[cell*n : (cell+1)*n]
}

// flat is the share of the power of the trace of a matrix below which its determinant counts as 0.
const flat = 1e-6

// slope returns the slope in a cell; 0 if the centres of cells around are nearly in a line or plane. A cell counts once
// for each vertex that it shares.
func (o *Overlap) slope(values []float64, cell int32) (s [3]float64) {
	dim, middle := o.from.Dim, o.from.centre(cell)
	var matrix measure.Tensor
	var right [3]float64
	for _, v := range o.vertices(cell) {
		o.eachAround(v, cell, values, func(near int32) {
			d := vector.Minus(o.from.centre(near), middle)
			if near == cell {
				return
			}
			w := 1 / vector.Dot(d, d)
			n := 0
			for i := range dim {
				right[i] += w * d[i] * (values[near] - values[cell])
				for j := range i + 1 {
					matrix[n] += w * d[i] * d[j]
					n++
				}
			}
		})
	}
	trace := matrix[0] + matrix[2] + matrix[5]
	power := trace * trace
	if dim == 3 {
		power *= trace
	}
	if !(measure.Determinant(dim, &matrix) > flat*power) {
		return s
	}
	inverse := measure.Inverse(dim, &matrix)
	return measure.Product(&inverse, &right)
}

// limited returns the limited slope in a cell.
func (o *Overlap) limited(values []float64, cell int32, slope [3]float64) [3]float64 {
	middle, factor := o.from.centre(cell), 1.0
	for _, v := range o.vertices(cell) {
		var d [3]float64
		for k := range o.from.Dim {
			d[k] = o.from.X[k][v] - middle[k]
		}
		low, high := values[cell], values[cell]
		o.eachAround(v, cell, values, func(near int32) { low, high = min(low, values[near]), max(high, values[near]) })
		switch change := vector.Dot(slope, d); {
		case change > high-values[cell]:
			factor = min(factor, (high-values[cell])/change)
		case change < low-values[cell]:
			factor = min(factor, (low-values[cell])/change)
		}
	}
	return [3]float64{factor * slope[0], factor * slope[1], factor * slope[2]}
}
