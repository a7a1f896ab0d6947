package smooth

import (
	"testing"

	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
)

// TestStripsSame proves that sweeps with strips give the bits of sweeps without, with every smoother, on any number
// of ranks and threads, in any order.
func TestStripsSame(t *testing.T) {
	t.Parallel()
	m := smoothtest.Rectangle(t, 1200, 9)
	metric := swirl(t)
	for k, smoother := range Smoothers {
		cfg := Config{Smoother: smoother, Guard: Guards[k%3], Cull: k%2 == 1 && smoother != "barrier",
			Settled: 1e-3, Gain: 1e-6, Rescale: true}
		s := defaultSetting()
		s.layout.StripBits = 30 // a single strip, which is not used
		s.layout.Dedicated = k == 2
		want := s.run(t, m, metric, cfg, 5)
		for j, order := range []partition.Ordering{partition.Hilbert, partition.Natural, partition.Random} {
			for ranks := 1; ranks <= 3; ranks++ {
				s.layout.StripBits, s.ranks, s.threads = 6, ranks, 1+(j+ranks)%2
				s.layout.Order, s.layout.Deep = order, (j+k)%2 == 1
				if got := s.run(t, m, metric, cfg, 5); got != want {
					t.Errorf("%s, %d ranks, order %s: with strips\n%+v, without\n%+v", smoother, ranks, order, got, want)
				}
			}
		}
	}
}
