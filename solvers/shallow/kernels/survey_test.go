package kernels_test

import (
	"math"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// parityOfSurvey compares a survey of several chunks with its translation, and with the results of an exact
// accumulator over all cells.
func parityOfSurvey[F num.Float](t *testing.T, l cudatest.Runner, p *Params[F], beds []Bed[F], w []State[F]) {
	t.Helper()
	for len(w) < 3000 {
		beds, w = slices.Concat(beds, beds), slices.Concat(w, w)
	}
	for _, spoilt := range []bool{false, true} {
		if spoilt {
			w = slices.Clone(w)
			w[77].H1, w[1500].H2 = F(math.NaN()), F(math.Inf(-1))
		}
		n := len(w) - 5
		var found [2]Surveyed
		NewSurveyLoop(n, p, beds, w, &found[0]).Range(0, ReduceChunks(n))
		l.Run(t, NewSurveyLoop(n, p, beds, w, &found[1]), 0, ReduceChunks(n))
		kerneltest.Same(t, "Survey", found[:1], found[1:], nil)
		var mass, surface dist.Accumulator
		most, least := math.Inf(-1), math.Inf(1)
		for i, c := range w[:n] {
			mass.Add(float64(c.H1) * float64(beds[i].Area))
			surface.Add(math.Abs(float64(c.H1)+float64(c.H2)-float64(beds[i].Depth)) * float64(beds[i].Area))
			most, least = max(most, float64(c.H1)), min(least, float64(c.H2))
		}
		var got [2]dist.Accumulator
		got[0].AddWords(&found[0].Mass1)
		got[1].AddWords(&found[0].AbsZ1)
		for k, want := range []float64{mass.Float64(), surface.Float64(), most, least} {
			is := []float64{got[0].Float64(), got[1].Float64(), found[0].MaxH1.Value(), found[0].MinH2.Value()}[k]
			if is != want && !(is != is && want != want) {
				t.Errorf("spoilt %t: quantity %d is %v, want %v", spoilt, k, is, want)
			}
		}
	}
}
