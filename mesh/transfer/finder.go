package transfer

import (
	"cmp"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
)

// Finder finds the cells of a mesh that overlap boxes or contain positions, in a tree of boxes around cells. Any
// goroutine may use it.
type Finder struct {
	mesh  *mesh.Mesh
	cells []int32 // along a space-filling curve
	boxes []box   // around each of these cells
	tree  []box   // of a binary tree: tree[1] around all, tree[leaves+k] around leafCells cells from k·leafCells on
	first int     // index of the first leaf in tree
}

// leafCells is the number of cells of a leaf.
const leafCells = 4

// NewFinder returns the finder of a mesh with at least one cell.
func NewFinder(m *mesh.Mesh) *Finder {
	n := len(m.Cells)
	f := &Finder{mesh: m, cells: make([]int32, n), boxes: make([]box, n), first: 1}
	all := nowhere
	for v := range m.X {
		all = all.join(&box{m.X[v], m.Y[v], m.X[v], m.Y[v]})
	}
	type keyed struct {
		key  uint64
		cell int32
	}
	order := make([]keyed, n)
	perX, perY := curveCells/max(all.east-all.west, math.SmallestNonzeroFloat64),
		curveCells/max(all.north-all.south, math.SmallestNonzeroFloat64)
	parallel.Ranges(n, parallel.Parts(n, cellsPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			x, y := m.Centroid(i)
			order[i] = keyed{interleaved((x-all.west)*perX) | interleaved((y-all.south)*perY)<<1, int32(i)}
		}
	})
	slices.SortFunc(order, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.cell, b.cell)) })
	for f.first*leafCells < n {
		f.first *= 2
	}
	f.tree = slices.Repeat([]box{nowhere}, 2*f.first)
	for k, o := range order {
		f.cells[k] = o.cell
		x, y := corners(m, int(o.cell))
		leaf := &f.tree[f.first+k/leafCells]
		f.boxes[k] = boxOf(&x, &y)
		*leaf = leaf.join(&f.boxes[k])
	}
	for k := f.first - 1; k > 0; k-- {
		f.tree[k] = f.tree[2*k].join(&f.tree[2*k+1])
	}
	return f
}

// curveCells is the number of cells of the curve along an axis.
const curveCells = 1<<20 - 1

// interleaved spreads the bits of a number below curveCells+1 to every second one.
func interleaved(x float64) uint64 {
	v := uint64(min(max(x, 0), curveCells))
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f
	v = (v | v<<2) & 0x3333333333333333
	return (v | v<<1) & 0x5555555555555555
}

// overlapping appends the cells whose boxes overlap a box to found, in ascending order.
func (f *Finder) overlapping(found []int32, b box) []int32 {
	begin := len(found)
	f.visit(b, func(cell int32) { found = append(found, cell) })
	slices.Sort(found[begin:])
	return found
}

// visit calls do with the cells whose boxes overlap a box.
func (f *Finder) visit(b box, do func(cell int32)) {
	var stack [64]int
	stack[0] = 1
	for n := 1; n > 0; {
		n--
		k := stack[n]
		if !f.tree[k].overlaps(&b) {
			continue
		}
		if k < f.first {
			stack[n], stack[n+1] = 2*k+1, 2*k
			n += 2
			continue
		}
		at := (k - f.first) * leafCells
		for i := at; i < min(at+leafCells, len(f.cells)); i++ {
			if f.boxes[i].overlaps(&b) {
				do(f.cells[i])
			}
		}
	}
}

// Find returns the cell of a position, and its barycentric coordinates there. The result depends on the position and
// the mesh alone: of several cells that contain the position the one in which it is farthest inside, of equal ones the
// first. Of a position that is outside of the mesh, the coordinates are those of a position nearby.
func (f *Finder) Find(x, y float64) (cell int32, share [3]float64) {
	whole := f.tree[1]
	for reach := 0.0; ; {
		best := math.Inf(-1)
		f.visit(box{x - reach, y - reach, x + reach, y + reach}, func(c int32) {
			s := f.shares(c, x, y)
			if least := min(s[0], s[1], s[2]); least > best || least == best && c < cell {
				best, cell, share = least, c, s
			}
		})
		if best >= -outside || !math.IsInf(best, -1) && reach > 0 {
			break
		}
		if reach *= 4; reach == 0 {
			reach = 1e-6 * max(whole.east-whole.west, whole.north-whole.south)
		}
	}
	sum := 0.0
	for k := range share {
		share[k] = max(share[k], 0)
		sum += share[k]
	}
	for k := range share {
		share[k] /= sum
	}
	return cell, share
}

// outside is how far outside, in barycentric coordinates, a position counts as in a cell.
const outside = 1e-9

// shares returns the barycentric coordinates of a position in a cell.
func (f *Finder) shares(cell int32, px, py float64) (s [3]float64) {
	x, y := corners(f.mesh, int(cell))
	twice := (x[1]-x[0])*(y[2]-y[0]) - (x[2]-x[0])*(y[1]-y[0])
	for k := range 3 {
		a, b := (k+1)%3, (k+2)%3
		s[k] = ((x[a]-px)*(y[b]-py) - (x[b]-px)*(y[a]-py)) / twice
	}
	return s
}

// Interpolate returns a field of vertices at a position.
func (f *Finder) Interpolate(field []float64, x, y float64) float64 {
	cell, share := f.Find(x, y)
	v := f.mesh.Cells[cell]
	return share[0]*field[v[0]] + share[1]*field[v[1]] + share[2]*field[v[2]]
}
