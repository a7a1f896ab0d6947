package language

// Carry copies elements of two slices to shared memory asynchronously.
//
//atoll:kernel tile block=64
func Carry[F Float](t int, from []Duo[F], x, out []F, page *[Stretch]Duo[F], last *[Stretch]F) {
	first := Stretch * t
	n := min(Stretch, len(x)-first)
	for k := range n {
		duo := &from[first+k]
		//atoll:async
		page[k].A, page[k].B, last[k] = duo.A, duo.B, x[first+k]
	}
	for k := range n {
		out[first+k] = page[n-1-k].A - page[k].B*last[n-1-k]
	}
}
