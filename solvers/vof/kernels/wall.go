package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// FillWall copies a boundary cell of the grid to a ghost: the gradient normal to the boundary is zero. No source cell
// is a destination.
//
//atoll:kernel block=256
func FillWall[F num.Float](i int, from, to []int32, f []F) { f[to[i]] = f[from[i]] }
