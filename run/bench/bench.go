package bench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"

	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/summary"
)

// Benchmark is a benchmark of atoll bench. Benchmarks of a solver are in a package beside the solver, which registers
// them.
type Benchmark struct {
	Name, Short string   // Short describes the benchmark in one line
	Args        []string // names of positional arguments, such as CASE.toml, or CASE.toml... for several
	// New adds the benchmark's flags, besides --backend, and returns the function that measures, to be called after flags
	// are parsed.
	New func(flags *pflag.FlagSet) func(ctx context.Context, m *Machine) error
}

var benchmarks = map[string]Benchmark{}

// Register adds a benchmark, in an init function. It panics if the name is empty or taken.
func Register(b Benchmark) {
	if _, exists := benchmarks[b.Name]; exists || b.Name == "" {
		panic(fmt.Sprintf("bench: the name %q is empty or registered already", b.Name))
	}
	benchmarks[b.Name] = b
}

// All returns the registered benchmarks, sorted by name.
func All() []Benchmark {
	var list []Benchmark
	for _, name := range slices.Sorted(maps.Keys(benchmarks)) {
		list = append(list, benchmarks[name])
	}
	return list
}

// Machine is the environment of a benchmark.
type Machine struct {
	Out  io.Writer
	Args []string
	GPU  bool // devices are GPUs, one per rank
	// Open opens the device of a rank, with the given number of threads if it is a CPU. closeDevice closes it.
	Open func(rank, threads int) (dev backend.Device, closeDevice func(), err error)
}

// ShareGPU makes Open return the same GPU to all callers, so that its kernels are loaded once, and returns its name.
// With CPUs it does nothing, and the name is empty.
func (m *Machine) ShareGPU() (name string, closeDevice func(), err error) {
	if !m.GPU {
		return "", func() {}, nil
	}
	dev, closeDevice, err := m.Open(0, 1)
	if err != nil {
		return "", nil, err
	}
	m.Open = func(int, int) (backend.Device, func(), error) { return dev, func() {}, nil }
	return dev.Name(), closeDevice, nil
}

// DefaultThreads returns the numbers of threads that a benchmark measures by default: 1 and all.
func DefaultThreads() []int {
	if n := runtime.GOMAXPROCS(0); n > 1 {
		return []int{1, n}
	}
	return []int{1}
}

// PrintHeader prints program and machine above a table. It prints nothing before lines of JSON.
func (m *Machine) PrintHeader(asJSON bool) {
	if h := summary.ThisHost(); !asJSON {
		fmt.Fprintf(m.Out, "atoll %s, %s, %s, %d cores\n", summary.Version(), h.Go, h.CPU, h.Cores)
	}
}

// Draw draws a chart to a file; path "" means none.
func Draw(path string, chart interface {
	Draw() (*figure.Figure, error)
}) error {
	if path == "" {
		return nil
	}
	picture, err := chart.Draw()
	if err != nil {
		return err
	}
	return picture.Write(path)
}
