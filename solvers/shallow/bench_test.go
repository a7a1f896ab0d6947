//go:build unix

package shallow

import (
	"context"
	"fmt"
	"math"
	"syscall"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
)

// BenchmarkStep measures the processor time of a step of a smooth wave on 16,000 cells. Other programs on the machine
// do not affect it.
func BenchmarkStep(b *testing.B) {
	for _, layers := range []int{1, 2} {
		wave := func(x, y float64) (depth, h1, h2 float64) {
			z := .01 * math.Exp(-x*x-y*y)
			if layers == 1 {
				return 1, 0, 1 + z
			}
			return 1, .4, .6 + z
		}
		for _, scheme := range schemeNames {
			for _, order := range []int{1, 2} {
				b.Run(fmt.Sprintf("layers=%d/%s/order=%d", layers, scheme, order), func(b *testing.B) {
					cfg := config(scheme)
					cfg.Order = order
					err := onRanks(b, 1, 16000, "float64", cfg, wave, func(_ dist.Comm, p *mesh.Part, s *Solver) error {
						before := processorTime(b)
						for b.Loop() {
							if _, err := s.Step(context.Background(), math.Inf(1)); err != nil {
								return err
							}
						}
						spent := processorTime(b) - before
						b.ReportMetric(spent/float64(b.N)/float64(p.Owned), "cpu-ns/cell")
						return nil
					})
					if err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
}

// processorTime returns the processor time of this process in ns.
func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}
