// Package netforce makes the net force of surface tension on each closed interface 0, as it is: ∮κn dA = 0.
//
// Surface tension as the force σκ∇f at faces balances the pressure, but its sum over a closed interface is not 0 unless
// all curvatures κ have the same error. Here the curvatures are changed, as little as possible in the mean of the
// squares over the interface, so that the sum is 0: by b·n, with the normal n and one vector b for each interface. Of a
// sphere this is the part of the error that is a spherical harmonic of the first degree, which no curvature has: that
// deformation is a translation. The change is never larger than the error, since it is the error's projection.
package netforce

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/disjoint"
)

// reach is how many cells apart along each axis cells of the same interface may be. It may join two interfaces, of
// which then the sum of both is 0, but must not divide one: cells whose curvature is not found are left out.
const reach = 2

// List has the cells of a block in which an interface has a curvature, row after row along x.
type List struct {
	Block  *grid.Block
	First  []int32      // where each row of the block begins in the list, and where the last one ends
	Column []int32      // of each cell: its index along x
	Area   [3][]float64 // the vector of the part of the interface that has its curvature, in faces of a cell
	Kappa  []float64    // curvature times the spacing
	Axes   []int        // along which the net force is 0
	// Weight is the size of the faces of cells with an index along x; nil if all are 1.
	Weight func(i int) float64
	// Touches reports whether an interface in a cell may touch a side or a solid: then it is not closed.
	Touches func(i, j, k int) bool

	// Of the last call: steps allocate nothing.
	own     disjoint.Sets
	place   []int32 // of each cell that is a root: that of its interface in the following
	sums    []sums
	vectors [][3]float64
	changes []float64
}

// Changes returns what is added to Kappa, until the next call. All ranks call it; the result does not depend on their
// number.
func (l *List) Changes(ctx context.Context, comm dist.Comm) ([]float64, error) {
	l.join()
	l.addUp()
	if err := l.merge(ctx, comm); err != nil {
		return nil, err
	}
	l.vectors = l.vectors[:0]
	for n := range l.sums {
		l.vectors = append(l.vectors, l.sums[n].vector(len(l.Axes)))
	}
	l.changes = l.changes[:0]
	for n := range l.Column {
		b, size, change := l.vectors[l.place[l.own.Root(int32(n))]], l.size(n), 0.0
		for m, d := range l.Axes {
			if size > 0 {
				change -= b[m] * l.Area[d][n] / size
			}
		}
		l.changes = append(l.changes, change)
	}
	return l.changes, nil
}

// size is the length of a cell's vector.
func (l *List) size(n int) float64 {
	sum := 0.0
	for d := range l.Block.Grid.Dim {
		sum += l.Area[d][n] * l.Area[d][n]
	}
	return math.Sqrt(sum)
}

// join joins the listed cells of each interface in the block.
func (l *List) join() {
	b := l.Block
	l.own = l.own[:0]
	for n := range l.Column {
		l.own = append(l.own, int32(n))
	}
	layers := 0
	if b.Grid.Dim == 3 {
		layers = reach
	}
	for row := range b.N[1] * b.N[2] {
		if l.First[row] == l.First[row+1] {
			continue
		}
		j, k := row%b.N[1], row/b.N[1]
		for z := max(0, k-layers); z <= k; z++ {
			for y := max(0, j-reach); y <= min(b.N[1]-1, j+reach); y++ {
				if other := y + b.N[1]*z; other <= row {
					l.joinRows(row, other)
				}
			}
		}
	}
}

// joinRows joins the cells of a row with those in reach of another one.
func (l *List) joinRows(row, other int) {
	from := l.First[other]
	for n := l.First[row]; n < l.First[row+1]; n++ {
		for from < l.First[other+1] && l.Column[from] < l.Column[n]-reach {
			from++
		}
		for m := from; m < l.First[other+1] && l.Column[m] <= l.Column[n]+reach; m++ {
			l.own.Join(n, m)
		}
	}
}

// sums are those over an interface. They are integers, in units of 2^-32, so that the order of additions does not
// matter.
type sums [words]int64

// Numbers of sums.
const (
	sumForce    = 0 // along each axis
	sumArea     = 3 // of the area vectors
	sumProducts = 6 // of their components, divided by their lengths: the upper triangle of a matrix, row after row
	sumSize     = 12
	sumTouching = 13 // cells that may touch something
	words       = 14
)

func (s *sums) add(other []int64) {
	for n, v := range other {
		s[n] += v
	}
}

const unit = 0x1p32

// whole is a number in units of 2^-32. Of a state that is not finite it is 0: the check of the state tells.
func whole(v float64) int64 {
	if !(math.Abs(v) < 0x1p28) {
		return 0
	}
	return int64(v * unit)
}

// addUp computes the sums of each interface in the block.
func (l *List) addUp() {
	l.place, l.sums = l.place[:0], l.sums[:0]
	b := l.Block
	for row := range b.N[1] * b.N[2] {
		for n := l.First[row]; n < l.First[row+1]; n++ {
			root := l.own.Root(n) // of those before, or n
			l.place = append(l.place, int32(len(l.sums)))
			if root == n {
				l.sums = append(l.sums, sums{})
			}
			to := &l.sums[l.place[root]]
			l.addCell(to, int(n))
			if l.Touches(int(l.Column[n]), row%b.N[1], row/b.N[1]) {
				to[sumTouching]++
			}
		}
	}
}

// addCell adds a cell to sums.
func (l *List) addCell(to *sums, n int) {
	weight, size, next := 1.0, l.size(n), sumProducts
	if l.Weight != nil {
		weight = l.Weight(int(l.Column[n]))
	}
	to[sumSize] += whole(weight * size)
	for m, d := range l.Axes {
		a := weight * l.Area[d][n]
		to[sumForce+m] += whole(l.Kappa[n] * a)
		to[sumArea+m] += whole(a)
		for _, e := range l.Axes[m:] {
			if size > 0 {
				to[next] += whole(a * l.Area[e][n] / size)
			}
			next++
		}
	}
}

// open is the largest part of the area of a closed interface that the sum of its vectors may be.
const open = 1e-3

// vector is b of the package's comment: the matrix of products times it is the force. It is 0 unless the interface is
// closed, and along axes which its normal never has.
func (s *sums) vector(axes int) (b [3]float64) {
	closed, trace := s[sumTouching] == 0 && s[sumSize] > 0, 0.0
	var matrix [3][3]float64
	next := sumProducts
	for m := range axes {
		closed = closed && math.Abs(float64(s[sumArea+m])) <= open*float64(s[sumSize])
		b[m] = float64(s[sumForce+m]) / unit
		for e := m; e < axes; e++ {
			matrix[m][e] = float64(s[next]) / unit
			matrix[e][m] = matrix[m][e]
			next++
		}
		trace += matrix[m][m]
	}
	if !closed {
		return [3]float64{}
	}
	for m := range axes {
		if matrix[m][m] <= 1e-6*trace {
			b[m] = 0
			for e := range axes {
				matrix[m][e], matrix[e][m] = 0, 0
			}
			continue
		}
		for r := range axes {
			if part := matrix[r][m] / matrix[m][m]; r != m {
				for e := m; e < axes; e++ {
					matrix[r][e] -= part * matrix[m][e]
				}
				b[r] -= part * b[m]
			}
		}
	}
	for m := range axes {
		if matrix[m][m] > 0 {
			b[m] /= matrix[m][m]
		}
	}
	return b
}

// merge adds up the sums of interfaces that several blocks have, or that go through a periodic side.
func (l *List) merge(ctx context.Context, comm dist.Comm) error {
	rim := l.rim()
	if comm.Size() == 1 && len(rim) == 0 {
		return nil
	}
	var message []byte
	for _, n := range rim {
		message = packed(message, l.number(n), l.number(l.own.Root(n)))
	}
	all, err := comm.Allgatherv(ctx, message)
	if err != nil {
		return err
	}
	at, roots := map[int64]int64{}, []int64{}
	for _, m := range all {
		for v := unpacked(m); len(v) > 0; v = v[2:] {
			at[v[0]] = v[1]
			roots = append(roots, v[1])
		}
	}
	if len(roots) == 0 {
		return nil
	}
	slices.Sort(roots)
	roots = slices.Compact(roots)
	place := func(root int64) int32 {
		n, _ := slices.BinarySearch(roots, root)
		return int32(n)
	}
	message = l.partsOf(rim)
	sent := len(message)
	for pair := range l.pairs(rim, at) {
		message = packed(message, pair[0], pair[1])
	}
	message = packed(message, int64(sent/8))
	if all, err = comm.Allgatherv(ctx, message); err != nil {
		return err
	}
	trees, total := disjoint.New(len(roots)), make([]sums, len(roots))
	for _, m := range all {
		v := unpacked(m)
		v, sent := v[:len(v)-1], v[len(v)-1]
		for pairs := v[sent:]; len(pairs) > 0; pairs = pairs[2:] {
			trees.Join(place(pairs[0]), place(pairs[1]))
		}
	}
	for _, m := range all {
		v := unpacked(m)
		for v = v[:v[len(v)-1]]; len(v) > 0; v = v[1+words:] {
			total[trees.Root(place(v[0]))].add(v[1 : 1+words])
		}
	}
	for _, n := range rim {
		root := l.own.Root(n)
		l.sums[l.place[root]] = total[trees.Root(place(l.number(root)))]
	}
	return nil
}

// partsOf packs the sums of interfaces with cells in the rim, each after the number of its root.
func (l *List) partsOf(rim []int32) (message []byte) {
	done := map[int32]bool{}
	for _, n := range rim {
		root := l.own.Root(n)
		if done[root] {
			continue
		}
		done[root] = true
		message = packed(message, l.number(root))
		message = packed(message, l.sums[l.place[root]][:]...)
	}
	return message
}

// position returns the indices of a listed cell in the block.
func (l *List) position(n int32) [3]int {
	row, _ := slices.BinarySearch(l.First, n+1)
	row--
	return [3]int{int(l.Column[n]), row % l.Block.N[1], row / l.Block.N[1]}
}

// number is that of a listed cell in the grid.
func (l *List) number(n int32) int64 {
	at := l.position(n)
	return l.numberAt(l.Block.Global(at[0], at[1], at[2]))
}

func (l *List) numberAt(i, j, k int, _ bool) int64 {
	g := l.Block.Grid
	return int64(i) + int64(g.N[0])*(int64(j)+int64(g.N[1])*int64(k))
}

// rim lists the listed cells with other blocks in reach.
func (l *List) rim() (rim []int32) {
	b := l.Block
	for n := range int32(len(l.Column)) {
		at, near := l.position(n), false
		for d := range b.Grid.Dim {
			beyond := b.HasNeighbours(d)
			near = near || beyond[0] && at[d] < reach || beyond[1] && at[d] >= b.N[d]-reach
		}
		if near {
			rim = append(rim, n)
		}
	}
	return rim
}

// pairs are pairs of the numbers of roots of cells in reach of each other across sides of the block, given the roots of
// the cells in all rims.
func (l *List) pairs(rim []int32, rootAt map[int64]int64) map[[2]int64]bool {
	pairs, b := map[[2]int64]bool{}, l.Block
	layers := 0
	if b.Grid.Dim == 3 {
		layers = reach
	}
	for _, n := range rim {
		at, root := l.position(n), l.number(l.own.Root(n))
		for z := at[2] - layers; z <= at[2]+layers; z++ {
			for y := at[1] - reach; y <= at[1]+reach; y++ {
				for x := at[0] - reach; x <= at[0]+reach; x++ {
					if x >= 0 && x < b.N[0] && y >= 0 && y < b.N[1] && z >= 0 && z < b.N[2] {
						continue
					}
					i, j, k, inside := b.Global(x, y, z)
					if !inside {
						continue
					}
					if other, ok := rootAt[l.numberAt(i, j, k, true)]; ok && other != root {
						pairs[[2]int64{min(root, other), max(root, other)}] = true
					}
				}
			}
		}
	}
	return pairs
}

func packed(to []byte, numbers ...int64) []byte {
	for _, v := range numbers {
		to = binary.LittleEndian.AppendUint64(to, uint64(v))
	}
	return to
}

func unpacked(from []byte) []int64 {
	numbers := make([]int64, len(from)/8)
	for k := range numbers {
		numbers[k] = int64(binary.LittleEndian.Uint64(from[8*k:]))
	}
	return numbers
}
