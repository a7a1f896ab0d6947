package halo

// cellSet is a sequence of cells of an array. In a message cell n begins at byte n·pitch, where pitch is the size of a
// cell over all fields.
type cellSet interface {
	count() int
	// indices appends the positions of the cells in the array.
	indices(list []int32) []int32
	// pack copies the cells of a field to a message, and unpack copies them back.
	pack(message []byte, pitch int, f Field)
	unpack(message []byte, pitch int, f Field)
	poison(f Field)
}

// cellList is a list of cells.
type cellList []int32

func (l cellList) count() int                   { return len(l) }
func (l cellList) indices(list []int32) []int32 { return append(list, l...) }

func (l cellList) pack(message []byte, pitch int, f Field) {
	for n, c := range l {
		from := int(c) * f.size
		copy(message[n*pitch:n*pitch+f.size], f.data[from:from+f.size])
	}
}

func (l cellList) unpack(message []byte, pitch int, f Field) {
	for n, c := range l {
		to := int(c) * f.size
		copy(f.data[to:to+f.size], message[n*pitch:n*pitch+f.size])
	}
}

func (l cellList) poison(f Field) {
	for _, c := range l {
		overwrite(f.data[int(c)*f.size : (int(c)+1)*f.size])
	}
}

// cellRuns are the cells of regions.
type cellRuns []stridedRuns

// stridedRuns is a region as contiguous runs in memory: height×depth runs of length cells each.
type stridedRuns struct {
	first, length          int
	height, depth          int
	rowStride, layerStride int // cells from one run to the next, and from one layer to the next
}

// runsOf returns the cells of regions of an array.
func runsOf(shape [3]int, regions []Region) (runs cellRuns) {
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
	}
	return runs
}

func (runs cellRuns) count() (n int) {
	for _, r := range runs {
		n += r.length * r.height * r.depth
	}
	return n
}

// each calls f for each contiguous run of cells.
func (runs cellRuns) each(f func(first, length int)) {
	for i := range runs {
		r := &runs[i]
		for k := range r.depth {
			for j := range r.height {
				f(r.first+k*r.layerStride+j*r.rowStride, r.length)
			}
		}
	}
}

func (runs cellRuns) indices(list []int32) []int32 {
	runs.each(func(first, length int) {
		for i := range length {
			list = append(list, int32(first+i))
		}
	})
	return list
}

func (runs cellRuns) pack(message []byte, pitch int, f Field) {
	n := 0
	runs.each(func(first, length int) {
		data := f.data[first*f.size : (first+length)*f.size]
		n += copyPitched(message[n*pitch:], pitch, data, f.size, f.size, length)
	})
}

func (runs cellRuns) unpack(message []byte, pitch int, f Field) {
	n := 0
	runs.each(func(first, length int) {
		data := f.data[first*f.size : (first+length)*f.size]
		n += copyPitched(data, f.size, message[n*pitch:], pitch, f.size, length)
	})
}

func (runs cellRuns) poison(f Field) {
	runs.each(func(first, length int) { overwrite(f.data[first*f.size : (first+length)*f.size]) })
}

// copyPitched copies n elements of size bytes, which begin toPitch and fromPitch bytes apart, and returns n.
func copyPitched(to []byte, toPitch int, from []byte, fromPitch, size, n int) int {
	if toPitch == size && fromPitch == size {
		copy(to[:n*size], from)
		return n
	}
	for i := range n {
		copy(to[i*toPitch:i*toPitch+size], from[i*fromPitch:i*fromPitch+size])
	}
	return n
}

// copyTo copies the cells of a field to others of the same field: run n to run n, which have the same shape.
func (runs cellRuns) copyTo(others cellRuns, f Field) {
	for i := range runs {
		r, other := &runs[i], &others[i]
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
}
