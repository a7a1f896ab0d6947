package kernels

// Cells of a tile that have work are marked by ones and then listed, a column at a time: neighbouring threads read
// neighbouring numbers.

// countColumn is how many of the marks in column x are set.
func countColumn(marks []int32, x, width, height int32) int32 {
	n := int32(0)
	for y := range height {
		n += marks[x+y*width]
	}
	return n
}

// listColumn writes the numbers of the marked cells of column x behind those of the columns before, and returns where
// they end.
func listColumn(list, marks, counts []int32, x, width, height int32) int32 {
	end := int32(0)
	for n := range width { // as often in all columns, so that the threads of a warp stay together
		if n < x {
			end += counts[n]
		}
	}
	for y := range height {
		if k := x + y*width; marks[k] != 0 {
			list[end] = k
			end++
		}
	}
	return end
}
