package language

// The sizes of the shared arrays of Turn: together more than 48 KiB in float64, but not in float32.
const (
	Page  = 5000
	Notes = 1301
)

// Turn reverses the numbers of each tile, and adds to every four of them three times the first of the four. The array
// last passes the index of a tile's last number from a loop to the statements after it.
//
//atoll:kernel tile block=64
func Turn[F Float](t int, x, out []F, notes *[Notes]F, page *[Page]Duo[F], last *[3]int32) {
	first := Page * t
	n := min(Page, len(x)-first)
	for k := range n {
		page[k].A, page[k].B = x[first+k], F(k)
		if k%4 == 0 {
			notes[k/4] = 3 * x[first+k]
		}
		if k == n-1 {
			last[2] = int32(k)
		}
	}
	end := int(last[2])
	for k := range n {
		from := &page[end-k]
		out[first+k] = from.A + from.B + notes[k/4]
	}
}

// Duo is two numbers.
type Duo[F Float] struct{ A, B F }
