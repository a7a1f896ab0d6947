package kernels

const (
	patch      = 32 // cells along a side of a patch
	patchCells = patch * patch
	run        = 4 // cells of a column that a thread reads before it looks at any
	patchRuns  = patchCells / run
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

// columns is how many columns of a patch with n marked cells have to be counted.
func columns(n int32) int32 {
	if n == 0 {
		return 0
	}
	return patch
}

// quad is four numbers of a column, one cell above the other.
type quad[F Float] struct{ a, b, c, d F }

// quadOf reads a field in run k of the patch at (x, y), at once so that a GPU waits once for memory. Cells that are not to be
// done count as 0.
func quadOf[F Float](f []F, l *Lattice, p *Patches, k, x, y int32) quad[F] {
	i, j := x+k%patch, y+k/patch*run
	c, sy := l.at(int(i), int(j), 0), int(l.SY)
	var q quad[F]
	if p.has(i, j) {
		q.a = f[c]
	}
	if p.has(i, j+1) {
		q.b = f[c+sy]
	}
	if p.has(i, j+2) {
		q.c = f[c+2*sy]
	}
	if p.has(i, j+3) {
		q.d = f[c+3*sy]
	}
	return q
}

// mark sets the marks of the cells of run k, and tells how many there are.
func mark(marks []int32, k int32, a, b, c, d bool) int32 {
	at := k%patch + k/patch*run*patch
	ma, mb, mc, md := marked(a), marked(b), marked(c), marked(d)
	marks[at], marks[at+patch], marks[at+2*patch], marks[at+3*patch] = ma, mb, mc, md
	return ma + mb + mc + md
}

func marked(is bool) int32 {
	if is {
		return 1
	}
	return 0
}
