// Package ghosts lists the ghosts beyond the sides of a grid, and of which entity inside each is a function.
package ghosts

import (
	"slices"

	"github.com/atoll-hpc/atoll/grid"
)

// Given is a function of the position in m and the time in s. Steady means that it does not depend on the time.
type Given struct {
	At     func(x, y, z, t float64) (float64, error)
	Steady bool
}

// Affine is a function a·v + b + part·given of the value of an entity at a position of the grid.
type Affine struct {
	At    int
	A, B  float64
	Part  float64
	Given *Given
}

// ConstantOr is an affine function whose addend is a constant, or a function instead of it, times a part.
func ConstantOr(at int, a, part, constant float64, given *Given) Affine {
	if given != nil {
		return Affine{At: at, A: a, Part: part, Given: given}
	}
	return Affine{At: at, A: a, B: part * constant}
}

// Of returns, along an axis, of which entity's value the one of entity i is a function; ok is false if it is no
// ghost, and has a value of its own. n is the number of cells along the axis.
type Of func(axis, i, n int) (f Affine, ok bool)

// Mirrored is the cell that cell i beyond a side mirrors.
func Mirrored(i, n int) int {
	if i < 0 {
		i = -1 - i
	}
	if i >= n {
		i = 2*n - 1 - i
	}
	return max(0, min(n-1, i))
}

// List are ghosts beyond sides, and entities in sides, and the entities inside of which they are functions.
type List struct {
	From, To []int32
	A, B     []float64
	Given    bool // some addends are given by functions
	Steady   bool // no addend depends on the time
	terms    []term
}

// term is what a given function adds to an element of B: its value at a position times a part.
type term struct {
	element int
	part    float64
	given   *Given
	at      [3]float64
}

// AddendsAt are B at a time, with what functions give.
func (l *List) AddendsAt(t float64) ([]float64, error) {
	b := slices.Clone(l.B)
	for _, q := range l.terms {
		if q.part == 0 {
			continue
		}
		v, err := q.given.At(q.at[0], q.at[1], q.at[2], t)
		if err != nil {
			return nil, err
		}
		b[q.element] += q.part * v
	}
	return b, nil
}

// ListOf lists the ghosts of a block in some layers. Where several axes have a side, the functions are applied one
// after the other.
//
// The entities are cells, for a negative axis, and otherwise faces across it.
func ListOf(b *grid.Block, layers, axis int, of Of) (l List) {
	l.Steady = true
	inside := func(d, i int) bool { // neither a ghost beyond a side nor next to one
		i += b.Lo[d]
		return d >= b.Grid.Dim || b.Grid.Periodic[d] || i > 0 && i < b.Grid.N[d]-1
	}
	nx, _, _ := b.Shape()
	for row := 0; row < b.Len(); row += nx {
		_, j, k := b.Cell(row)
		skips := inside(1, j) && inside(2, k)
		for c := row; c < row+nx; c++ {
			if i, _, _ := b.Cell(c); skips && inside(0, i) {
				if b.Grid.Periodic[0] {
					break
				}
				c = min(row+nx, row+b.Ghost+b.Grid.N[0]-1-b.Lo[0]) - 1 // on to the last cell
				continue
			}
			l.add(b, c, layers, axis, of)
		}
	}
	return l
}

// add adds a ghost, if element c of an array is one.
func (l *List) add(b *grid.Block, c, layers, staggered int, of Of) {
	i, j, k := b.Cell(c)
	at, a, add, ghost := [3]int{i, j, k}, 1.0, 0.0, false
	var terms []term
	for d := range b.Grid.Dim {
		if at[d] < -layers || at[d] > b.N[d]+layers {
			return
		}
		if b.Grid.Periodic[d] {
			continue
		}
		f, ok := of(d, b.Lo[d]+at[d], b.Grid.N[d])
		if ok {
			ghost, a, add = true, f.A*a, f.A*add+f.B
			at[d] = f.At - b.Lo[d]
			for n := range terms {
				terms[n].part *= f.A
			}
			if f.Given != nil {
				terms = append(terms, term{len(l.To), f.Part, f.Given, sidePoint(b, c, d, staggered)})
			}
		}
	}
	if ghost {
		from := b.Index(at[0], at[1], at[2])
		if a == 0 { // nothing depends on the value there, which another thread may be writing
			from = c
		}
		l.To, l.From = append(l.To, int32(c)), append(l.From, int32(from))
		l.A, l.B, l.terms = append(l.A, a), append(l.B, add), append(l.terms, terms...)
		for _, q := range terms {
			l.Given = true
			l.Steady = l.Steady && q.given.Steady
		}
	}
}

// sidePoint returns the point of the side across an axis next to element c of an array: of cells, or of faces across
// the axis staggered.
func sidePoint(b *grid.Block, c, axis, staggered int) (x [3]float64) {
	i, j, k := b.Cell(c)
	at, g := [3]int{i, j, k}, b.Grid
	for d := range g.Dim {
		n := b.Lo[d] + at[d]
		if d == axis {
			if x[d] = g.Lo[d]; 2*n >= g.N[d] {
				x[d] = g.Hi[d]
			}
		} else if d == staggered {
			x[d] = g.Face(d, max(0, min(g.N[d], n)))
		} else {
			x[d] = g.Centre(d, Mirrored(n, g.N[d]))
		}
	}
	return x
}
