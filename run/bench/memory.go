package bench

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/solvers"
)

// CheckMemory prints the estimated memory of a benchmark and returns an error if the machine, or the GPU of a rank, has
// less. texts are the benchmark's largest cases, as text of case files, each on the given number of ranks of this
// machine. With asJSON it prints nothing, and leaves out the memory for measuring the copy bandwidth.
func (m *Machine) CheckMemory(asJSON bool, ranks int, texts ...string) error {
	var cases []*config.Case
	for _, text := range texts {
		c, err := solvers.Parse("benchmark", []byte(text), nil)
		if err != nil {
			return &solvers.BadInput{Err: err}
		}
		cases = append(cases, c)
	}
	return m.checkMemoryFor(asJSON, ranks, cases...)
}

func (m *Machine) checkMemoryFor(asJSON bool, ranks int, cases ...*config.Case) error {
	largest, err := estimate.Largest(cases, ranks, m.GPU)
	if err != nil {
		return &solvers.BadInput{Err: err}
	}
	if !asJSON {
		fmt.Fprintf(m.Out, "memory estimate: %s\n", largest.Text(ranks, m.GPU))
	}
	free, source := cpu.FreeMemory()
	if err := largest.Check(free, source, ranks); err != nil {
		return &solvers.BadInput{Err: err}
	}
	if !m.GPU {
		if !asJSON && bytesOnHost > free {
			return &solvers.BadInput{Err: fmt.Errorf("measuring the memory bandwidth needs %s, but only %s are available "+
				"(%s); --json, for benchmarks that have it, skips that measurement", words.Bytes(bytesOnHost),
				words.Bytes(free), source)}
		}
		return nil
	}
	dev, closeDevice, err := m.Open(0, 1)
	if err != nil {
		return err
	}
	defer closeDevice()
	if !asJSON {
		largest.Arrays = max(largest.Arrays, bytesOnDevice)
	}
	if err := solvers.CheckDeviceMemory(dev, largest.Arrays, 1); err != nil {
		return &solvers.BadInput{Err: err}
	}
	return nil
}
