package dist_test

import (
	"math"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// TestJoint proves that reductions made together have the results that they have one by one.
func TestJoint(t *testing.T) {
	const ranks = 3
	numbers := []float64{0, math.Copysign(0, -1), 1.5, -1.5, 1e308, -1e308, 5e-324, -5e-324, math.Inf(1), math.Inf(-1),
		math.NaN()}
	same := func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
	}
	var wait sync.WaitGroup
	for rank, comm := range local.New(ranks) {
		wait.Go(func() {
			ctx := t.Context()
			var joint dist.Joint
			var joined, alone [2]dist.Accumulator
			for k, x := range numbers[:8] {
				joined[k%2].Add(x / float64(rank+1))
				alone[k%2].Add(x / float64(rank+1))
			}
			sums, maxima := []int64{int64(rank), -7, math.MaxInt64}, []int64{int64(-rank), math.MinInt64}
			floats := make([]float64, 0, len(numbers)*len(numbers))
			for k := range len(numbers) { // all pairs of numbers, on ranks 0 and 1
				for m := range len(numbers) {
					floats = append(floats, []float64{numbers[k], numbers[m], math.Inf(-1)}[rank])
				}
			}
			ownFloats := append([]float64{}, floats...)
			joint.MaxFloat64(floats)
			joint.Sum(&joined[0], &joined[1])
			joint.SumInt64(sums)
			joint.MaxInt64(maxima)
			words, keys := joined[0].Words(), []uint64{uint64(rank), math.MaxUint64 - uint64(rank), 1<<63 - uint64(rank&1)}
			joint.SumWords(&words)
			joint.MaxUint64(keys)
			if err := joint.Reduce(ctx, comm); err != nil {
				t.Error(err)
			}
			if err := dist.AllreduceSum(ctx, comm, &alone[0], &alone[1]); err != nil {
				t.Error(err)
			}
			if err := comm.AllreduceFloat64(ctx, dist.Max, ownFloats); err != nil {
				t.Error(err)
			}
			for k := range floats {
				if !same(floats[k], ownFloats[k]) {
					t.Errorf("pair %d: the maximum is %v, want %v", k, floats[k], ownFloats[k])
				}
			}
			if joined != alone {
				t.Error("exact sums differ")
			}
			if words != alone[0].Words() {
				t.Error("an exact sum by its words differs")
			}
			if keys[0] != 2 || keys[1] != math.MaxUint64 || keys[2] != 1<<63 {
				t.Errorf("largest keys %x", keys)
			}
			wrapped := int64(math.MaxInt64)
			if sums[0] != 3 || sums[1] != -21 || sums[2] != 3*wrapped || maxima[0] != 0 || maxima[1] != math.MinInt64 {
				t.Errorf("sums %d, maxima %d", sums, maxima)
			}
			if err := comm.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}
