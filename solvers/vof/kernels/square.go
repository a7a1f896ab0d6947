package kernels

const (
	squareSide  = 32 // cells along a side of a square
	squareCells = squareSide * squareSide
)

// Squares are squares of 32×32 cells that cover a block, x fastest. A block of a GPU's threads takes one at a time.
//
//atoll:constant
type Squares struct {
	Lo, Hi [2]int32 // the cells to do
	Across int32    // squares along x
}

// NewSquares covers the cells from lo to below hi, and tells how many squares that takes.
func NewSquares(lo, hi [2]int) (p *Squares, n int) {
	across, up := (hi[0]-lo[0]+squareSide-1)/squareSide, (hi[1]-lo[1]+squareSide-1)/squareSide
	return &Squares{
		Lo:     [2]int32{int32(lo[0]), int32(lo[1])},
		Hi:     [2]int32{int32(hi[0]), int32(hi[1])},
		Across: int32(across),
	}, across * up
}

// corner is the first cell of square t.
func (p *Squares) corner(t int) (x, y int32) {
	return p.Lo[0] + int32(t)%p.Across*squareSide, p.Lo[1] + int32(t)/p.Across*squareSide
}

// has tells whether cell (i, j) is one to do.
func (p *Squares) has(i, j int32) bool { return i < p.Hi[0] && j < p.Hi[1] }

func flag(is bool) int32 {
	if is {
		return 1
	}
	return 0
}
