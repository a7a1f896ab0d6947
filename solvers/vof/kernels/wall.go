package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// FillWall copies a cell at the boundary of the grid to one beyond it: nothing changes across the boundary. None of the
// cells that are copied from is one that is copied to.
//
//atoll:kernel block=256
func FillWall[F num.Float](i int, from, to []int32, f []F) { f[to[i]] = f[from[i]] }
