package bench

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// VofStages measures the three stages of Francois, Lo and Sewell (ASME 2014) on a disk in the plane, as their Figures 3 to
// 5 list them, in float64 and milliseconds, and the analytic way beside the third: see [vof.Stages].
func VofStages(w io.Writer, sizes []int, repeat int, dev backend.Device) error {
	copying, err := copyOn(dev, dev.Threads())
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "copy bandwidth, %s: %.1f GB/s\n", named(dev), copying/1e9)
	fmt.Fprintf(w, "%-12s %14s %14s %22s %16s %14s\n", "cells", "initialise ms", "gradient ms", "GB/s at 24 B, of copy", "reconstruct ms", "analytic ms")
	for _, n := range sizes {
		ms, err := stages(n, repeat, dev)
		if err != nil {
			return fmt.Errorf("%d×%d cells: %w", n, n, err)
		}
		moved := 24 * float64(n) * float64(n) / (ms[1] / 1e3)
		fmt.Fprintf(w, "%-12s %14.4f %14.4f %14.1f %6.0f%% %16.4f %14.4f\n", fmt.Sprintf("%d×%d", n, n), ms[0], ms[1], moved/1e9,
			100*moved/copying, ms[2], ms[3])
	}
	return nil
}

// stages takes the best time of each stage on n×n cells, in ms.
func stages(n, repeat int, dev backend.Device) (ms [4]float64, err error) {
	all, free, err := vof.Stages(dev, n)
	if err != nil {
		return ms, err
	}
	defer free()
	const batch = 5
	for k, s := range all {
		ms[k] = math.Inf(1)
		for range repeat + 1 {
			begin := time.Now()
			for range batch {
				dev.Run(s.Loop, 0, s.Size)
			}
			if err := backend.Sync(dev); err != nil {
				return ms, err
			}
			ms[k] = min(ms[k], 1e3*time.Since(begin).Seconds()/batch)
		}
	}
	return ms, nil
}
