package vof

import (
	"fmt"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// BenchmarkStep takes steps on one core, from a state in the middle of the run. It reports the time of a step per cell
// and per mixed cell, without diagnostics, and the share of mixed cells.
func BenchmarkStep(b *testing.B) {
	vortex := problem{grid: plane(1024), body: shape.Ball(.5, .75, 0, .15), flow: namedFlow("rider-kothe", 8)}
	enright := problem{grid: space(128), body: shape.Ball(.35, .35, .35, .15), flow: namedFlow("enright", 3)}
	for _, c := range []struct {
		name string
		problem
		cfg         Config
		warmUpSteps int
	}{
		{"vortex-1024/myc", vortex, config("myc", "weymouth-yue", .5), 300},
		{"vortex-1024/elvira", vortex, config("elvira", "weymouth-yue", .5), 300},
		{"vortex-1024/ei-le", vortex, config("myc", "ei-le", .9), 300},
		{"enright-128/youngs", enright, config("youngs", "weymouth-yue", .5), 60},
		{"enright-128/myc", enright, config("myc", "weymouth-yue", .5), 60},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.problem.cfg = c.cfg
			err := c.run(func(_ int, s Solver) error {
				for range c.warmUpSteps {
					if err := s.Step(ctx, 1e3); err != nil {
						return err
					}
				}
				b.ResetTimer()
				for range b.N {
					if err := s.Step(ctx, 1e3); err != nil {
						return err
					}
				}
				b.StopTimer()
				d, err := s.Diagnose(ctx)
				if err != nil {
					return err
				}
				cells := float64(c.grid.Cells())
				perStep := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				b.ReportMetric(perStep/cells, "ns/cell")
				b.ReportMetric(perStep/float64(d.MixedCells), "ns/mixed")
				b.ReportMetric(100*float64(d.MixedCells)/cells, "%mixed")
				if d.MixedCells == 0 {
					return fmt.Errorf("no interface")
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkStages runs the stages of a reconstruction on one core.
func BenchmarkStages(b *testing.B) {
	const n = 1024
	dev := cpu.New(1)
	defer dev.Close()
	s, err := NewStages(dev, n)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Free()
	for _, stage := range s.All {
		dev.Run(stage.Loop, 0, stage.Size)
	}
	mixed, err := s.Mixed()
	if err != nil {
		b.Fatal(err)
	}
	for _, stage := range s.All {
		b.Run(stage.Name, func(b *testing.B) {
			for range b.N {
				dev.Run(stage.Loop, 0, stage.Size)
			}
			each := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(each/(n*n), "ns/cell")
			b.ReportMetric(each/float64(mixed), "ns/mixed")
		})
	}
}
