package geotiff

import "math"

// reduction is a raster whose cells are means of those of an image.
type reduction struct {
	values        []float64 // NaN for none
	counts        []int32   // cells of the image with a value in each cell; nil for the image itself
	columns, rows int
}

// next returns the reduction by 2. A cell has the mean of the values of the image in it, or the most frequent class.
func (r *reduction) next(classes bool) reduction {
	n := reduction{columns: (r.columns + 1) / 2, rows: (r.rows + 1) / 2}
	n.values, n.counts = make([]float64, n.columns*n.rows), make([]int32, n.columns*n.rows)
	for row := range n.rows {
		for column := range n.columns {
			var values [4]float64
			var counts [4]int32
			found := 0
			for k := range 4 {
				i, j := 2*column+k%2, 2*row+k/2
				if i >= r.columns || j >= r.rows {
					continue
				}
				at := j*r.columns + i
				if v := r.values[at]; v == v {
					values[found], counts[found] = v, 1
					if r.counts != nil {
						counts[found] = r.counts[at]
					}
					found++
				}
			}
			at := row*n.columns + column
			if classes {
				n.values[at], n.counts[at] = mostFrequent(values[:found], counts[:found])
			} else {
				n.values[at], n.counts[at] = meanOf(values[:found], counts[:found])
			}
		}
	}
	return n
}

// meanOf returns the mean of values that count several times, and their number; NaN for none.
func meanOf(values []float64, counts []int32) (mean float64, count int32) {
	sum := 0.0
	for k, v := range values {
		sum, count = sum+v*float64(counts[k]), count+counts[k]
	}
	return sum / float64(count), count
}

// mostFrequent returns the value that counts most, the largest of several, and the number of all; NaN for none.
func mostFrequent(values []float64, counts []int32) (value float64, count int32) {
	value = math.NaN()
	most := int32(0)
	for k, v := range values {
		own := int32(0)
		for n, other := range values {
			if other == v {
				own += counts[n]
			}
		}
		if count += counts[k]; own > most || own == most && v > value {
			value, most = v, own
		}
	}
	return value, count
}
