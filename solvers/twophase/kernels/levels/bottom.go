package levels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// BottomCells is the largest number of cells of the coarsest level, on which the system is solved directly.
const BottomCells = 16

// Bottom is the coarsest level, which every rank has as a whole.
//
//atoll:constant
type Bottom[F num.Float] struct {
	Lattice
	Cells    [3]int32
	Periodic [3]bool
	Singular bool // the solution is defined up to a constant
	Least    F    // with walls between cells, pivots below this part of the diagonal are taken for 0; otherwise 0
	Space    bool
	A        Weights[F]
	Wide     bool // the level has links
	Links    Links[F]
	Factor   []F // of Cholesky, row by row
}

func (b *Bottom[F]) count() int { return int(b.Cells[0]) * int(b.Cells[1]) * int(b.Cells[2]) }

// position returns the position of cell n of the level along each axis.
func (b *Bottom[F]) position(n int) [3]int {
	x, y := int(b.Cells[0]), int(b.Cells[1])
	return [3]int{n % x, n / x % y, n / (x * y)}
}

// neighbour returns the number of the next cell of a position along an axis in a direction, -1 if there is none.
func (b *Bottom[F]) neighbour(at [3]int, axis, step int) int {
	n := int(b.Cells[axis])
	v := at[axis] + step
	if v < 0 || v >= n {
		if !b.Periodic[axis] {
			return -1
		}
		v = (v + n) % n
	}
	at[axis] = v
	return at[0] + int(b.Cells[0])*(at[1]+int(b.Cells[1])*at[2])
}

func (b *Bottom[F]) coefficient(axis, c int) F {
	if axis == 1 {
		return b.A.Y[c]
	}
	if axis == 2 {
		return b.A.Z[c]
	}
	return b.A.X[c]
}

// Factorise factorises the matrix, with the first unknown fixed if it is singular. Between walls it may be singular in
// several parts, which it finds by their last pivots.
//
//atoll:kernel
func Factorise[F num.Float](i int, b *Bottom[F]) {
	n := b.count()
	for p := range n * n {
		b.Factor[p] = 0
	}
	for p := range n {
		at := b.position(p)
		c := b.at(at[0], at[1], at[2])
		if b.Wide {
			b.addWide(p, c, at)
		}
		for axis := range 3 {
			if !b.Wide && (axis < 2 || b.Space) {
				b.addLinks(p, axis, c, at)
			}
		}
	}
	if b.Singular && b.Least == 0 {
		for p := range n {
			b.Factor[p] = 0
			b.Factor[p*n] = 0
		}
		b.Factor[0] = 1
	}
	for p := range n {
		least := b.Least * b.Factor[p*n+p]
		for q := range p {
			for r := p; r < n; r++ {
				b.Factor[r*n+p] -= b.Factor[r*n+q] * b.Factor[p*n+q]
			}
		}
		pivot := b.Factor[p*n+p]
		root := num.Sqrt(num.Larger(pivot, 1e-30))
		for r := p; r < n; r++ {
			b.Factor[r*n+p] /= root
		}
		if b.Least > 0 && pivot <= least {
			for r := p; r < n; r++ {
				b.Factor[r*n+p] = 0
			}
		}
	}
}

// addLinks adds the links of cell p, at index c, along an axis.
func (b *Bottom[F]) addLinks(p, axis, c int, at [3]int) {
	n, s := b.count(), b.stride(int32(axis))
	for up := range 2 {
		a := b.coefficient(axis, c+up*s)
		b.Factor[p*n+p] += a
		if q := b.neighbour(at, axis, 2*up-1); q >= 0 {
			b.Factor[p*n+q] -= a
		}
	}
}

// addWide adds the links of cell p, at index c, to the cells after it.
func (b *Bottom[F]) addWide(p, c int, at [3]int) {
	l := b.Links
	b.Factor[p*b.count()+p] += l.Extra[c]
	b.join(p, at, 1, 0, l.R1[c])
	b.join(p, at, 2, 0, l.R2[c])
	b.join(p, at, -2, 1, l.A0[c])
	b.join(p, at, -1, 1, l.A1[c])
	b.join(p, at, 0, 1, l.A2[c])
	b.join(p, at, 1, 1, l.A3[c])
	b.join(p, at, 2, 1, l.A4[c])
	b.join(p, at, -2, 2, l.B0[c])
	b.join(p, at, -1, 2, l.B1[c])
	b.join(p, at, 0, 2, l.B2[c])
	b.join(p, at, 1, 2, l.B3[c])
	b.join(p, at, 2, 2, l.B4[c])
}

// join adds the link of cell p to that at (x, y) from it.
func (b *Bottom[F]) join(p int, at [3]int, x, y int, a F) {
	n, nx, ny := b.count(), int(b.Cells[0]), int(b.Cells[1])
	x += at[0]
	y += at[1]
	if x < 0 || x >= nx || y < 0 || y >= ny {
		if (x < 0 || x >= nx) && !b.Periodic[0] || (y < 0 || y >= ny) && !b.Periodic[1] {
			return
		}
		x, y = (x+2*nx)%nx, (y+2*ny)%ny
	}
	q := x + nx*y
	b.Factor[p*n+p] += a
	b.Factor[q*n+q] += a
	b.Factor[p*n+q] -= a
	b.Factor[q*n+p] -= a
}

// SolveBottom solves the system.
//
//atoll:kernel
func SolveBottom[F num.Float](i int, b *Bottom[F], rhs, x []F) {
	n := b.count()
	var y [BottomCells]F
	for p := range n {
		at := b.position(p)
		y[p] = rhs[b.at(at[0], at[1], at[2])]
	}
	if b.Singular {
		b.centre(&y)
		if b.Least == 0 {
			y[0] = 0
		}
	}
	for p := range n {
		for q := range p {
			y[p] -= b.Factor[p*n+q] * y[q]
		}
		y[p] = divided(y[p], b.Factor[p*n+p])
	}
	for k := range n {
		p := n - 1 - k
		for q := p + 1; q < n; q++ {
			y[p] -= b.Factor[q*n+p] * y[q]
		}
		y[p] = divided(y[p], b.Factor[p*n+p])
	}
	if b.Singular {
		b.centre(&y)
	}
	for p := range n {
		at := b.position(p)
		x[b.at(at[0], at[1], at[2])] = y[p]
	}
}

// divided is v/by, or 0 for an unknown that no equation determines.
func divided[F num.Float](v, by F) F {
	if by == 0 {
		return 0
	}
	return v / by
}

// centre subtracts the mean.
func (b *Bottom[F]) centre(y *[BottomCells]F) {
	n, sum := b.count(), F(0)
	for p := range n {
		sum += y[p]
	}
	mean := sum / F(n)
	for p := range n {
		y[p] -= mean
	}
}
