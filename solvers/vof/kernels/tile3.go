package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

const (
	brickX, brickY, brickZ = 32, 8, 4
	brickCells             = brickX * brickY * brickZ

	faceWidth, faceHeight = brickX + 1, brickY + 1 // faces of a brick's cells, along any axis
	brickFaces            = faceWidth * faceHeight * (brickZ + 1)

	brickColumns = brickX * brickY // columns along z
	brickGroups  = brickColumns / groupRuns
)

// Bricks cover a block with boxes of 32×8×4 cells, x fastest, then y.
//
//atoll:constant
type Bricks struct {
	N      [3]int32    // cells of the block
	Count  [3]int32    // bricks along each axis
	Open   [3][2]int32 // by axis and side (lower, upper): not 0 if other ranks' cells or periodic images follow
	Layers int32       // layers of cells at open sides that other ranks need, 0 if none do
	Sends  int32       // number of bricks with these cells (see Sent)
	Order  []int32     // the bricks with cells for other ranks, then the active ones: in others nothing changes
	Length []int32     // one element: the number of active bricks
}

// Sent reports whether other ranks need cells of brick t.
func (b *Bricks) Sent(t int32) bool {
	x, y, z := b.corner(t)
	return b.sentAlong(0, x, brickX) || b.sentAlong(1, y, brickY) || b.sentAlong(2, z, brickZ)
}

// sentAlong reports whether other ranks need one of n layers of cells from number lo along an axis.
func (b *Bricks) sentAlong(axis, lo, n int32) bool {
	return b.Open[axis][0] > 0 && lo < b.Layers || b.Open[axis][1] > 0 && lo+n > b.N[axis]-b.Layers
}

// BrickSize is the number of cells of a brick along each axis.
var BrickSize = [3]int{brickX, brickY, brickZ}

// CountBricks returns the number of bricks along each axis that cover n cells.
func CountBricks(n [3]int) [3]int {
	return [3]int{(n[0] + brickX - 1) / brickX, (n[1] + brickY - 1) / brickY, (n[2] + brickZ - 1) / brickZ}
}

// corner is the first cell of brick t.
func (b *Bricks) corner(t int32) (x, y, z int32) {
	row := t / b.Count[0]
	return t % b.Count[0] * brickX, row % b.Count[1] * brickY, row / b.Count[1] * brickZ
}

// has reports whether a cell belongs to the block.
func (b *Bricks) has(i, j, k int32) bool { return i < b.N[0] && j < b.N[1] && k < b.N[2] }

// brickWork is the first cell of a brick, and the number of its columns: 0 beyond the end of the list.
type brickWork struct{ x, y, z, columns int32 }

func (b *Bricks) work(n int) brickWork {
	var w brickWork
	if n < int(b.Sends+b.Length[0]) {
		w.x, w.y, w.z = b.corner(b.Order[n])
		w.columns = brickColumns
	}
	return w
}

// Brick3 is Advance3 for the cells of the t-th brick of Order. Most cells stay as they are. The others are listed,
// and distributed over the threads: first to compute the flux through the lower face of each if its donor is mixed,
// and then to advance it. So no thread waits for another one's flux, and each flux is computed once except between
// bricks.
//
//atoll:kernel tile block=256 blocks=3 blocks32=4
func Brick3[F num.Float](t int, s *Sweep3[F], b *Bricks, clock *Clock[F], flux *[brickFaces]F, list *[brickFaces]int32,
	bits *[brickColumns]int32, counts *[brickGroups]int32) {
	w := b.work(t)
	for k := range int32(brickGroups) {
		counts[k] = 0
	}
	for k := range w.columns {
		bits[k] = s.column(k, w.x, w.y, w.z, b)
		if bits[k] != 0 {
			atomic.AddInt32(&counts[k/groupRuns], ones(bits[k]))
		}
	}
	n := sumOf(counts[:], 0, brickGroups)
	for k := range some(n, w.columns) {
		s.listColumn(list[:], bits[:], counts[:], k)
	}
	for k := range n {
		flux[list[k]] = s.brickFlux(list[k], w.x, w.y, w.z, clock)
	}
	for k := range n {
		s.advanceInBrick(list[k], w.x, w.y, w.z, b, flux, clock)
	}
}

// along returns the unit vector along the axis of the sweep.
func (s *Sweep3[F]) along() (x, y, z int32) {
	switch s.Axis {
	case 0:
		return 1, 0, 0
	case 1:
		return 0, 1, 0
	}
	return 0, 0, 1
}

// face returns the number of the lower face of cell (px, py, pz) of a brick.
func face(px, py, pz int32) int32 { return px + faceWidth*(py+faceHeight*pz) }

// highestFace returns face k of those above a brick's highest cells along the axis of the sweep, and whether there are
// that many.
func (s *Sweep3[F]) highestFace(k int32) (px, py, pz int32, exists bool) {
	switch s.Axis {
	case 0:
		return brickX, k % brickY, k / brickY, k < brickY*brickZ
	case 1:
		return k % brickX, brickY, k / brickX, k < brickX*brickZ
	}
	return k % brickX, k / brickX, brickZ, true
}

// threeCells are a cell and those beside it along an axis.
type threeCells[F num.Float] struct{ f, below, above F }

// around returns the volume fractions around cell (i, j, k): zeros if the cell and the one below it are beyond the
// block.
func (s *Sweep3[F]) around(i, j, k int32, b *Bricks) threeCells[F] {
	var o threeCells[F]
	mx, my, mz := s.along()
	if b.has(i-mx, j-my, k-mz) {
		c := s.at(int(i), int(j), int(k))
		o.f, o.below = s.F[c], s.F[c-int(s.Stride)]
		if b.has(i, j, k) {
			o.above = s.F[c+int(s.Stride)]
		}
	}
	return o
}

// column does the sweep in those cells of column k of a brick that stay as they are, and returns bits of the others,
// the lowest for the lowest cell. The highest bit stands for one of the highest faces. The column is read before
// anything is written, so that the loads do not wait for each other.
func (s *Sweep3[F]) column(k, x, y, z int32, b *Bricks) int32 {
	px, py := k%brickX, k/brickX
	hx, hy, hz, exists := s.highestFace(k)
	v0, v1 := s.around(x+px, y+py, z, b), s.around(x+px, y+py, z+1, b)
	v2, v3 := s.around(x+px, y+py, z+2, b), s.around(x+px, y+py, z+3, b)
	var highest threeCells[F]
	if exists {
		highest = s.around(x+hx, y+hy, z+hz, b)
	}
	bit0 := s.sweepIfStays(x+px, y+py, z, v0, b)
	bit1 := s.sweepIfStays(x+px, y+py, z+1, v1, b)
	bit2 := s.sweepIfStays(x+px, y+py, z+2, v2, b)
	bit3 := s.sweepIfStays(x+px, y+py, z+3, v3, b)
	bit4 := flag(mixed(highest.f, s.RoundOff) || mixed(highest.below, s.RoundOff))
	return bit0 | bit1<<1 | bit2<<2 | bit3<<3 | bit4<<brickZ
}

// sweepIfStays does the sweep in a cell with the given cells around it if it stays as it is, and returns 0. Otherwise
// it returns 1; for a cell beyond the block it returns 1 if its lower face may have a mixed donor.
func (s *Sweep3[F]) sweepIfStays(i, j, k int32, v threeCells[F], b *Bricks) int32 {
	if !b.has(i, j, k) {
		return flag(mixed(v.f, s.RoundOff) || mixed(v.below, s.RoundOff))
	}
	c := s.at(int(i), int(j), int(k))
	if staysEmpty(v.f, v.below, v.above, s.RoundOff) ||
		staysFull(v.f, v.below, v.above, s.RoundOff) && s.Start[c] > 0.5 {
		s.Out[c] = v.f
		return 0
	}
	return 1
}

// listColumn appends the faces of column k of a brick that have a bit to those of the previous columns.
func (s *Sweep3[F]) listColumn(list, bits, counts []int32, k int32) {
	if bits[k] == 0 {
		return
	}
	at := sumOf(counts, 0, k/groupRuns)
	for n := k / groupRuns * groupRuns; n < k; n++ {
		at += ones(bits[n])
	}
	for q := range int32(brickZ) {
		if bits[k]>>q&1 != 0 {
			list[at] = face(k%brickX, k/brickX, q)
			at++
		}
	}
	if bits[k]>>brickZ != 0 {
		hx, hy, hz, _ := s.highestFace(k)
		list[at] = face(hx, hy, hz)
	}
}

// brickFlux returns the flux through a face of a brick if its donor is mixed, otherwise 0.
func (s *Sweep3[F]) brickFlux(k, x, y, z int32, clock *Clock[F]) F {
	c := s.at(int(x+k%faceWidth), int(y+k/faceWidth%faceHeight), int(z+k/(faceWidth*faceHeight)))
	cfl := s.U[c] * clock.Courant[s.Axis]
	if !fromMixed(cfl, mixed(s.F[c-int(s.Stride)], s.RoundOff), mixed(s.F[c], s.RoundOff)) {
		return 0
	}
	return s.mixedFlux(c, cfl)
}

// advanceInBrick advances the cell above face k by the sweep, if it is in the brick and the block.
func (s *Sweep3[F]) advanceInBrick(k, x, y, z int32, b *Bricks, flux *[brickFaces]F, clock *Clock[F]) {
	px, py, pz := k%faceWidth, k/faceWidth%faceHeight, k/(faceWidth*faceHeight)
	if px >= brickX || py >= brickY || pz >= brickZ || !b.has(x+px, y+py, z+pz) {
		return
	}
	c := s.at(int(x+px), int(y+py), int(z+pz))
	f, below, above := s.F[c], s.F[c-int(s.Stride)], s.F[c+int(s.Stride)]
	mx, my, mz := s.along()
	q := clock.Courant[s.Axis]
	lo, hi := s.U[c]*q, s.U[c+int(s.Stride)]*q
	in := faceFlux(lo, below, f, flux[k], s.RoundOff)
	out := faceFlux(hi, f, above, flux[k+face(mx, my, mz)], s.RoundOff)
	s.Out[c] = updated(WeymouthYue, f, s.Start[c], lo, hi, in, out)
}
