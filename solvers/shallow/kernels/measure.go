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
	crew      = 8   // of them, whose tallies are merged by one
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
	tallies *[surveyors]tally, sums *[Sums]int64) {
	for k := range Sums {
		sums[k] = 0
	}
	for k := range int32(surveyors) {
		tallies[k] = survey(int32(t)*stretch+k, cells, p, beds, w, sums[:])
	}
	for k := range int32(surveyors / crew) {
		merge(tallies[:], k*crew, 1, crew, sums[:])
	}
	for range 1 {
		merge(tallies[:], 0, crew, surveyors/crew, sums[:])
		tallies[0].flush(s, sums[:])
	}
	for k := range Sums {
		if sums[k] != 0 {
			atomic.AddInt64(&s.Sums[k], sums[k])
		}
	}
}

// tally is what a thread finds in some cells, and then in many.
type tally struct {
	mass1, mass2, surface, lower            exact.Part
	upper1, least1, upper2, least2, fastest uint64
}

// survey measures every so many-th cell of a stretch from the first on.
func survey[F num.Float](first, cells int32, p *Params[F], beds []Bed[F], w []State[F], sums []int64) tally {
	var o tally
	for n := int32(0); n < stretch && first+n < cells; n += surveyors {
		c, b := w[first+n], beds[first+n]
		area, h1, h2 := float64(b.Area), float64(c.H1), float64(c.H2)
		o.mass1.Add(h1*area, sums[Mass1:Mass2])
		o.mass2.Add(h2*area, sums[Mass2:Surface])
		o.surface.Add(num.Abs(h1+h2-float64(b.Depth))*area, sums[Surface:Lower])
		o.lower.Add(h2*h2*area, sums[Lower:Sums])
		o.upper1, o.least1 = max(o.upper1, exact.Rank(h1)), max(o.least1, exact.Rank(-h1))
		o.upper2, o.least2 = max(o.upper2, exact.Rank(h2)), max(o.least2, exact.Rank(-h2))
		fast := num.Larger(speed(p, c.H1, c.Q1x, c.Q1y), speed(p, c.H2, c.Q2x, c.Q2y))
		o.fastest = max(o.fastest, exact.Rank(fast))
	}
	return o
}

// merge takes so many tallies together in the first of them: each so many-th from there on.
func merge(all []tally, first, each, many int32, sums []int64) {
	o := all[first]
	for k := int32(1); k < many; k++ {
		p := all[first+k*each]
		o.mass1.Merge(&p.mass1, sums[Mass1:Mass2])
		o.mass2.Merge(&p.mass2, sums[Mass2:Surface])
		o.surface.Merge(&p.surface, sums[Surface:Lower])
		o.lower.Merge(&p.lower, sums[Lower:Sums])
		o.upper1, o.least1 = max(o.upper1, p.upper1), max(o.least1, p.least1)
		o.upper2, o.least2 = max(o.upper2, p.upper2), max(o.least2, p.least2)
		o.fastest = max(o.fastest, p.fastest)
	}
	all[first] = o
}

// flush takes a stretch's tally to its sums, and its extremes to those of all.
func (o *tally) flush(s *Surveyed, sums []int64) {
	o.mass1.Flush(sums[Mass1:Mass2])
	o.mass2.Flush(sums[Mass2:Surface])
	o.surface.Flush(sums[Surface:Lower])
	o.lower.Flush(sums[Lower:Sums])
	atomics.Max(&s.Extremes[Upper1], o.upper1)
	atomics.Max(&s.Extremes[Least1], o.least1)
	atomics.Max(&s.Extremes[Upper2], o.upper2)
	atomics.Max(&s.Extremes[Least2], o.least2)
	atomics.Max(&s.Extremes[Speed], o.fastest)
}

// speed is that of a layer, 0 where it is dry.
func speed[F num.Float](p *Params[F], h, qx, qy F) float64 {
	if h < p.DryDepth {
		return 0
	}
	x, y := float64(qx), float64(qy)
	return num.Sqrt(x*x+y*y) / float64(h)
}
