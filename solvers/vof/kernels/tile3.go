package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

const (
	brickX, brickY, brickZ = 32, 8, 4
	brickCells             = brickX * brickY * brickZ

	faceWidth, faceHeight = brickX + 1, brickY + 1 // faces of a brick's cells, along any axis
	brickFaces            = faceWidth * faceHeight * (brickZ + 1)
	faceRows              = brickFaces / faceWidth
)

// Bricks cover a block with boxes of 32×8×4 cells, x fastest, then y.
//
//atoll:constant
type Bricks struct {
	N      [3]int32 // cells of the block
	Count  [3]int32 // bricks along each axis
	Order  []int32  // active bricks: in others nothing changes
	Length []int32  // one element: the number of active bricks
}

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

// brickWork is the first cell of a brick and the iteration counts of its loops.
type brickWork struct{ x, y, z, faces, rows, cells int32 }

func (b *Bricks) work(n int) brickWork {
	var w brickWork
	if n < int(b.Length[0]) {
		w.x, w.y, w.z = b.corner(b.Order[n])
		w.faces, w.rows, w.cells = brickFaces, faceRows, brickCells
	}
	return w
}

// Brick3 is Advance3 for the cells of the t-th brick of Order. Faces with a mixed donor are listed first, so that no
// thread waits for another one's flux, and each flux is computed once except between bricks.
//
//atoll:kernel tile block=256
func Brick3[F num.Float](t int, s *Sweep3[F], b *Bricks, clock *Clock[F], flux *[brickFaces]F, crossed,
	list *[brickFaces]int32, counts, total *[faceWidth]int32) {
	w := b.work(t)
	for k := range w.faces {
		crossed[k] = s.mixedDonor(k, w.x, w.y, w.z, b, clock)
	}
	for x := range int32(faceWidth) {
		counts[x] = countColumn(crossed[:], x, faceWidth, w.rows)
	}
	for x := range int32(faceWidth) {
		total[x] = listColumn(list[:], crossed[:], counts[:], x, faceWidth, w.rows)
	}
	for n := range total[faceWidth-1] {
		k := list[n]
		c := s.at(int(w.x+k%faceWidth), int(w.y+k/faceWidth%faceHeight), int(w.z+k/(faceWidth*faceHeight)))
		flux[k] = s.mixedFlux(c, s.U[c]*clock.Courant[s.Axis])
	}
	for k := range w.cells {
		px, py, pz := k%brickX, k/brickX%brickY, k/(brickX*brickY)
		if b.has(w.x+px, w.y+py, w.z+pz) {
			s.updateCell(s.at(int(w.x+px), int(w.y+py), int(w.z+pz)), px+faceWidth*(py+faceHeight*pz), flux, clock)
		}
	}
}

// mixedDonor returns 1 if the flux through face k of a brick is needed and its donor is mixed.
func (s *Sweep3[F]) mixedDonor(k, x, y, z int32, b *Bricks, clock *Clock[F]) int32 {
	px, py, pz := k%faceWidth, k/faceWidth%faceHeight, k/(faceWidth*faceHeight)
	mx, my, mz := int32(0), int32(0), int32(0) // one more face than cells
	switch s.Axis {
	case 0:
		mx = 1
	case 1:
		my = 1
	default:
		mz = 1
	}
	if px >= brickX+mx || py >= brickY+my || pz >= brickZ+mz || !b.has(x+px-mx, y+py-my, z+pz-mz) {
		return 0
	}
	c := s.at(int(x+px), int(y+py), int(z+pz))
	below, above := mixed(s.F[c-int(s.Stride)], s.RoundOff), mixed(s.F[c], s.RoundOff)
	if below || above {
		return flag(fromMixed(s.U[c]*clock.Courant[s.Axis], below, above))
	}
	return 0
}

// updateCell advances cell c, with the number of its lower face, by the sweep.
func (s *Sweep3[F]) updateCell(c int, face int32, flux *[brickFaces]F, clock *Clock[F]) {
	f, below, above := s.F[c], s.F[c-int(s.Stride)], s.F[c+int(s.Stride)]
	if staysEmpty(WeymouthYue, f, below, above, s.RoundOff) ||
		staysFull(WeymouthYue, f, below, above, s.RoundOff) && s.Start[c] > 0.5 {
		s.Out[c] = f
		return
	}
	step := int32(1)
	if s.Axis == 1 {
		step = faceWidth
	} else if s.Axis == 2 {
		step = faceWidth * faceHeight
	}
	q := clock.Courant[s.Axis]
	lo, hi := s.U[c]*q, s.U[c+int(s.Stride)]*q
	in, out := faceFlux(lo, below, f, flux[face], s.RoundOff), faceFlux(hi, f, above, flux[face+step], s.RoundOff)
	s.Out[c] = updated(WeymouthYue, f, s.Start[c], lo, hi, in, out)
}
