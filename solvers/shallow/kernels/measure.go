package kernels

import (
	"sync/atomic"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// What a survey of cells adds up, each in words of package exact.
const (
	Mass1   = 0                     // h1 times area, m³
	Mass2   = Mass1 + exact.Words   // h2 times area, m³
	Surface = Mass2 + exact.Words   // |z1| times area, m³
	Lower   = Surface + exact.Words // h2² times area, m⁴
	Sums    = Lower + exact.Words   // how many words there are
)

// Of what it finds the greatest, as ranks of package exact.
const (
	Upper1   = iota // h1, m
	Least1          // -h1
	Upper2          // h2, m
	Least2          // -h2
	Speed           // of the faster layer that is not dry, m/s
	Extremes        // how many there are
)

// Surveyed is what a survey leaves, which begins at 0.
type Surveyed struct {
	Sums     [Sums]int64
	Extremes [Extremes]uint64
}

const (
	surveyors = 128 // threads that share a stretch of cells
	stretch   = 8 * surveyors
)

// Stretches is how many stretches a survey of n cells takes.
func Stretches(n int) int { return (n + stretch - 1) / stretch }

// ClearSurvey empties word k of what a survey leaves.
//
//atoll:kernel
func ClearSurvey(k int, s *Surveyed) {
	if k < Sums {
		s.Sums[k] = 0
	} else {
		s.Extremes[k-Sums] = 0
	}
}

// Survey measures the cells of stretch t, of so many.
//
//atoll:kernel tile block=128
func Survey[F num.Float](t int, cells int32, p *Params[F], beds []Bed[F], w []State[F], s *Surveyed,
	sums *[Sums]int64, extremes *[Extremes]uint64) {
	for k := range Sums {
		sums[k] = 0
	}
	for k := range Extremes {
		extremes[k] = 0
	}
	for k := range int32(surveyors) {
		survey(int32(t)*stretch+k, cells, p, beds, w, sums[:], extremes[:])
	}
	for k := range Sums {
		if sums[k] != 0 {
			atomic.AddInt64(&s.Sums[k], sums[k])
		}
	}
	for k := range Extremes {
		atomics.Max(&s.Extremes[k], extremes[k])
	}
}

// survey measures every so many-th cell of a stretch from the first on.
func survey[F num.Float](first, cells int32, p *Params[F], beds []Bed[F], w []State[F], sums []int64,
	extremes []uint64) {
	var mass1, mass2, surface, lower exact.Part
	var upper1, least1, upper2, least2, fastest uint64
	for n := range int32(stretch / surveyors) {
		i := first + n*surveyors
		if i >= cells {
			break
		}
		c := w[i]
		area, h1, h2 := float64(beds[i].Area), float64(c.H1), float64(c.H2)
		mass1.Add(h1*area, sums[Mass1:Mass2])
		mass2.Add(h2*area, sums[Mass2:Surface])
		surface.Add(num.Abs(h1+h2-float64(beds[i].Depth))*area, sums[Surface:Lower])
		lower.Add(h2*h2*area, sums[Lower:Sums])
		upper1, least1 = max(upper1, exact.Rank(h1)), max(least1, exact.Rank(-h1))
		upper2, least2 = max(upper2, exact.Rank(h2)), max(least2, exact.Rank(-h2))
		fastest = max(fastest, exact.Rank(num.Larger(speed(p, c.H1, c.Q1x, c.Q1y), speed(p, c.H2, c.Q2x, c.Q2y))))
	}
	mass1.Flush(sums[Mass1:Mass2])
	mass2.Flush(sums[Mass2:Surface])
	surface.Flush(sums[Surface:Lower])
	lower.Flush(sums[Lower:Sums])
	atomics.Max(&extremes[Upper1], upper1)
	atomics.Max(&extremes[Least1], least1)
	atomics.Max(&extremes[Upper2], upper2)
	atomics.Max(&extremes[Least2], least2)
	atomics.Max(&extremes[Speed], fastest)
}

// speed is that of a layer, 0 where it is dry.
func speed[F num.Float](p *Params[F], h, qx, qy F) float64 {
	if h < p.DryDepth {
		return 0
	}
	x, y := float64(qx), float64(qy)
	return num.Sqrt(x*x+y*y) / float64(h)
}
