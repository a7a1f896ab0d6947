package partition

import (
	"fmt"
	"strings"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Ordering names a way to number cells so that neighbours are close in memory.
type Ordering string

const (
	Natural Ordering = "natural" // as they are
	RCM     Ordering = "rcm"     // reverse Cuthill–McKee: a small bandwidth
	GPS     Ordering = "gps"     // Gibbs–Poole–Stockmeyer: mostly a smaller bandwidth than RCM
	Hilbert Ordering = "hilbert" // along a Hilbert curve: neighbours mostly very close, a few far away
	Random  Ordering = "random"  // the worst case, to compare with
)

// Orderings are all that [Order] knows.
var Orderings = []Ordering{Natural, RCM, GPS, Hilbert, Random}

// Order computes the ordering perm, perm[new] = old, of the vertices of g. Hilbert needs their coordinates x and y
// and no other kind looks at these; only Random uses the seed.
func Order(kind Ordering, g Graph, x, y []float64, seed uint64) ([]int32, error) {
	switch kind {
	case Natural:
		return identity(g.N()), nil
	case RCM:
		return reverseCuthillMcKee(g), nil
	case GPS:
		return gibbsPooleStockmeyer(g), nil
	case Hilbert:
		if err := checkCoordinates(g.N(), x, y); err != nil {
			return nil, fmt.Errorf("order %q: %w", kind, err)
		}
		return HilbertOrder(x, y)
	case Random:
		return shuffled(g.N(), seed), nil
	}
	return nil, fmt.Errorf("unknown order %q: choose one of %s", kind, list(Orderings))
}

// Inverse of an ordering: Inverse(perm)[old] = new.
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

func list[S ~string](kinds []S) string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
	}
	return strings.Join(names, ", ")
}
