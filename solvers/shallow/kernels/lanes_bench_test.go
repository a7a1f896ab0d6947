package kernels

import (
	"math"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/kernelgen/lanes"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// BenchmarkLanes compares the times of kernels in plain Go and with each instruction set, alternately.
func BenchmarkLanes(b *testing.B) {
	b.Run("float64", benchLanes[float64])
	b.Run("float32", benchLanes[float32])
}

func benchLanes[F num.Float](b *testing.B) {
	type vectorLoop interface {
		Lanes(lanes.Set) bool
		Range(lo, hi int)
	}
	const n = 20000
	m, w := strip[F](n)
	lower, upper, out := make([]Flux[F], n), make([]Flux[F], n), make([]State[F], n)
	p := &Params[F]{Gravity: 9.81, DensityRatio: .5, CFL: .9, EntropyFix: .05, DryDepth: 1e-6, Tolerance: 1e-8}
	if F(1)/3 == F(float32(1)/3) {
		p.Tolerance = F(3e-4)
	}
	clock, counters := &Clock[F]{Dt: 1e-4}, &Counters{}
	var least atomics.Least[F]
	for name, loop := range map[string]vectorLoop{
		"PVM":    NewEdgeFluxLoop(PVM, p, &m, clock, w, lower, upper, counters),
		"IRRoe":  NewEdgeFluxLoop(IRRoe, p, &m, clock, w, lower, upper, counters),
		"update": NewUpdateCellLoop(false, p, &m, clock, w, lower, upper, nil, &Forcing[F]{}, out, &least),
	} {
		b.Run(name, func(b *testing.B) {
			best := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
			for b.Loop() {
				for set := lanes.Off; set <= lanes.Best(); set++ {
					loop.Lanes(set)
					start := time.Now()
					loop.Range(0, n)
					best[set] = min(best[set], float64(time.Since(start).Nanoseconds())/n)
				}
			}
			for set := lanes.Off; set <= lanes.Best(); set++ {
				b.ReportMetric(best[set], set.String()+"-ns")
			}
		})
	}
}
