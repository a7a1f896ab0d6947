package kernels

// Cells of a tile that have work are marked by ones and then listed, a column at a time: neighbouring threads read
// neighbouring numbers.

// counted is how many of the marks in column x are set.
func counted(marks []int32, x, width, height int32) int32 {
	n := int32(0)
	for y := range height {
		n += marks[x+y*width]
	}
	return n
}

// listed writes the numbers of the marked cells of column x behind those of the columns before, and tells where they
// end.
func listed(list, marks, counts []int32, x, width, height int32) int32 {
	end := int32(0)
	for n := range x {
		end += counts[n]
	}
	for y := range height {
		if k := x + y*width; marks[k] != 0 {
			list[end] = k
			end++
		}
	}
	return end
}

// mixed tells whether a cell is neither empty nor full but for dust. It is true for a NaN, which must not be hidden.
func mixed[F Float](f, dust F) bool { return !(f <= dust || f >= 1-dust) }

// crossing is the mark of a face with the given CFL number: 1 if its donor, of the cells below and above, is mixed.
func crossing[F Float](cfl F, below, above bool) int32 {
	if cfl == 0 || cfl > 0 && !below || !(cfl > 0) && !above {
		return 0
	}
	return 1
}

// passed is the flux through a face between two cells: inMixed where the donor is mixed.
func passed[F Float](cfl, below, above, inMixed, dust F) F {
	donor := above
	if cfl > 0 {
		donor = below
	}
	if cfl == 0 || donor <= dust {
		return 0
	}
	if donor >= 1-dust {
		return cfl
	}
	return inMixed
}
