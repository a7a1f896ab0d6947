package partition

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
)

// triangleRow is a row of squares, each cut into two triangles: cell 2i has the neighbours 2i-1 and 2i+1.
func triangleRow(cells int) [][3]int32 {
	neighbours := make([][3]int32, cells)
	for c := range neighbours {
		neighbours[c] = [3]int32{int32(c) + 1, -1, int32(c) - 1}
		if c == cells-1 {
			neighbours[c][0] = -1
		}
	}
	return neighbours
}

// Results do not depend on the number of threads.
func TestSameResultForAnyNumberOfThreads(t *testing.T) {
	const n = 210_000
	random := rand.New(rand.NewPCG(1, 2))
	x, y, input := make([]float64, n), make([]float64, n), make([]uint64, n)
	for i := range x {
		x[i], y[i], input[i] = random.Float64(), random.Float64(), random.Uint64N(1<<20)<<30
	}
	results := func(threads int) []any {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		keys, ids := slices.Clone(input), identity(n)
		SortByKey(keys, ids)
		order := func(a, b int32) int { return cmp.Or(cmp.Compare(input[a], input[b]), cmp.Compare(a, b)) }
		if !slices.IsSortedFunc(ids, order) {
			t.Errorf("%d threads: SortByKey is not stable, or does not sort", threads)
		}
		g, err := FromNeighbours(triangleRow(n))
		if err != nil {
			t.Fatal(err)
		}
		parts := make([]int32, n)
		for c := range parts {
			parts[c] = int32(2 * c / n)
		}
		core, boundary, err := Arrange(g, parts, identity(n/2), Hilbert, x, y, 0)
		if err != nil || len(boundary) != 1 {
			t.Fatal(boundary, err)
		}
		wrong := triangleRow(n)
		wrong[170_001][0], wrong[90_000][2] = 5, 7
		_, err = FromNeighbours(wrong)
		split, splitErr := Split(parts, 2)
		if splitErr != nil {
			t.Fatal(splitErr)
		}
		return []any{ids, g, core, err.Error(), split, Inverse(ids)}
	}
	want := results(1)
	for _, threads := range []int{2, 4} {
		for k, got := range results(threads) {
			if !reflect.DeepEqual(got, want[k]) {
				t.Errorf("%d threads: result %d differs from that of one thread", threads, k)
			}
		}
	}
}
