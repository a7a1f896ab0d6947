package smooth

import (
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

func TestSolidSweepAllocatesNothing(t *testing.T) {
	err := defaultSetting().onSolid(cube(t, 4, .1), nil, twist(t), Config{Smoother: "smart", Guard: "none"},
		func(_ dist.Comm, _ *layout.SolidPart, s *Solver) error {
			var err error
			n := testing.AllocsPerRun(3, func() {
				if _, e := s.Sweep(t.Context(), 2); e != nil {
					err = e
				}
			})
			if n != 0 {
				t.Errorf("%g allocations", n)
			}
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
}

func BenchmarkSolidSweep(b *testing.B) {
	m, metric := cube(b, 40, .1), twist(b)
	for _, smoother := range Smoothers {
		b.Run(smoother, func(b *testing.B) {
			err := defaultSetting().onSolid(m, nil, metric, Config{Smoother: smoother, Guard: "none"}, func(_ dist.Comm,
				p *layout.SolidPart,
				s *Solver) error {
				b.ResetTimer()
				_, err := s.Sweep(b.Context(), b.N)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Owned), "ns/vertex")
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
