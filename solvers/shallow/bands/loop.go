package bands

import (
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Loop runs kernels of a stage over bands, which are its indices, where something happens.
type Loop[F num.Float] struct {
	Kernels  [Kernels]backend.Loop
	Runs     [][]Run
	Spent    *engine.Spent
	Activity *Activity
	Out      []kernels.State[F] // that Update writes
}

// Grain implements backend.Loop.
func (l *Loop[F]) Grain() int { return 1 }

// Range implements backend.Loop.
func (l *Loop[F]) Range(lo, hi int) {
	for _, runs := range l.Runs[lo:hi] {
		for _, r := range runs {
			start := time.Now()
			for from, to := l.Activity.Next(r.Kernel, r.Lo, r.Hi); from < to; from, to = l.Activity.Next(r.Kernel, to, r.Hi) {
				l.Kernels[r.Kernel].Range(from, to)
				if r.Kernel == Update {
					noteWater(l.Activity, from, to, l.Out)
				}
			}
			l.Spent.Add(int(r.Kernel), time.Since(start))
		}
	}
}
