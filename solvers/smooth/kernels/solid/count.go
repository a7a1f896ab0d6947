package solid

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Count ends a sweep: index 0 increments the number of sweeps.
//
//atoll:kernel
func Count[F num.Float](i int, c *Control[F]) {
	if i == 0 {
		c.Sweep++
	}
}
