package lanes

// Rare is a list of indices that call a function marked //atoll:rare. Vector code collects them, and computes full
// vectors of them. The zero value is an empty list. The layout is that of struct Rare in C++.
type Rare struct {
	n       int
	i, j, k [MostRare]int
}

const (
	// MostRare is the capacity of the list: fewer indices than are computed at once, a batch, and space to write a full
	// vector after the last one.
	MostRare = rareEnough + batch + 16

	rareEnough = 64 // the least number of indices that is computed before the end of a loop
	rareBatch  = 16 // indices of one call of vector code, less than of others since they take longer
)

// Take removes indices from the list for the next call, and reports whether there are any. They are elements lo to
// hi-1, a multiple of c.Lanes; the last index is repeated to fill a vector. If more indices may follow, Take waits
// until the list is long.
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
