package shallow

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Bytes returns the size of a rank's arrays, given the numbers of owned cells and of all cells including ghosts: those
// of arrays.upload. Devices with separate memory use tiles, which duplicate the edges between them.
func (c Config) Bytes(owned, held int, precision string, friction, separate bool) int64 {
	if precision == "float32" {
		return bytesOf[float32](c, owned, held, friction, separate)
	}
	return bytesOf[float64](c, owned, held, friction, separate)
}

func bytesOf[F num.Float](c Config, owned, held int, friction, separate bool) int64 {
	var number F
	perCell := 2*unsafe.Sizeof(kernels.State[F]{}) + unsafe.Sizeof(kernels.Bed[F]{}) // per held cell
	if friction {
		perCell += unsafe.Sizeof(number)
	}
	edge := unsafe.Sizeof(kernels.EdgeCells{}) + unsafe.Sizeof(kernels.Normal[F]{})
	own := unsafe.Sizeof(kernels.TileCell{})
	edges := int64(owned)*3/2 + int64(held-owned)/2
	if separate {
		edges += edges / 7
	} else {
		edge += unsafe.Sizeof(kernels.Flux[F]{})
		own = unsafe.Sizeof(kernels.CellEdges{})
	}
	if c.Order == 2 {
		perCell += unsafe.Sizeof(kernels.State[F]{}) + unsafe.Sizeof(kernels.Slopes[F]{})
		if separate && held > owned { // slopes are in a table and in an array
			perCell += unsafe.Sizeof(kernels.Slopes[F]{})
		}
		edge += unsafe.Sizeof(kernels.Arms[F]{})
		own += unsafe.Sizeof(kernels.Stencil[F]{})
	}
	if c.Keep.Maxima {
		own += unsafe.Sizeof(kernels.Peak{})
	}
	return int64(perCell)*int64(held) + int64(own)*int64(owned) + int64(edge)*edges
}
