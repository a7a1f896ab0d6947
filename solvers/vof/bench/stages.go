package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// stageTimes are the best times of the stages on n×n cells, in seconds.
type stageTimes struct {
	threads, n, mixed int
	copyBandwidth     float64 // bytes per second of a copy
	stages            []vof.Stage
	seconds           []float64
}

// VofStages measures the stages of [vof.Stages] for each number of threads and size: a table for each stage by
// size, as Figures 3 to 5 of Francois, Lo and Sewell (ASME 2014), and with several numbers of threads their speedup
// over the first, as Figure 6. Bytes are those that a stage must move where few cells are mixed.
func VofStages(w io.Writer, o StepOptions) (*StagesChart, error) {
	threads := slices.Compact(slices.Sorted(slices.Values(o.Threads)))
	if len(threads) == 0 || threads[0] < 1 {
		return nil, fmt.Errorf("threads %v: each number must be 1 or more", o.Threads)
	}
	var all []stageTimes
	for _, count := range threads {
		times, err := stagesOn(w, o, count)
		if err != nil {
			return nil, err
		}
		all = append(all, times...)
	}
	if len(threads) == 1 {
		return nil, nil
	}
	for _, n := range o.Cells {
		printSpeedups(w, timesOf(all, n))
	}
	return &StagesChart{all}, nil
}

// stagesOn measures and prints all sizes with one number of threads.
func stagesOn(w io.Writer, o StepOptions, threads int) ([]stageTimes, error) {
	dev, done, err := o.Open(0, threads)
	if err != nil {
		return nil, err
	}
	defer done()
	copyBandwidth, err := bench.DeviceCopyBandwidth(dev, dev.Threads())
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "copy bandwidth, %s: %.1f GB/s\n", bench.DeviceName(dev), copyBandwidth/1e9)
	var all []stageTimes
	for _, n := range o.Cells {
		t, err := timeStages(n, o.Repeat, dev)
		if err != nil {
			return nil, fmt.Errorf("%d×%d cells: %w", n, n, err)
		}
		t.copyBandwidth = copyBandwidth
		all = append(all, t)
	}
	printStages(w, all)
	return all, nil
}

func printStages(w io.Writer, all []stageTimes) {
	fmt.Fprintf(w, "%-16s %-12s %8s %12s %10s %10s %4s %8s %7s\n",
		"stage", "cells", "mixed", "ms", "Mcell/s", "Mmixed/s", "B", "GB/s", "of copy")
	if len(all) == 0 {
		return
	}
	for k, stage := range all[0].stages {
		for _, t := range all {
			cells, s := float64(t.n)*float64(t.n), t.seconds[k]
			moved := float64(stage.Bytes) * cells / s
			fmt.Fprintf(w, "%-16s %-12s %8d %12.4f %10.1f %10.2f %4d %8.1f %6.0f%%\n", stage.Name, square(t.n), t.mixed, 1e3*s,
				cells/s/1e6, float64(t.mixed)/s/1e6, stage.Bytes, moved/1e9, 100*moved/t.copyBandwidth)
		}
	}
}

func square(n int) string { return fmt.Sprintf("%d×%d", n, n) }

// timesOf selects the times of one size.
func timesOf(all []stageTimes, n int) (selected []stageTimes) {
	for _, t := range all {
		if t.n == n {
			selected = append(selected, t)
		}
	}
	return selected
}

// speedups returns the speeds of stage k relative to the first entry.
func speedups(all []stageTimes, k int) []float64 {
	out := make([]float64, len(all))
	for i, t := range all {
		out[i] = all[0].seconds[k] / t.seconds[k]
	}
	return out
}

func printSpeedups(w io.Writer, all []stageTimes) {
	fmt.Fprintf(w, "speedup, %s cells\n%7s", square(all[0].n), "threads")
	for _, stage := range all[0].stages {
		fmt.Fprintf(w, " %16s", stage.Name)
	}
	fmt.Fprintln(w)
	for i, t := range all {
		fmt.Fprintf(w, "%7d", t.threads)
		for k := range t.stages {
			fmt.Fprintf(w, " %16.2f", speedups(all, k)[i])
		}
		fmt.Fprintln(w)
	}
}

// timeStages returns the best time of each stage on n×n cells.
func timeStages(n, repeat int, dev backend.Device) (t stageTimes, err error) {
	s, err := vof.NewStages(dev, n)
	if err != nil {
		return t, err
	}
	defer s.Free()
	t = stageTimes{threads: dev.Threads(), n: n, stages: s.All}
	for _, stage := range s.All {
		best, batch := math.Inf(1), 1
		for range repeat + 2 { // the first two warm up and find the batch
			begin := time.Now()
			for range batch {
				dev.Run(stage.Loop, 0, stage.Size)
			}
			if err := backend.Sync(dev); err != nil {
				return t, err
			}
			best = min(best, time.Since(begin).Seconds()/float64(batch))
			// Long enough that the wait for the device does not count.
			batch = min(100, 1+int(.01/best))
		}
		t.seconds = append(t.seconds, best)
	}
	t.mixed, err = s.Mixed()
	return t, err
}
