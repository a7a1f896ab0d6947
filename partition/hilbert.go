package partition

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// HilbertOrder orders points along the Hilbert curve that fills their bounding square (coordinates x, y) or cube
// (x, y, z). The curve has 2^31 cells along each side of the square, 2^21 along each side of the cube; points in the
// same cell are ordered by id. It returns perm[new] = old. It refuses slices of different lengths and coordinates that
// are not finite.
func HilbertOrder(coordinates ...[]float64) ([]int32, error) {
	n := 0
	if len(coordinates) > 0 {
		n = len(coordinates[0])
	}
	if err := checkCoordinates(n, coordinates); err != nil {
		return nil, err
	}
	keys, err := hilbertKeys(n, coordinates)
	if err != nil {
		return nil, err
	}
	perm := identity(n)
	SortByKey(keys, perm)
	return perm, nil
}

// hilbertKeys is the distance along the curve of each point.
func hilbertKeys(n int, coordinates [][]float64) ([]uint64, error) {
	// All axes have the same scale, so that cells of the curve are squares: a long domain fills a strip of the
	// bounding square.
	var low [3]float64
	side := 0.0
	for d, c := range coordinates {
		if n > 0 {
			var high float64
			low[d], high = minMax(c)
			side = max(side, high-low[d])
		}
	}
	if math.IsInf(side, 0) {
		return nil, errors.New("the coordinates span more than float64 can hold")
	}
	return HilbertKeys(low, side, coordinates...), nil
}

// HilbertKeys returns how far along the curve of HilbertOrder points are if low are the least coordinates of all
// points, and side is their largest extent along an axis.
func HilbertKeys(low [3]float64, side float64, coordinates ...[]float64) []uint64 {
	n, dimension, bits := len(coordinates[0]), len(coordinates), 31
	if dimension == 3 {
		bits = 21
	}
	cells := float64(uint64(1) << bits)
	last := uint32(1)<<bits - 1
	keys := make([]uint64, n)
	parallel.Ranges(n, parallel.Parts(n, verticesPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			var cell [3]uint32
			for d, c := range coordinates {
				if side > 0 {
					cell[d] = min(uint32((c[i]-low[d])/side*cells), last)
				}
			}
			if dimension == 2 {
				keys[i] = planeKey(cell[0], cell[1])
			} else {
				keys[i] = hilbertKey(cell, dimension, bits)
			}
		}
	})
	return keys
}

// minMax returns the least and the greatest of some numbers.
func minMax(c []float64) (low, high float64) {
	parts := parallel.Parts(len(c), verticesPerWorker)
	lows, highs := make([]float64, parts), make([]float64, parts)
	parallel.Ranges(len(c), parts, func(part, lo, hi int) {
		lows[part], highs[part] = slices.Min(c[lo:hi]), slices.Max(c[lo:hi])
	})
	return slices.Min(lows), slices.Max(highs)
}

// hilbertKey is the distance along the Hilbert curve of a cell, given by its first dimension coordinates of the
// given number of bits. The transform is that of J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707
// (2004) 381: it undoes the reflections and exchanges of axes of every level, from the coarsest to the finest, and
// then the Gray code. In the code, q is the bit of a level, and p are the bits of the finer levels.
func hilbertKey(cell [3]uint32, dimension, bits int) uint64 {
	for q := uint32(1) << (bits - 1); q > 1; q >>= 1 {
		p := q - 1
		for d := range dimension {
			if cell[d]&q != 0 {
				cell[0] ^= p
			} else {
				t := (cell[0] ^ cell[d]) & p
				cell[0] ^= t
				cell[d] ^= t
			}
		}
	}
	for d := 1; d < dimension; d++ {
		cell[d] ^= cell[d-1]
	}
	t := uint32(0)
	for q := uint32(1) << (bits - 1); q > 1; q >>= 1 {
		if cell[dimension-1]&q != 0 {
			t ^= q - 1
		}
	}
	key := uint64(0)
	for b := bits - 1; b >= 0; b-- {
		for d := range dimension {
			key = key<<1 | uint64((cell[d]^t)>>b&1)
		}
	}
	return key
}

// checkCoordinates refuses all but two or three slices of n finite numbers each.
func checkCoordinates(n int, coordinates [][]float64) error {
	if d := len(coordinates); d != 2 && d != 3 {
		return fmt.Errorf("coordinates along %d axes: want 2 or 3", d)
	}
	for d, c := range coordinates {
		axis := "xyz"[d : d+1]
		if len(c) != n {
			return fmt.Errorf("%d coordinates %s for %d cells: give one for each", len(c), axis, n)
		}
		if parallel.All(n, verticesPerWorker, func(i int) bool { return finite(c[i]) }) {
			continue
		}
		i := slices.IndexFunc(c, func(v float64) bool { return !finite(v) })
		return fmt.Errorf("cell %d: coordinate %s is %v", i, axis, c[i])
	}
	return nil
}

func finite(v float64) bool { return v-v == 0 }
