package solid

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Count ends a sweep: index 0 adds it to those that were.
//
//atoll:kernel
func Count[F num.Float](i int, c *Control[F]) {
	if i == 0 {
		c.Sweep++
	}
}
