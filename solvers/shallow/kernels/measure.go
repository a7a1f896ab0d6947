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
	sums          = Sums / exact.Words
	surveyThreads = exact.Threads // threads that share a chunk of cells
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

// Survey measures the cells of chunk t; cells is the number of all cells. parts and extremes are columns: see
// exact.Threads.
//
//atoll:kernel tile block=128
func Survey[F num.Float](t int, cells int32, p *Params[F], beds []Bed[F], w []State[F], s *Surveyed,
	parts *[sums * exact.Threads]exact.Part, extremes *[Extremes * exact.Threads]uint64, words *[Sums]int64) {
	for k := range Sums {
		words[k] = 0
	}
	for k := range int32(surveyThreads) {
		survey(k, int32(t)*surveyChunk, cells, p, beds, w, parts[:], extremes[:], words[:])
	}
	for k := range int32(sums * exact.Groups) {
		sum := k / exact.Groups * exact.Words
		exact.MergeGroup(parts[:], k, words[sum:sum+exact.Words])
	}
	for k := range int32(Extremes * exact.Groups) {
		exact.MaxGroup(extremes[:], k)
	}
	for k := range int32(sums) {
		exact.FlushColumn(parts[:], k, words[k*exact.Words:(k+1)*exact.Words])
	}
	for k := range int32(Extremes) {
		atomics.Max(&s.Extremes[k], exact.MaxColumn(extremes[:], k))
	}
	for k := range Sums {
		if words[k] != 0 {
			atomic.AddInt64(&s.Sums[k], words[k])
		}
	}
}

// survey measures every surveyThreads-th cell of the chunk that begins with cell first, beginning with its cell k, and
// stores the results of thread k.
func survey[F num.Float](k, first, cells int32, p *Params[F], beds []Bed[F], w []State[F], parts []exact.Part,
	extremes []uint64, words []int64) {
	var mass1, mass2, surface, lower exact.Part        // parts of the sums from Mass1 to SquareH2
	var upper1, least1, upper2, least2, fastest uint64 // the maxima from MaxH1 to MaxSpeed
	for n := first + k; n < first+surveyChunk && n < cells; n += surveyThreads {
		c, b := w[n], beds[n]
		area, h1, h2 := float64(b.Area), float64(c.H1), float64(c.H2)
		mass1.Add(h1*area, words[Mass1:Mass2])
		mass2.Add(h2*area, words[Mass2:AbsZ1])
		surface.Add(num.Abs(h1+h2-float64(b.Depth))*area, words[AbsZ1:SquareH2])
		lower.Add(h2*h2*area, words[SquareH2:Sums])
		upper1, least1 = max(upper1, exact.OrderedBits(h1)), max(least1, exact.OrderedBits(-h1))
		upper2, least2 = max(upper2, exact.OrderedBits(h2)), max(least2, exact.OrderedBits(-h2))
		fast := num.Larger(speed(p, c.H1, c.Q1x, c.Q1y), speed(p, c.H2, c.Q2x, c.Q2y))
		fastest = max(fastest, exact.OrderedBits(fast))
	}
	const n = exact.Threads
	parts[Mass1/exact.Words*n+k], parts[Mass2/exact.Words*n+k] = mass1, mass2
	parts[AbsZ1/exact.Words*n+k], parts[SquareH2/exact.Words*n+k] = surface, lower
	extremes[MaxH1*n+k], extremes[NegMinH1*n+k] = upper1, least1
	extremes[MaxH2*n+k], extremes[NegMinH2*n+k] = upper2, least2
	extremes[MaxSpeed*n+k] = fastest
}

// speed returns the speed of a layer, 0 if dry.
func speed[F num.Float](p *Params[F], h, qx, qy F) float64 {
	if h < p.DryDepth {
		return 0
	}
	x, y := float64(qx), float64(qy)
	return num.Sqrt(x*x+y*y) / float64(h)
}
