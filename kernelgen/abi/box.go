package abi

// Range is a range of a loop's indices, Lo ≤ index < Hi.
type Range struct{ Lo, Hi int }

// Box is the index space of a kernel with 2 or 3 indices, Lo ≤ index < Hi. The first index varies fastest. A kernel
// with 2 indices has Lo[2] = 0 and Hi[2] = 1.
type Box struct{ Lo, Hi [3]int }

// Size returns the number of indices of the box. A loop over the box runs from 0 to Size.
func (b *Box) Size() int {
	n := 1
	for d := range b.Lo {
		n *= max(0, b.Hi[d]-b.Lo[d])
	}
	return n
}

// Row returns the indices i, j, k of element number lo of the box, and the number n of elements from there to the end
// of its row or to element number hi, whichever comes first.
func (b *Box) Row(lo, hi int) (i, j, k, n int) {
	nx, ny := b.Hi[0]-b.Lo[0], b.Hi[1]-b.Lo[1]
	x, row := lo%nx, lo/nx
	return b.Lo[0] + x, b.Lo[1] + row%ny, b.Lo[2] + row/ny, min(nx-x, hi-lo)
}
