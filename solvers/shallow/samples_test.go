package shallow

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
)

// TestSamplesAreThoseOfSteps proves that samples of queued steps equal the state after each step taken one by one, at
// the same times, and so do the extremes at the end.
func TestSamplesAreThoseOfSteps(t *testing.T) {
	ctx := context.Background()
	names := []string{"h2", "u2", "z2", "depth"}
	water := func(x, y float64) (depth, h1, h2 float64) {
		depth, h1, h2 = dam(x, y)
		return depth, 0, h1 + h2
	}
	run := func(device func(dist.Comm) backend.Device, exchanger string, ranks int, cfg Config,
		samples bool) (all [][][]float64, calls int) {
		all = make([][][]float64, ranks)
		check := func(c dist.Comm, p *mesh.Part, s *Solver) error {
			cells := []int{p.Owned - 1, 0, 5, 0}
			if canQueue, err := s.Sample(names, cells); err != nil || canQueue != samples {
				return fmt.Errorf("samples: %v, %v", canQueue, err)
			}
			record := func(at float64) error {
				row := []float64{at}
				for _, name := range names {
					values := make([]float64, len(cells))
					f, err := s.field(name)
					if err == nil {
						err = f.Pick(ctx, cells, values)
					}
					if err != nil {
						return err
					}
					row = append(row, values...)
				}
				all[c.Rank()] = append(all[c.Rank()], row)
				return nil
			}
			for s.Time() < .5 {
				if c.Rank() == 0 {
					calls++
				}
				n := 1
				if samples {
					n = 23
				}
				if _, err := s.Advance(ctx, .5, 0, n); err != nil {
					return err
				}
				if !samples {
					if err := record(s.Time()); err != nil {
						return err
					}
				}
				if !samples {
					continue
				}
				for k, at := range s.Sampled() {
					s.SelectSample(k)
					if err := record(at); err != nil {
						return err
					}
				}
			}
			for _, f := range s.Fields() {
				if !strings.HasPrefix(f.Name, "peak_") && !strings.HasPrefix(f.Name, "max_") {
					continue
				}
				row := make([]float64, len(cells)*len(f.Numbers()))
				if err := f.Pick(ctx, cells, row); err != nil {
					return err
				}
				whole, err := f.Read(ctx)
				if err != nil {
					return err
				}
				all[c.Rank()] = append(all[c.Rank()], row, whole)
			}
			return nil
		}
		err := onDevices(t, device, exchanger, ranks, 2000, "float64", cfg, water, check)
		if err != nil {
			t.Fatal(err)
		}
		return all, calls
	}
	for order := 1; order <= 2; order++ {
		for _, lag := range []bool{false, true} {
			cfg := config("pvm-ifcp")
			cfg.Order, cfg.Lag, cfg.Layers, cfg.Keep = order, lag, 1, Keep{Maxima: true, Threshold: .01}
			for _, ranks := range []int{1, 3} {
				want, _ := run(func(dist.Comm) backend.Device { return cpu.New(1) }, "", ranks, cfg, false)
				exchanger := ""
				if ranks > 1 {
					exchanger = "nccl"
				}
				got, calls := run(newLinked, exchanger, ranks, cfg, true)
				if len(want[0]) < 40 || len(got[0]) != len(want[0]) || calls > len(want[0])/8 {
					t.Errorf("%d rows, %d calls: the test has too few samples", len(want[0]), calls)
				}
				for rank := range want {
					for k := range want[rank] {
						if got, want := fmt.Sprint(got[rank][k]), fmt.Sprint(want[rank][k]); got != want {
							t.Fatalf("order %d, lag %v, %d ranks: row %d is %.200s…, want %.200s…", order, lag, ranks, k, got, want)
						}
					}
				}
			}
		}
	}
}
