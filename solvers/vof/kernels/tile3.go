package kernels

const (
	brickX, brickY, brickZ = 32, 8, 4
	brickCells             = brickX * brickY * brickZ

	faceWidth, faceHeight = brickX + 1, brickY + 1 // faces of a brick's cells, along any axis
	brickFaces            = faceWidth * faceHeight * (brickZ + 1)
	faceRows              = brickFaces / faceWidth
)

// Bricks are boxes of 32×8×4 cells that cover a part of a block, x fastest, then y.
//
//atoll:constant
type Bricks struct {
	Lo, Hi [3]int32 // the cells to do
	Count  [2]int32 // bricks along x and y
}

// NewBricks covers the cells from lo to below hi, and tells how many bricks that takes.
func NewBricks(lo, hi [3]int) (b *Bricks, n int) {
	b = &Bricks{}
	size, count := [3]int{brickX, brickY, brickZ}, [3]int{}
	for d := range 3 {
		b.Lo[d], b.Hi[d] = int32(lo[d]), int32(hi[d])
		count[d] = max(0, hi[d]-lo[d]+size[d]-1) / size[d]
	}
	b.Count = [2]int32{int32(count[0]), int32(count[1])}
	return b, count[0] * count[1] * count[2]
}

// corner is the first cell of brick t.
func (b *Bricks) corner(t int) (x, y, z int32) {
	row := int32(t) / b.Count[0]
	return b.Lo[0] + int32(t)%b.Count[0]*brickX, b.Lo[1] + row%b.Count[1]*brickY, b.Lo[2] + row/b.Count[1]*brickZ
}

// Brick3 is Advance3 for the cells of brick t. Faces with a mixed donor are listed first, so that no thread waits while another
// one finds a flux, and each is found once but between bricks.
//
//atoll:kernel tile block=256
func Brick3[F Float](t int, s *Sweep3[F], b *Bricks, clock *Clock[F], flux *[brickFaces]F, crossed, list *[brickFaces]int32,
	counts, total *[faceWidth]int32) {
	x, y, z := b.corner(t)
	for k := range int32(brickFaces) {
		crossed[k] = s.crosses(k, x, y, z, b, clock)
	}
	for x := range int32(faceWidth) {
		counts[x] = counted(crossed[:], x, faceWidth, faceRows)
	}
	for x := range int32(faceWidth) {
		total[x] = listed(list[:], crossed[:], counts[:], x, faceWidth, faceRows)
	}
	for n := range total[faceWidth-1] {
		k := list[n]
		c := s.at(int(x+k%faceWidth), int(y+k/faceWidth%faceHeight), int(z+k/(faceWidth*faceHeight)))
		flux[k] = s.flux(c, clock.Courant[s.Axis])
	}
	for k := range int32(brickCells) {
		px, py, pz := k%brickX, k/brickX%brickY, k/(brickX*brickY)
		if x+px < b.Hi[0] && y+py < b.Hi[1] && z+pz < b.Hi[2] {
			s.between(s.at(int(x+px), int(y+py), int(z+pz)), px+faceWidth*(py+faceHeight*pz), flux, clock)
		}
	}
}

// crosses is 1 if the flux through face k of a brick is needed, and its donor is mixed.
func (s *Sweep3[F]) crosses(k, x, y, z int32, b *Bricks, clock *Clock[F]) int32 {
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
	if px >= brickX+mx || py >= brickY+my || pz >= brickZ+mz || x+px >= b.Hi[0]+mx || y+py >= b.Hi[1]+my || z+pz >= b.Hi[2]+mz {
		return 0
	}
	c := s.at(int(x+px), int(y+py), int(z+pz))
	below, above := mixed(s.F[c-int(s.Stride)], s.Dust), mixed(s.F[c], s.Dust)
	if below || above {
		return crossing(s.U[c]*clock.Courant[s.Axis], below, above)
	}
	return 0
}

// between takes cell c through the sweep, whose lower face has the given number.
func (s *Sweep3[F]) between(c int, face int32, flux *[brickFaces]F, clock *Clock[F]) {
	f, below, above := s.F[c], s.F[c-int(s.Stride)], s.F[c+int(s.Stride)]
	if s.still(c, f, below, above) {
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
	in, out := passed(lo, below, f, flux[face], s.Dust), passed(hi, f, above, flux[face+step], s.Dust)
	s.Out[c] = updated(WeymouthYue, f, s.Start[c], lo, hi, in, out)
}
