package halo

// rows is a region as runs of neighbours in memory: height×depth runs of length cells each.
type rows struct {
	first, length   int
	height, depth   int
	toNext, toLayer int // cells from a run to the next, and from the first of a layer to that of the next
}

// rowsOf returns the runs of regions of an array, and how many cells they have together.
func rowsOf(shape [3]int, regions []Region) (all []rows, cells int) {
	for _, r := range regions {
		s := rows{
			first:  r.Lo[0] + shape[0]*(r.Lo[1]+shape[1]*r.Lo[2]),
			length: r.N[0], height: r.N[1], depth: r.N[2],
			toNext: shape[0], toLayer: shape[0] * shape[1],
		}
		if s.length == s.toNext { // whole rows follow one another
			s.length, s.height = s.length*s.height, 1
		}
		all = append(all, s)
		cells += r.cells()
	}
	return all, cells
}

// pack copies the cells of a field to the front of buf and returns how many bytes they took.
func (r *rows) pack(buf []byte, f Field) int {
	at, n := 0, r.length*f.size
	for k := range r.depth {
		first := (r.first + k*r.toLayer) * f.size
		for range r.height {
			at += copy(buf[at:at+n], f.data[first:first+n])
			first += r.toNext * f.size
		}
	}
	return at
}

// unpack is the inverse of pack.
func (r *rows) unpack(buf []byte, f Field) int {
	at, n := 0, r.length*f.size
	for k := range r.depth {
		first := (r.first + k*r.toLayer) * f.size
		for range r.height {
			at += copy(f.data[first:first+n], buf[at:at+n])
			first += r.toNext * f.size
		}
	}
	return at
}

// copyTo copies the cells to those of another region of the same shape in the same field.
func (r *rows) copyTo(to *rows, f Field) {
	n := r.length * f.size
	for k := range r.depth {
		from, dst := (r.first+k*r.toLayer)*f.size, (to.first+k*to.toLayer)*f.size
		for range r.height {
			copy(f.data[dst:dst+n], f.data[from:from+n])
			from += r.toNext * f.size
			dst += to.toNext * f.size
		}
	}
}

func (r *rows) poison(f Field) {
	n := r.length * f.size
	for k := range r.depth {
		for j := range r.height {
			first := (r.first + k*r.toLayer + j*r.toNext) * f.size
			scribble(f.data[first : first+n])
		}
	}
}
