package partition

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Method names a way to divide cells into parts.
type Method string

const (
	HilbertCut Method = "hilbert" // equal intervals of the Hilbert curve: fast, compact parts
	RCB        Method = "rcb"     // recursive coordinate bisection: parts are boxes
	METIS      Method = "metis"   // k-way graph partition: fewest edges between parts; needs libmetis
	RandomCut  Method = "random"  // the worst case, for comparisons and tests
)

// Methods are all methods that [Partition] has.
var Methods = []Method{HilbertCut, RCB, METIS, RandomCut}

// Partition divides the vertices of g into the given number of parts and returns the part of each vertex. With
// HilbertCut, RCB and RandomCut the sizes of parts differ by at most 1, and some parts are empty if there are more
// parts than vertices; METIS refuses that. HilbertCut and RCB need the coordinates of the vertices, by axis: at has two
// axes or three. METIS needs the edges of g, and only RandomCut uses the seed.
func Partition(method Method, g Graph, at [][]float64, parts int, seed uint64) ([]int32, error) {
	n := g.N()
	if parts < 1 || parts > math.MaxInt32 {
		return nil, fmt.Errorf("partition %q: cannot make %d parts: give 1 or more", method, parts)
	}
	var partOf []int32
	var err error
	switch method {
	case HilbertCut:
		if err = checkCoordinates(n, at); err == nil {
			partOf, err = hilbertPartition(at, parts)
		}
	case RCB:
		if err = checkCoordinates(n, at); err == nil {
			partOf = bisect(at, parts)
		}
	case METIS:
		partOf, err = metisKway(g, parts)
	case RandomCut:
		partOf = cutEvenly(shuffled(n, seed), parts)
	default:
		return nil, fmt.Errorf("unknown partition %q: choose one of %s", method, commaList(Methods))
	}
	if err != nil {
		return nil, fmt.Errorf("partition %q: %w", method, err)
	}
	return partOf, nil
}

func hilbertPartition(at [][]float64, parts int) ([]int32, error) {
	perm, err := HilbertOrder(at...)
	if err != nil {
		return nil, err
	}
	return cutEvenly(perm, parts), nil
}

// cutEvenly gives each part a contiguous range of the ordering; the lengths differ by at most 1.
func cutEvenly(perm []int32, parts int) []int32 {
	partOf := make([]int32, len(perm))
	part := 0
	for i, cell := range perm {
		for i >= CellsBefore(len(perm), parts, part+1) {
			part++
		}
		partOf[cell] = int32(part)
	}
	return partOf
}

// CellsBefore returns the total number of cells of the first k parts, if n cells are divided evenly.
func CellsBefore(n, parts, k int) int {
	return int(int64(n) * int64(k) / int64(parts))
}

// Split lists the cells of each of n parts, ascending, in linear time. It refuses parts out of 0..n-1.
func Split(partOf []int32, n int) ([][]int32, error) {
	if n < 0 {
		return nil, fmt.Errorf("cannot split into %d parts", n)
	}
	inside := func(cell int) bool { return partOf[cell] >= 0 && int(partOf[cell]) < n }
	if !parallel.All(len(partOf), verticesPerWorker, inside) {
		for cell, part := range partOf {
			if !inside(cell) {
				return nil, fmt.Errorf("cell %d is in part %d, which is not in 0..%d", cell, part, n-1)
			}
		}
	}
	// Each worker counts the cells of its range by part. The counts give the first position of its cells of each
	// part in sorted.
	workers := parallel.Parts(len(partOf), max(verticesPerWorker, n))
	next := make([][]int32, workers)
	parallel.Ranges(len(partOf), workers, func(worker, lo, hi int) {
		next[worker] = make([]int32, n)
		for _, part := range partOf[lo:hi] {
			next[worker][part]++
		}
	})
	sorted := make([]int32, len(partOf))
	cells := make([][]int32, n)
	offset := int32(0)
	for part := range cells {
		first := offset
		for _, w := range next {
			offset, w[part] = offset+w[part], offset
		}
		cells[part] = sorted[first:offset:offset]
	}
	parallel.Ranges(len(partOf), workers, func(worker, lo, hi int) {
		position := next[worker]
		for cell := lo; cell < hi; cell++ {
			part := partOf[cell]
			sorted[position[part]] = int32(cell)
			position[part]++
		}
	})
	return cells, nil
}
