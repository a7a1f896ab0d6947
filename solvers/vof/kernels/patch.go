package kernels

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
	return &Patches{
		Lo:     [2]int32{int32(lo[0]), int32(lo[1])},
		Hi:     [2]int32{int32(hi[0]), int32(hi[1])},
		Across: int32(across),
	}, across * up
}

// corner is the first cell of patch t.
func (p *Patches) corner(t int) (x, y int32) {
	return p.Lo[0] + int32(t)%p.Across*patch, p.Lo[1] + int32(t)/p.Across*patch
}

// has tells whether cell (i, j) is one to do.
func (p *Patches) has(i, j int32) bool { return i < p.Hi[0] && j < p.Hi[1] }

func marked(is bool) int32 {
	if is {
		return 1
	}
	return 0
}
