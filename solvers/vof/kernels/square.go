package kernels

const (
	squareSide  = 32 // cells along a side of a square
	squareCells = squareSide * squareSide
)

// Squares cover a block of a grid with squares of 32×32 cells, x fastest. A thread block of a GPU processes one square.
//
//atoll:constant
type Squares struct {
	Lo, Hi [2]int32 // the cells to process
	Across int32    // squares along x
}

// NewSquares covers the cells from lo to below hi, and returns the number of squares.
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

// has reports whether cell (i, j) is to be processed.
func (p *Squares) has(i, j int32) bool { return i < p.Hi[0] && j < p.Hi[1] }

func flag(is bool) int32 {
	if is {
		return 1
	}
	return 0
}
