package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// CountDisk2 is FillDisk2 without planes that cut cells: a part not crossed by the circle has smallest parts of one
// kind, so that the subdivision is equivalent to counting the smallest parts whose centre is in the disk.
//
//atoll:kernel
func CountDisk2[F num.Float](i, j int, b *Ball[F], f []F) {
	x, y := b.lowerCorner2(int32(i), int32(j))
	v, pure := b.pure2(x, y, b.H[0], b.H[1])
	if !pure {
		n := int32(0)
		for row := range int32(1) << b.Levels {
			n += b.row2(int32(i), int32(j), row)
		}
		v = F(n) / F(int32(1)<<(2*b.Levels))
	}
	f[b.at(i, j, 0)] = v
}

// diskWork is the first cell (x, y) of a square, and the iteration counts of the loops of SquareDisk2: if the circle is
// far from the square, pure is the number of its cells, which all have the volume fraction value; otherwise cells is.
type diskWork[F num.Float] struct {
	value       F
	x, y        int32
	pure, cells int32
}

// SquareDisk2 is CountDisk2 for square t: it lists the cells near the circle, whose rows are counted by different
// threads.
//
//atoll:kernel tile block=256
func SquareDisk2[F num.Float](
	t int, b *Ball[F], p *Squares, f []F, inside, near, list *[squareCells]int32, counts *[squareSide]int32,
	count *[1]int32,
) {
	w := b.work(t, p)
	for k := range w.pure {
		i, j := w.x+k%squareSide, w.y+k/squareSide
		if p.has(i, j) {
			f[b.at(int(i), int(j), 0)] = w.value
		}
	}
	for k := range w.cells {
		x, y := b.lowerCorner2(w.x+k%squareSide, w.y+k/squareSide)
		v, pure := b.pure2(x, y, b.H[0], b.H[1])
		near[k] = flag(!pure)
		inside[k] = int32(v) << (2 * b.Levels)
	}
	for k := range num.Smaller(w.cells, squareSide) {
		counts[k] = countColumn(near[:], k, squareSide, squareSide)
	}
	for k := range num.Smaller(w.cells, squareSide) {
		end := listColumn(list[:], near[:], counts[:], k, squareSide, squareSide)
		if k == squareSide-1 {
			count[0] = end
		}
	}
	rows := w.rows(count[:], b.Levels)
	for k := range rows {
		cell := list[k>>b.Levels]
		if n := b.row2(w.x+cell%squareSide, w.y+cell/squareSide, k&(1<<b.Levels-1)); n != 0 {
			atomic.AddInt32(&inside[cell], n)
		}
	}
	for k := range w.cells {
		i, j := w.x+k%squareSide, w.y+k/squareSide
		if p.has(i, j) {
			f[b.at(int(i), int(j), 0)] = F(inside[k]) / F(int32(1)<<(2*b.Levels))
		}
	}
}

// rows returns the number of rows of smallest parts to count in a square, if the square has cells near the circle.
func (w *diskWork[F]) rows(count []int32, levels int32) int32 {
	if w.cells == 0 {
		return 0
	}
	return count[0] << levels
}

func (b *Ball[F]) work(t int, p *Squares) diskWork[F] {
	var w diskWork[F]
	w.x, w.y = p.corner(t)
	x, y := b.lowerCorner2(w.x, w.y)
	v, pure := b.pure2(x, y, squareSide*b.H[0], squareSide*b.H[1])
	if pure {
		w.value, w.pure = v, squareCells
	} else {
		w.cells = squareCells
	}
	return w
}

// lowerCorner2 is the lower corner of cell (i, j).
func (b *Ball[F]) lowerCorner2(i, j int32) (x, y F) {
	return b.Lo[0] + b.H[0]*F(i+b.First[0]), b.Lo[1] + b.H[1]*F(j+b.First[1])
}

// row2 returns how many of the smallest parts in a row of cell (i, j) have their centre in the disk. Those on one
// side of the centre are inside up to or from some column, also with round-off because each rounding is monotone; the
// column is found by bisection.
func (b *Ball[F]) row2(i, j, row int32) int32 {
	n := int32(1) << b.Levels
	s := b.strip(i, j, row)
	right := s.column(0) >= 0 // the first columns are the nearest
	if !right && s.column(n-1) > 0 {
		inside := int32(0)
		for k := range n {
			inside += flag(s.inside(k, b.Radius))
		}
		return inside
	}
	lo, hi := int32(0), n
	for lo < hi {
		mid := (lo + hi) / 2
		k := mid
		if !right {
			k = n - 1 - mid
		}
		if s.inside(k, b.Radius) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// strip is a row of smallest parts of a cell.
type strip[F num.Float] struct {
	x, width, half F // where it begins, a part's width and half of it
	centre, square F // the disk's middle, and the squared distance from it along y
}

func (b *Ball[F]) strip(i, j, row int32) strip[F] {
	x0, y0 := b.lowerCorner2(i, j)
	scale := 1 / F(int32(1)<<b.Levels)
	hx, hy := b.H[0]*scale, b.H[1]*scale
	y := y0 + hy*F(row) + hy/2 - b.Centre[1]
	return strip[F]{x: x0, width: hx, half: hx / 2, centre: b.Centre[0], square: y * y}
}

// column is the distance of a column's middle from the disk's along x.
func (s *strip[F]) column(k int32) F { return s.x + s.width*F(k) + s.half - s.centre }

// inside reports whether the centre of column k is in the disk, as the level set decides. Square roots are only
// computed where round-off may matter.
func (s *strip[F]) inside(k int32, radius F) bool {
	const slack = 1e-6
	x := s.column(k)
	square := x*x + s.square
	least, most := radius*radius*(1-slack), radius*radius*(1+slack)
	return square < least || square <= most && num.Sqrt(square) < radius
}

// countColumn returns the number of marks set in column x.
func countColumn(marks []int32, x, width, height int32) int32 {
	n := int32(0)
	for y := range height {
		n += marks[x+y*width]
	}
	return n
}

// listColumn writes the numbers of the marked cells of column x after those of the previous columns, and returns the
// end.
func listColumn(list, marks, counts []int32, x, width, height int32) int32 {
	end := int32(0)
	for n := range width { // the same number of iterations for all columns, so that the threads of a warp do not diverge
		if n < x {
			end += counts[n]
		}
	}
	for y := range height {
		if k := x + y*width; marks[k] != 0 {
			list[end] = k
			end++
		}
	}
	return end
}
