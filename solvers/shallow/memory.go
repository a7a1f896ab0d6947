package shallow

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Inputs are the parts of a case that need arrays of their own.
type Inputs struct {
	Manning, RainPattern, Infiltration, Soil, Evaporation, Coriolis, Pressure, Uplift bool

	Gauges int // number of points
}

// Bytes returns the size of a rank's arrays, given the numbers of owned cells and of all cells including ghosts: those
// of arrays.upload. Devices with separate memory use tiles, which duplicate the edges between them.
func (c Config) Bytes(owned, held int, precision string, in Inputs, separate bool) int64 {
	if precision == "float32" {
		return bytesOf[float32](c, owned, held, in, separate)
	}
	return bytesOf[float64](c, owned, held, in, separate)
}

func bytesOf[F num.Float](c Config, owned, held int, in Inputs, separate bool) int64 {
	var number F
	samples := int64(0)                                                              // bytes of samples at gauges
	perCell := 2*unsafe.Sizeof(kernels.State[F]{}) + unsafe.Sizeof(kernels.Bed[F]{}) // per held cell
	if in.Manning {
		perCell += unsafe.Sizeof(number)
	}
	perEdge := unsafe.Sizeof(kernels.EdgeCells{}) + unsafe.Sizeof(kernels.Normal[F]{})
	perOwned := unsafe.Sizeof(kernels.TileCell{})
	edges := int64(owned)*3/2 + int64(held-owned)/2
	if separate {
		edges += edges / 7 // about a seventh of the edges lie between tiles, which both have them
	} else {
		perEdge += unsafe.Sizeof(kernels.Flux[F]{}) + unsafe.Sizeof(int32(0))
		perOwned = unsafe.Sizeof(kernels.CellEdges{})
	}
	if n := in.Gauges; separate && n > 0 {
		samples = int64(ringSteps[F](n)) * (int64(n)*int64(unsafe.Sizeof(kernels.State[F]{})+unsafe.Sizeof(number)) + 8)
	}
	if c.Order == 2 {
		perCell += unsafe.Sizeof(kernels.State[F]{}) + unsafe.Sizeof(kernels.Slopes[F]{})
		if !separate || held > owned {
			perCell += unsafe.Sizeof(int32(0)) // positions of slopes
		}
		if separate && held > owned { // slopes are in a table and in an array
			perCell += unsafe.Sizeof(kernels.Slopes[F]{})
		}
		perEdge += unsafe.Sizeof(kernels.Arms[F]{})
		perOwned += unsafe.Sizeof(kernels.Stencil[F]{})
	}
	perOwned += bytesOfInputs[F](in) + c.bytesOfPeaks(in)
	return samples + int64(perCell)*int64(held) + int64(perOwned)*int64(owned) + int64(perEdge)*edges
}

// bytesOfPeaks returns the bytes per owned cell of the extremes since the start.
func (c Config) bytesOfPeaks(in Inputs) (bytes uintptr) {
	if c.Keep.Maxima {
		bytes = unsafe.Sizeof(kernels.Most{}) + uintptr(len(new(kernels.Peaks).Arrays()))*8 + unsafe.Sizeof(int32(0))
		if in.Uplift {
			bytes += 8
		}
	}
	return bytes
}

// StateBytes returns the size of a rank's current state, and that of the records that a checkpoint has of its owned
// cells besides: extremes and losses.
func (c Config) StateBytes(owned, held int, precision string, in Inputs) (state, records int64) {
	perOwned := c.bytesOfPeaks(in)
	if in.Infiltration || in.Soil || in.Evaporation {
		perOwned += unsafe.Sizeof(kernels.Lost{})
	}
	size := unsafe.Sizeof(kernels.State[float64]{})
	if precision == "float32" {
		size = unsafe.Sizeof(kernels.State[float32]{})
	}
	return int64(size) * int64(held), int64(perOwned) * int64(owned)
}

// bytesOfInputs returns the bytes per owned cell of the forcing's fields.
func bytesOfInputs[F num.Float](in Inputs) (bytes uintptr) {
	var number F
	for _, f := range []struct {
		given bool
		bytes uintptr
	}{
		{in.RainPattern, unsafe.Sizeof(number)}, {in.Infiltration, unsafe.Sizeof(number)},
		{in.Coriolis, unsafe.Sizeof(number)}, {in.Pressure, unsafe.Sizeof(kernels.Vec2[F]{})},
		{in.Soil, unsafe.Sizeof(kernels.Soil[F]{})},
		{in.Infiltration || in.Soil || in.Evaporation, unsafe.Sizeof(kernels.Lost{})},
		{in.Uplift, unsafe.Sizeof(kernels.Rise[F]{})},
	} {
		if f.given {
			bytes += f.bytes
		}
	}
	return bytes
}
