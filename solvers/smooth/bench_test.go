package smooth

import (
	"fmt"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// BenchmarkSweep measures sweeps over meshes of 2,500 and 628,000 vertices with a discrete metric, on one thread, two
// threads, and two ranks.
func BenchmarkSweep(b *testing.B) {
	for _, cells := range []int{5_000, 1_255_000} {
		b.Run(fmt.Sprintf("cells=%d", cells), func(b *testing.B) { benchSweeps(b, cells) })
	}
}

func benchSweeps(b *testing.B, cells int) {
	m := smoothtest.Rectangle(b, cells, 1)
	linear, err := sizing.Linear(unit, 1, 5)
	if err != nil {
		b.Fatal(err)
	}
	metric, err := linear.Discretised(512)
	if err != nil {
		b.Fatal(err)
	}
	for _, smoother := range Smoothers {
		if smoother == "fjp" && cells > 100_000 { // takes minutes
			continue
		}
		for _, on := range [][2]int{{1, 1}, {1, 2}, {2, 1}} {
			b.Run(fmt.Sprintf("%s/ranks=%d/threads=%d", smoother, on[0], on[1]), func(b *testing.B) {
				s := defaultSetting()
				s.ranks, s.threads = on[0], on[1]
				cfg := Config{Smoother: smoother, Guard: "none", Rescale: true, Floor: .5}
				err := s.onEachRank(b, m, metric, cfg, func(c dist.Comm, _ *layout.Part, solver *Solver) error {
					if c.Rank() == 0 {
						b.ResetTimer()
					}
					_, err := solver.Sweep(b.Context(), b.N)
					if c.Rank() == 0 {
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(m.X)), "ns/vertex")
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkLayout arranges a mesh of 2.5 million vertices and cuts it into parts.
func BenchmarkLayout(b *testing.B) {
	m := smoothtest.Rectangle(b, 5_000_000, 1)
	for _, ranks := range []int{1, 4} {
		b.Run(fmt.Sprintf("ranks=%d", ranks), func(b *testing.B) {
			owner := make([]int32, len(m.X))
			for v := range owner {
				owner[v] = int32(v * ranks / len(owner))
			}
			for b.Loop() {
				l, err := layout.New(m, defaultSetting().layout)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := l.Parts(owner, ranks); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
