package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// FillWall copies a boundary cell of the grid to a ghost: the gradient normal to the boundary is zero. No source cell
// is a destination.
//
//atoll:kernel block=256
func FillWall[F num.Float](i int, from, to []int32, f []F) { f[to[i]] = f[from[i]] }

// BrickWalls are the ghosts beyond walls, ordered by brick.
//
//atoll:constant
type BrickWalls[F num.Float] struct {
	Bricks
	First    []int32 // index of each brick's first ghost in To, and the number of all
	From, To []int32 // boundary cells, and the ghosts that get their values
	F        []F
}

// FillBrickWall is FillWall for the ghosts of the t-th brick of Order.
//
//atoll:kernel tile block=128
func FillBrickWall[F num.Float](t int, w *BrickWalls[F]) {
	first, n := w.ghosts(t)
	for k := range n {
		w.F[w.To[first+k]] = w.F[w.From[first+k]]
	}
}

// ghosts returns the first ghost of the t-th brick of Order, and their number: 0 beyond the end of the list.
func (w *BrickWalls[F]) ghosts(t int) (first, n int32) {
	if t < int(w.Sends+w.Length[0]) {
		brick := w.Order[t]
		first = w.First[brick]
		n = w.First[brick+1] - first
	}
	return first, n
}
