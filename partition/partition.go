package partition

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Cut names a way to divide cells into parts.
type Cut string

const (
	HilbertCut Cut = "hilbert" // equal pieces of the Hilbert curve: quick, parts of good shape
	RCB        Cut = "rcb"     // recursive coordinate bisection: parts are boxes
	METIS      Cut = "metis"   // k-way graph partition: fewest edges between parts; needs libmetis
	RandomCut  Cut = "random"  // the worst case, to compare with and to test with
)

// Cuts are all that [Partition] knows.
var Cuts = []Cut{HilbertCut, RCB, METIS, RandomCut}

// Partition divides the vertices of g into the given number of parts and returns the part of each. HilbertCut, RCB
// and RandomCut give parts whose sizes differ by at most 1, empty ones where there are more parts than vertices;
// METIS refuses that. HilbertCut and RCB need coordinates x and y, METIS needs the edges of g, and only RandomCut
// uses the seed.
func Partition(kind Cut, g Graph, x, y []float64, parts int, seed uint64) ([]int32, error) {
	n := g.N()
	if parts < 1 || parts > math.MaxInt32 {
		return nil, fmt.Errorf("partition %q: cannot make %d parts: give 1 or more", kind, parts)
	}
	var of []int32
	var err error
	switch kind {
	case HilbertCut:
		if err = checkCoordinates(n, x, y); err == nil {
			of, err = hilbertCut(x, y, parts)
		}
	case RCB:
		if err = checkCoordinates(n, x, y); err == nil {
			of = bisect(x, y, parts)
		}
	case METIS:
		of, err = metisKway(g, parts)
	case RandomCut:
		of = cutEvenly(shuffled(n, seed), parts)
	default:
		return nil, fmt.Errorf("unknown partition %q: choose one of %s", kind, list(Cuts))
	}
	if err != nil {
		return nil, fmt.Errorf("partition %q: %w", kind, err)
	}
	return of, nil
}

func hilbertCut(x, y []float64, parts int) ([]int32, error) {
	perm, err := HilbertOrder(x, y)
	if err != nil {
		return nil, err
	}
	return cutEvenly(perm, parts), nil
}

// cutEvenly gives each part a contiguous piece of the ordering; pieces differ in length by at most 1.
func cutEvenly(perm []int32, parts int) []int32 {
	of := make([]int32, len(perm))
	part := 0
	for i, cell := range perm {
		for i >= share(len(perm), parts, part+1) {
			part++
		}
		of[cell] = int32(part)
	}
	return of
}

// share is the number of cells, of n, that the first k of the parts have together.
func share(n, parts, k int) int {
	return int(int64(n) * int64(k) / int64(parts))
}

// Split lists the cells of each part, ascending, in one pass over all cells. It refuses parts out of 0..n-1.
func Split(parts []int32, n int) ([][]int32, error) {
	if n < 0 {
		return nil, fmt.Errorf("cannot split into %d parts", n)
	}
	inside := func(cell int) bool { return parts[cell] >= 0 && int(parts[cell]) < n }
	if !parallel.All(len(parts), verticesPerWorker, inside) {
		for cell, part := range parts {
			if !inside(cell) {
				return nil, fmt.Errorf("cell %d is in part %d, which is not in 0..%d", cell, part, n-1)
			}
		}
	}
	// Each worker counts the cells of its range by part, and then knows where they go.
	workers := parallel.Parts(len(parts), max(verticesPerWorker, n))
	next := make([][]int32, workers)
	parallel.Ranges(len(parts), workers, func(worker, lo, hi int) {
		next[worker] = make([]int32, n)
		for _, part := range parts[lo:hi] {
			next[worker][part]++
		}
	})
	all := make([]int32, len(parts))
	cells := make([][]int32, n)
	at := int32(0)
	for part := range cells {
		first := at
		for _, w := range next {
			at, w[part] = at+w[part], at
		}
		cells[part] = all[first:at:at]
	}
	parallel.Ranges(len(parts), workers, func(worker, lo, hi int) {
		to := next[worker]
		for cell := lo; cell < hi; cell++ {
			part := parts[cell]
			all[to[part]] = int32(cell)
			to[part]++
		}
	})
	return cells, nil
}
