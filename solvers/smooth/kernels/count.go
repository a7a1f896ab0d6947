package kernels

import (
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Count ends a sweep: index 0 increments the number of sweeps.
//
//atoll:kernel
func Count[F num.Float](i int, c *Control[F]) {
	if i == 0 {
		c.Sweep++
	}
}

// RaiseFloor raises the floor of Barrier to the worst quality before a sweep, and empties the reductions for the next
// sweep. It is run for index 0 only.
//
//atoll:kernel
func RaiseFloor[F num.Float](i int, c *Control[F], worst *atomics.Least[F], longest *atomics.Most[F]) {
	if w := worst.Value(); w > c.Floor || w != w {
		c.Floor = w
	}
	worst.Reset()
	longest.Reset()
}
