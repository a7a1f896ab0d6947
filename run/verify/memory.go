package verify

import (
	"fmt"
	"io"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/solvers"
)

// checkMemory prints the memory of the largest problem of some checks. It returns an error if the machine, or a GPU
// among the twins, has less.
func checkMemory(w io.Writer, checks []Check, opts Options) error {
	var cases []*config.Case
	for _, c := range checks {
		text := ""
		if c.Largest != nil {
			text = c.Largest(opts)
		}
		if text == "" {
			continue
		}
		parsed, err := solvers.Parse(c.Name, []byte(text), nil)
		if err != nil {
			return fmt.Errorf("the largest problem of check %s: %w", c.Name, err)
		}
		cases = append(cases, parsed)
	}
	if len(cases) == 0 {
		return nil
	}
	largest, err := estimate.Largest(cases, 1, false)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "memory estimate: %s\n\n", largest.Text(1, false)); err != nil {
		return err
	}
	free, source := cpu.FreeMemory()
	if err := largest.Check(free, source, 1); err != nil {
		return &solvers.BadInput{Err: err}
	}
	for _, twin := range opts.Twins {
		if largest, err = estimate.Largest(cases, len(twin.Devices), true); err != nil {
			return err
		}
		if err := solvers.CheckDeviceMemory(twin.Devices[0], largest.Arrays, len(twin.Devices)); err != nil {
			return &solvers.BadInput{Err: err}
		}
	}
	return nil
}
