package kernels

// Active cells of a tile are marked by 1 and then listed column by column, so that adjacent threads read adjacent
// memory.

// countColumn returns the number of marks set in column x.
func countColumn(marks []int32, x, width, height int32) int32 {
	n := int32(0)
	for y := range height {
		n += marks[x+y*width]
	}
	return n
}

// listColumn writes the numbers of the marked cells of column x after those of the previous columns, and returns the
// end.
func listColumn(list, marks, counts []int32, x, width, height int32) int32 {
	end := int32(0)
	for n := range width { // the same number of iterations for all columns, so that the threads of a warp do not diverge
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
