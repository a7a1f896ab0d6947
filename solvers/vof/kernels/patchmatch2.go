package kernels

import "sync/atomic"

// PatchMatch2 is Match2 for the cells of patch t: it reads the patch, lists its mixed cells, which are
// few, and gives each a thread of its own.
//
//atoll:kernel tile block=256
func PatchMatch2[F Float](
	t int, m *Matching[F], p *Patches, marks, list *[patchCells]int32, counts *[patch]int32, count *[1]int32,
) {
	x, y := p.corner(t)
	for k := range int32(1) {
		count[k] = 0
	}
	for k := range int32(patchRuns) {
		if n := m.mark(marks[:], k, x, y, p); n > 0 {
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
		m.match(m.at(int(x+list[k]%patch), int(y+list[k]/patch), 0))
	}
}

// mark marks the cells of run k of a patch that have a line to find, and tells how many they are.
func (m *Matching[F]) mark(marks []int32, k, x, y int32, p *Patches) int32 {
	f := quadOf(m.F, &m.Lattice, p, k, x, y)
	if !m.All {
		return mark(marks, k, !pure(f.a), !pure(f.b), !pure(f.c), !pure(f.d))
	}
	dx, dy := quadOf(m.DX, &m.Lattice, p, k, x, y), quadOf(m.DY, &m.Lattice, p, k, x, y)
	return mark(marks, k, !pure(f.a) || leans(dx.a, dy.a), !pure(f.b) || leans(dx.b, dy.b),
		!pure(f.c) || leans(dx.c, dy.c), !pure(f.d) || leans(dx.d, dy.d))
}
