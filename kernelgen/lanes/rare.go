package lanes

// Rare is a list of indices that a kernel's vector code left for later, since they call a function marked //atoll:rare.
// They are done together, whole vectors of them. The zero value is empty. Code in C++ appends to it and reads it.
type Rare struct {
	n       int
	i, j, k [MostRare]int
}

const (
	// MostRare is how many indices such a list has room for: those of a batch after others that are too few to be done,
	// and a vector beyond the last.
	MostRare = rareEnough + batch + 16

	rareEnough = 64 // so many are worth doing
	rareBatch  = 16 // go to vectors in one call, since each is much work
)

// Take takes the next indices off the list, at lo ≤ place < hi and a multiple of the code's lanes, and tells whether
// there are any. While more may follow, it takes none where there are few. Otherwise the last index is there several
// times where the last ones fill no vector.
func (r *Rare) Take(c Code, more bool) (lo, hi int, ok bool) {
	if r.n == 0 || more && r.n < rareEnough {
		return 0, 0, false
	}
	lo, hi = max(0, r.n-rareBatch), r.n
	r.n = lo
	for ; hi%c.Lanes != lo%c.Lanes; hi++ {
		r.i[hi], r.j[hi], r.k[hi] = r.i[hi-1], r.j[hi-1], r.k[hi-1]
	}
	return lo, hi, true
}
