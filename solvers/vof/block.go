package vof

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Grid is a box of cells. In the plane Cells[2] is 1.
type Grid struct {
	Dim      int
	Cells    [3]int
	Lo, Hi   [3]float64
	Periodic [3]bool
}

// Side is that of a cell along an axis.
func (g *Grid) Side(axis int) float64 { return (g.Hi[axis] - g.Lo[axis]) / float64(g.Cells[axis]) }

// cellVolume is the area of a cell in the plane.
func (g *Grid) cellVolume() float64 {
	v := 1.0
	for d := range g.Dim {
		v *= g.Side(d)
	}
	return v
}

// Block is a rank's part of a grid: N cells along each axis from the global cell First on, in arrays with Ghost layers
// around them (none along z in the plane), x fastest.
type Block struct {
	Grid
	Parts    [3]int // blocks along each axis; ranks count along x first
	Place    [3]int // of this block among them
	First, N [3]int
	Ghost    int
}

// Split gives a rank its block of a grid that is cut into parts along each axis, as evenly as can be.
func Split(g Grid, parts [3]int, rank, ghost int) (*Block, error) {
	if g.Dim != 2 && g.Dim != 3 {
		return nil, fmt.Errorf("a grid has 2 or 3 dimensions, not %d", g.Dim)
	}
	b := &Block{Grid: g, Parts: parts, Ghost: ghost}
	rest := rank
	size := 1
	for d := range 3 {
		flat := d >= g.Dim
		switch {
		case g.Cells[d] < 1 || parts[d] < 1 || flat && (g.Cells[d] != 1 || parts[d] != 1):
			return nil, fmt.Errorf("%v cells in %v parts, in %d dimensions", g.Cells, parts, g.Dim)
		case !flat && !(g.Side(d) > 0 && g.Side(d) < math.Inf(1)):
			return nil, fmt.Errorf("the grid reaches from %g to %g along axis %d", g.Lo[d], g.Hi[d], d)
		}
		b.Place[d] = rest % parts[d]
		rest /= parts[d]
		b.First[d] = g.Cells[d] * b.Place[d] / parts[d]
		b.N[d] = g.Cells[d]*(b.Place[d]+1)/parts[d] - b.First[d]
		if !flat && (parts[d] > 1 || g.Periodic[d]) && g.Cells[d]/parts[d] < ghost {
			return nil, fmt.Errorf("%d cells along axis %d in %d parts leave blocks thinner than their %d layers of ghosts: use fewer parts",
				g.Cells[d], d, parts[d], ghost)
		}
		if size *= b.N[d] + 2*b.layers(d); size > math.MaxInt32 {
			return nil, fmt.Errorf("blocks of %v cells have more than 2^31 numbers: use more ranks", b.N)
		}
	}
	if rank < 0 || rest != 0 {
		return nil, fmt.Errorf("rank %d of %v parts", rank, parts)
	}
	return b, nil
}

// layers of ghosts along an axis.
func (b *Block) layers(axis int) int {
	if axis < b.Dim {
		return b.Ghost
	}
	return 0
}

// shape of the arrays, and strides between their elements.
func (b *Block) shape() (n, stride [3]int) {
	for d := range n {
		n[d] = b.N[d] + 2*b.layers(d)
	}
	return n, [3]int{1, n[0], n[0] * n[1]}
}

func (b *Block) lattice() kernels.Lattice {
	_, stride := b.shape()
	l := kernels.Lattice{SY: int32(stride[1]), SZ: int32(stride[2])}
	l.Origin = int32(b.layers(0)) + int32(b.layers(1))*l.SY + int32(b.layers(2))*l.SZ
	return l
}

// neighbour is the rank of the next block along an axis, -1 beyond a wall.
func (b *Block) neighbour(axis, step int) int {
	at := b.Place
	at[axis] += step
	if b.Periodic[axis] {
		at[axis] = (at[axis] + b.Parts[axis]) % b.Parts[axis]
	} else if at[axis] < 0 || at[axis] >= b.Parts[axis] {
		return -1
	}
	return at[0] + b.Parts[0]*(at[1]+b.Parts[1]*at[2])
}
