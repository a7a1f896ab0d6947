package partition

import (
	"fmt"
	"strings"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Ordering names a way to number cells so that neighbours are close in memory.
type Ordering string

const (
	Natural Ordering = "natural" // unchanged
	RCM     Ordering = "rcm"     // reverse Cuthill–McKee: a small bandwidth
	GPS     Ordering = "gps"     // Gibbs–Poole–Stockmeyer: usually a smaller bandwidth than RCM
	Hilbert Ordering = "hilbert" // along a Hilbert curve: a small mean distance of neighbours, but a large bandwidth
	Random  Ordering = "random"  // the worst case, for comparisons
)

// Orderings are all orderings that [Order] computes.
var Orderings = []Ordering{Natural, RCM, GPS, Hilbert, Random}

// Order computes the ordering perm, perm[new] = old, of the vertices of g. Only Hilbert uses their coordinates by axis,
// along two axes or three; only Random uses the seed.
func Order(ordering Ordering, g Graph, at [][]float64, seed uint64) ([]int32, error) {
	switch ordering {
	case Natural:
		return identity(g.N()), nil
	case RCM:
		return reverseCuthillMcKee(g)
	case GPS:
		return gibbsPooleStockmeyer(g)
	case Hilbert:
		if err := checkCoordinates(g.N(), at); err != nil {
			return nil, fmt.Errorf("order %q: %w", ordering, err)
		}
		return HilbertOrder(at...)
	case Random:
		return shuffled(g.N(), seed), nil
	}
	return nil, fmt.Errorf("unknown order %q: choose one of %s", ordering, commaList(Orderings))
}

// Inverse returns the inverse of an ordering: Inverse(perm)[old] = new.
func Inverse(perm []int32) []int32 {
	inverse := make([]int32, len(perm))
	parallel.Ranges(len(perm), parallel.Parts(len(perm), verticesPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			inverse[perm[i]] = int32(i)
		}
	})
	return inverse
}

func identity(n int) []int32 {
	perm := make([]int32, n)
	parallel.Ranges(n, parallel.Parts(n, verticesPerWorker), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			perm[i] = int32(i)
		}
	})
	return perm
}

// commaList joins values with commas, for error messages.
func commaList[S ~string](values []S) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	return strings.Join(names, ", ")
}
