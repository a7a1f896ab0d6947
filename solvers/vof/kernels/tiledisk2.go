package kernels

import "sync/atomic"

const (
	patch      = 32 // cells along a side of a patch
	patchCells = patch * patch
)

// Patches are squares of 32×32 cells that cover a block, x fastest.
//
//atoll:constant
type Patches struct {
	Lo, Hi [2]int32 // the cells to do
	Across int32    // patches along x
}

// NewPatches covers the cells from lo to below hi, and tells how many patches that takes.
func NewPatches(lo, hi [2]int) (p *Patches, n int) {
	across, up := (hi[0]-lo[0]+patch-1)/patch, (hi[1]-lo[1]+patch-1)/patch
	return &Patches{Lo: [2]int32{int32(lo[0]), int32(lo[1])}, Hi: [2]int32{int32(hi[0]), int32(hi[1])}, Across: int32(across)}, across * up
}

// corner is the first cell of patch t.
func (p *Patches) corner(t int) (x, y int32) {
	return p.Lo[0] + int32(t)%p.Across*patch, p.Lo[1] + int32(t)/p.Across*patch
}

// has tells whether cell (i, j) is one to do.
func (p *Patches) has(i, j int32) bool { return i < p.Hi[0] && j < p.Hi[1] }

// diskWork is where a patch begins and how many turns the loops of TileDisk2 take: pure ones where the circle is far, else the
// others.
type diskWork[F Float] struct {
	value             F
	x, y              int32
	pure, cells, rows int32
}

// TileDisk2 is FillDisk2 for patch t, where cells are cut by no planes. A part that the circle does not pass holds smallest
// parts of one kind, so that dividing cells comes to counting the smallest parts whose centre is in the disk: a row of
// them at a time, by different threads.
//
//atoll:kernel tile block=256
func TileDisk2[F Float](t int, b *Ball[F], p *Patches, f []F, inside, near *[patchCells]int32) {
	w := b.work(t, p)
	for k := range w.pure {
		i, j := w.x+k%patch, w.y+k/patch
		if p.has(i, j) {
			f[b.at(int(i), int(j), 0)] = w.value
		}
	}
	for k := range w.cells {
		x, y := b.place2(w.x+k%patch, w.y+k/patch)
		v, pure := b.pure2(x, y, b.H[0], b.H[1])
		near[k] = 1
		if pure {
			near[k] = 0
		}
		inside[k] = int32(v) << (2 * b.Levels)
	}
	for k := range w.rows {
		if cell := k >> b.Levels; near[cell] != 0 {
			if n := b.row2(w.x+cell%patch, w.y+cell/patch, k-cell<<b.Levels); n != 0 {
				atomic.AddInt32(&inside[cell], n)
			}
		}
	}
	for k := range w.cells {
		i, j := w.x+k%patch, w.y+k/patch
		if p.has(i, j) {
			f[b.at(int(i), int(j), 0)] = F(inside[k]) / F(int32(1)<<(2*b.Levels))
		}
	}
}

func (b *Ball[F]) work(t int, p *Patches) diskWork[F] {
	var w diskWork[F]
	w.x, w.y = p.corner(t)
	x, y := b.place2(w.x, w.y)
	v, pure := b.pure2(x, y, patch*b.H[0], patch*b.H[1])
	if pure {
		w.value, w.pure = v, patchCells
	} else {
		w.cells, w.rows = patchCells, patchCells<<b.Levels
	}
	return w
}

// place2 is the lower corner of cell (i, j).
func (b *Ball[F]) place2(i, j int32) (x, y F) {
	return b.Lo[0] + b.H[0]*F(i+b.First[0]), b.Lo[1] + b.H[1]*F(j+b.First[1])
}

// row2 is how many of the smallest parts in a row of cell (i, j) have their centre in the disk. Roots are taken of those alone
// whose rounding may matter.
func (b *Ball[F]) row2(i, j, row int32) int32 {
	const slack = 1e-6
	x0, y0 := b.place2(i, j)
	scale := 1 / F(int32(1)<<b.Levels)
	hx, hy := b.H[0]*scale, b.H[1]*scale
	y := y0 + hy*F(row) + hy/2 - b.Centre[1]
	least, most := b.Radius*b.Radius*(1-slack), b.Radius*b.Radius*(1+slack)
	n := int32(0)
	for column := range int32(1) << b.Levels {
		x := x0 + hx*F(column) + hx/2 - b.Centre[0]
		square := x*x + y*y
		if square < least || square <= most && sqrt(square) < b.Radius {
			n++
		}
	}
	return n
}
