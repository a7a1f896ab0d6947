package kernels

import "sync/atomic"

// PatchReconstruct2 is Reconstruct2 for the cells of patch t: it reads the patch, lists its mixed cells, and gives each a
// thread of its own.
//
//atoll:kernel tile block=256
func PatchReconstruct2[F Float](
	t int, s *Sweep2[F], p *Patches, marks, list *[patchCells]int32, counts *[patch]int32, count *[1]int32,
) {
	x, y := p.corner(t)
	for k := range int32(1) {
		count[k] = 0
	}
	for k := range int32(patchRuns) {
		f := quadOf(s.F, &s.Lattice, p, k, x, y)
		n := mark(marks[:], k, mixed(f.a, s.Dust), mixed(f.b, s.Dust), mixed(f.c, s.Dust), mixed(f.d, s.Dust))
		if n > 0 {
			atomic.AddInt32(&count[0], n)
		}
	}
	n := count[0]
	width := columns(n)
	for k := range width {
		counts[k] = counted(marks[:], k, patch, patch)
	}
	for k := range width {
		listed(list[:], marks[:], counts[:], k, patch, patch)
	}
	for k := range n {
		s.reconstruct(s.at(int(x+list[k]%patch), int(y+list[k]/patch), 0))
	}
}
