package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Sums computed by a survey of all cells, each in words of package exact.
const (
	Mass1    = 0                      // h1 times area, m³
	Mass2    = Mass1 + exact.Words    // h2 times area, m³
	AbsZ1    = Mass2 + exact.Words    // |z1| times area, m³
	SquareH2 = AbsZ1 + exact.Words    // h2² times area, m⁴
	Sums     = SquareH2 + exact.Words // how many words there are
)

// Maxima computed by a survey, each as exact.OrderedBits: an integer that increases with the number.
const (
	MaxH1    = iota // h1, m
	NegMinH1        // -h1
	MaxH2           // h2, m
	NegMinH2        // -h2
	MaxSpeed        // of the faster layer that is not dry, m/s
	Extremes        // how many there are
)

// Surveyed is the result of a survey. ClearSurvey must set it to 0 before the survey.
type Surveyed struct {
	Sums     [Sums]int64
	Extremes [Extremes]uint64
}

const (
	surveyThreads = 128 // threads that share a chunk of cells
	mergeGroup    = 8   // threads whose tallies one of them merges
	surveyChunk   = 8 * surveyThreads
)

// SurveyChunks returns the number of chunks of a survey of n cells.
func SurveyChunks(n int) int { return (n + surveyChunk - 1) / surveyChunk }

// ClearSurvey clears word k of a survey's result.
//
//atoll:kernel
func ClearSurvey(k int, s *Surveyed) {
	if k < Sums {
		s.Sums[k] = 0
	} else {
		s.Extremes[k-Sums] = 0
	}
}

// Survey measures the cells of chunk t; cells is the number of all cells.
//
//atoll:kernel tile block=128
func Survey[F num.Float](t int, cells int32, p *Params[F], beds []Bed[F], w []State[F], s *Surveyed,
	tallies *[surveyThreads]tally, sums *[Sums]int64) {
	for k := range Sums {
		sums[k] = 0
	}
	for k := range int32(surveyThreads) {
		tallies[k] = survey(int32(t)*surveyChunk+k, cells, p, beds, w, sums[:])
	}
	for k := range int32(surveyThreads / mergeGroup) {
		merge(tallies[:], k*mergeGroup, 1, mergeGroup, sums[:])
	}
	for range 1 {
		merge(tallies[:], 0, mergeGroup, surveyThreads/mergeGroup, sums[:])
		tallies[0].flush(s, sums[:])
	}
	for k := range Sums {
		if sums[k] != 0 {
			atomic.AddInt64(&s.Sums[k], sums[k])
		}
	}
}

// tally is the result of a thread for some cells, and then for several threads.
type tally struct {
	mass1, mass2, surface, lower            exact.Part // parts of the sums from Mass1 to SquareH2
	upper1, least1, upper2, least2, fastest uint64     // the maxima from MaxH1 to MaxSpeed
}

// survey measures every surveyThreads-th cell of a chunk, starting with first.
func survey[F num.Float](first, cells int32, p *Params[F], beds []Bed[F], w []State[F], sums []int64) tally {
	var o tally
	for n := int32(0); n < surveyChunk && first+n < cells; n += surveyThreads {
		c, b := w[first+n], beds[first+n]
		area, h1, h2 := float64(b.Area), float64(c.H1), float64(c.H2)
		o.mass1.Add(h1*area, sums[Mass1:Mass2])
		o.mass2.Add(h2*area, sums[Mass2:AbsZ1])
		o.surface.Add(num.Abs(h1+h2-float64(b.Depth))*area, sums[AbsZ1:SquareH2])
		o.lower.Add(h2*h2*area, sums[SquareH2:Sums])
		o.upper1, o.least1 = max(o.upper1, exact.OrderedBits(h1)), max(o.least1, exact.OrderedBits(-h1))
		o.upper2, o.least2 = max(o.upper2, exact.OrderedBits(h2)), max(o.least2, exact.OrderedBits(-h2))
		fast := num.Larger(speed(p, c.H1, c.Q1x, c.Q1y), speed(p, c.H2, c.Q2x, c.Q2y))
		o.fastest = max(o.fastest, exact.OrderedBits(fast))
	}
	return o
}

// merge merges `many` tallies, at the indices first, first+each, first+2·each and so on, into the one at first.
func merge(all []tally, first, each, many int32, sums []int64) {
	o := all[first]
	for k := int32(1); k < many; k++ {
		p := all[first+k*each]
		o.mass1.Merge(&p.mass1, sums[Mass1:Mass2])
		o.mass2.Merge(&p.mass2, sums[Mass2:AbsZ1])
		o.surface.Merge(&p.surface, sums[AbsZ1:SquareH2])
		o.lower.Merge(&p.lower, sums[SquareH2:Sums])
		o.upper1, o.least1 = max(o.upper1, p.upper1), max(o.least1, p.least1)
		o.upper2, o.least2 = max(o.upper2, p.upper2), max(o.least2, p.least2)
		o.fastest = max(o.fastest, p.fastest)
	}
	all[first] = o
}

// flush adds a chunk's tally to its sums, and its maxima to those of all chunks.
func (o *tally) flush(s *Surveyed, sums []int64) {
	o.mass1.Flush(sums[Mass1:Mass2])
	o.mass2.Flush(sums[Mass2:AbsZ1])
	o.surface.Flush(sums[AbsZ1:SquareH2])
	o.lower.Flush(sums[SquareH2:Sums])
	atomics.Max(&s.Extremes[MaxH1], o.upper1)
	atomics.Max(&s.Extremes[NegMinH1], o.least1)
	atomics.Max(&s.Extremes[MaxH2], o.upper2)
	atomics.Max(&s.Extremes[NegMinH2], o.least2)
	atomics.Max(&s.Extremes[MaxSpeed], o.fastest)
}

// speed returns the speed of a layer, 0 if dry.
func speed[F num.Float](p *Params[F], h, qx, qy F) float64 {
	if h < p.DryDepth {
		return 0
	}
	x, y := float64(qx), float64(qy)
	return num.Sqrt(x*x+y*y) / float64(h)
}
