package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime/debug"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// StepOptions select what Steps measures: all combinations of the lists.
type StepOptions struct {
	Cells      []int
	Schemes    []string
	Orders     []string // orderings of the cells: natural, rcm and so on
	Precisions []string
	Accuracy   []int   // orders in space and time, 1 or 2
	Threads    []int   // of the CPU
	Seconds    float64 // least duration of a measurement
	Repeat     int     // measurements, of which the fastest counts; 0 is 1
	Sweep      shallow.Sweep
	JSON       bool // print a bench.Timing of each measurement as a line of JSON, and no table

	// Open opens the device to measure, with a number of threads for the CPU; call done to close it.
	Open func(threads int) (dev backend.Device, done func(), err error)
}

// Steps measures test 1 of the paper on one rank and prints a table. T_eff is the effective memory throughput: the
// bytes that the step of a cell must move, divided by its time. These are its state (6 numbers, read and written),
// depth and area (2), and the geometry of 1.5 edges (3 numbers each); at second order twice as many.
func Steps(ctx context.Context, w io.Writer, o StepOptions) error {
	copyBandwidth, err := bench.Bandwidths(w, o.JSON, o.Threads, o.Open)
	if err != nil {
		return err
	}
	table, _ := bench.Outputs(w, o.JSON)
	fmt.Fprintf(table, "%9s %-9s %-8s %8s %-9s %7s %9s %9s %11s %7s %9s\n", "cells", "scheme", "order", "accuracy",
		"precision", "threads", "Mcell/s", "µs a step", "T_eff GB/s", "share", "B a cell")
	for _, cells := range o.Cells {
		m, err := mesh.Rectangle(-5, -5, 5, 5, cells, 7)
		if err != nil {
			return err
		}
		for _, order := range o.Orders {
			if err := o.onMesh(ctx, w, m, order, copyBandwidth); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *StepOptions) onMesh(ctx context.Context, w io.Writer, m *mesh.Mesh, order string,
	copyBandwidth map[int]float64) error {
	table, lines := bench.Outputs(w, o.JSON)
	part, plan, err := wholePart(m, order)
	if err != nil {
		return err
	}
	initial := paperTest(1, part)
	for _, precision := range o.Precisions {
		for _, scheme := range o.Schemes {
			for _, threads := range o.Threads {
				for _, accuracy := range o.Accuracy {
					timings, bytes, err := o.measure(ctx, part, plan, initial, scheme, precision, accuracy, threads)
					if err != nil {
						return err
					}
					label := fmt.Sprintf("shallow %d cells %s %s %s", part.Owned, order, scheme, precision)
					if accuracy > 1 {
						label += fmt.Sprintf(" order %d", accuracy)
					}
					if err := bench.WriteTimings(lines, timings, "%s, threads: %d", label, threads); err != nil {
						return err
					}
					rate := bench.Fastest(timings)
					width := 8.0
					if precision == "float32" {
						width = 4
					}
					effective := rate * width * (2*6 + 2 + 1.5*3) * float64(accuracy)
					fmt.Fprintf(table, "%9d %-9s %-8s %8d %-9s %7d %9.2f %9.2f %11.2f %6.0f%% %9.0f\n", part.Owned, scheme, order,
						accuracy, precision, threads, rate/1e6, float64(part.Owned)/rate*1e6, effective/1e9,
						100*effective/copyBandwidth[threads], bytes)
				}
			}
		}
	}
	return nil
}

// wholePart returns a mesh as the part of a single rank, with its cells in an order.
func wholePart(m *mesh.Mesh, order string) (part *mesh.Part, plan *halo.Plan, err error) {
	d, err := decompose.New(m, decompose.Options{Ranks: 1, Order: partition.Ordering(order), Seed: 7})
	if err != nil {
		return nil, nil, err
	}
	err = d.Each(func(_ int, p *mesh.Part, h *halo.Plan) error { part, plan = p, h; return nil })
	return part, plan, err
}

// measure returns the times of cell updates, and the bytes per cell of the solver.
func (o *StepOptions) measure(ctx context.Context, part *mesh.Part, plan *halo.Plan, initial shallow.Initial,
	scheme, precision string, accuracy, threads int) (timings []bench.Timing, bytes float64, err error) {
	err = o.withSolver(ctx, part, plan, initial, scheme, precision, accuracy, threads, func(s *shallow.Solver) error {
		for s.Steps() < 40 { // warm-up
			if _, err := s.Advance(ctx, math.Inf(1), 0, 40); err != nil {
				return err
			}
		}
		for range max(o.Repeat, 1) {
			begin, startSteps := bench.StartWatch(), s.Steps()
			for batch := 1; batch == 1 || begin.Seconds() < o.Seconds; batch = min(2*batch, 512) {
				if _, err := s.Advance(ctx, math.Inf(1), 0, batch); err != nil {
					return err
				}
			}
			timings = append(timings, begin.Timing(int64(s.Steps()-startSteps)*int64(part.Owned)))
		}
		bytes = float64(s.Size().Bytes) / float64(part.Owned)
		return nil
	})
	return timings, bytes, err
}

func (o *StepOptions) withSolver(ctx context.Context, part *mesh.Part, plan *halo.Plan, initial shallow.Initial,
	scheme, precision string, accuracy, threads int, f func(*shallow.Solver) error) error {
	debug.FreeOSMemory()
	comm := local.New(1)[0]
	defer comm.Close()
	dev, done, err := o.Open(threads)
	if err != nil {
		return err
	}
	defer done()
	cfg := shallow.Config{Scheme: scheme, Order: accuracy, Gravity: 9.81, DensityRatio: .5, CFL: .9, EntropyFix: .05,
		DryDepth: 1e-3, Boundary: make([]bool, len(part.Groups)), Sweep: o.Sweep}
	s, err := shallow.New(ctx, solvers.Env{Comm: comm, Device: dev}, precision, cfg,
		shallow.Setting{Part: part, Plan: plan, Initial: initial})
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s)
}
