package bench

import (
	"fmt"
	"strings"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cuda"
)

// Timeline lists what a GPU executes during a step. Work on different streams may overlap. It is empty for other
// devices.
func Timeline(dev backend.Device, step func() error) (string, error) {
	gpu, ok := dev.(*cuda.Device)
	if !ok {
		return "", step()
	}
	spans, err := gpu.Trace(step)
	if err != nil || len(spans) == 0 {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "      %-8s %-16s %9s %9s  µs since the first\n", "stream", "work", "start", "end")
	for _, s := range spans {
		fmt.Fprintf(&b, "      %-8s %-16s %9.1f %9.1f\n", s.Stream, s.Name, 1e6*(s.Start-spans[0].Start).Seconds(),
			1e6*(s.End-spans[0].Start).Seconds())
	}
	return b.String(), nil
}
