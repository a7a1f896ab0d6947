package halo

// stridedRuns is a region as contiguous runs in memory: height×depth runs of length cells each.
type stridedRuns struct {
	first, length          int
	height, depth          int
	rowStride, layerStride int // cells from one run to the next, and from one layer to the next
}

// stridedRunsOf returns the runs of regions of an array, and their total number of cells.
func stridedRunsOf(shape [3]int, regions []Region) (runs []stridedRuns, cells int) {
	for _, r := range regions {
		s := stridedRuns{
			first:  r.Lo[0] + shape[0]*(r.Lo[1]+shape[1]*r.Lo[2]),
			length: r.N[0], height: r.N[1], depth: r.N[2],
			rowStride: shape[0], layerStride: shape[0] * shape[1],
		}
		if s.length == s.rowStride { // whole rows are contiguous
			s.length, s.height = s.length*s.height, 1
		}
		runs = append(runs, s)
		cells += r.cells()
	}
	return runs, cells
}

// pack copies the cells of a field to the front of buf and returns how many bytes they took.
func (r *stridedRuns) pack(buf []byte, f Field) int {
	offset, n := 0, r.length*f.size
	for k := range r.depth {
		first := (r.first + k*r.layerStride) * f.size
		for range r.height {
			offset += copy(buf[offset:offset+n], f.data[first:first+n])
			first += r.rowStride * f.size
		}
	}
	return offset
}

// unpack is the inverse of pack.
func (r *stridedRuns) unpack(buf []byte, f Field) int {
	offset, n := 0, r.length*f.size
	for k := range r.depth {
		first := (r.first + k*r.layerStride) * f.size
		for range r.height {
			offset += copy(f.data[first:first+n], buf[offset:offset+n])
			first += r.rowStride * f.size
		}
	}
	return offset
}

// copyTo copies the cells to those of another region of the same shape in the same field.
func (r *stridedRuns) copyTo(other *stridedRuns, f Field) {
	n := r.length * f.size
	for k := range r.depth {
		src, dst := (r.first+k*r.layerStride)*f.size, (other.first+k*other.layerStride)*f.size
		for range r.height {
			copy(f.data[dst:dst+n], f.data[src:src+n])
			src += r.rowStride * f.size
			dst += other.rowStride * f.size
		}
	}
}

func (r *stridedRuns) poison(f Field) {
	n := r.length * f.size
	for k := range r.depth {
		for j := range r.height {
			first := (r.first + k*r.layerStride + j*r.rowStride) * f.size
			overwrite(f.data[first : first+n])
		}
	}
}
