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

// Benchmark is one that atoll bench has. Those of solvers are packages beside them, which register.
type Benchmark struct {
	Name, Short string
	Args        []string // what Machine.Args will be, such as CASE.toml, or CASE.toml... for some; nil for nothing
	// New adds the benchmark's flags, beside --backend, and returns what measures once they have been read.
	New func(flags *pflag.FlagSet) func(ctx context.Context, m *Machine) error
}

var benchmarks = map[string]Benchmark{}

// Register makes a benchmark known, in an init function. It panics if the name is empty or taken.
func Register(b Benchmark) {
	if _, taken := benchmarks[b.Name]; taken || b.Name == "" {
		panic(fmt.Sprintf("bench: the name %q is empty or registered already", b.Name))
	}
	benchmarks[b.Name] = b
}

// All are those there are, by their names.
func All() []Benchmark {
	var all []Benchmark
	for _, name := range slices.Sorted(maps.Keys(benchmarks)) {
		all = append(all, benchmarks[name])
	}
	return all
}

// Machine is what a benchmark measures on.
type Machine struct {
	Out  io.Writer
	Args []string
	GPU  bool // devices are GPUs, of which a rank has one
	// Open opens the device of a rank, of so many threads if it is the CPU, and gives what to call when done with it.
	Open func(rank, threads int) (dev backend.Device, done func(), err error)
}

// Share makes Open give one GPU to all who ask, so that its kernels are loaded once, and returns its name. Of CPUs
// nothing is shared, and the name is empty.
func (m *Machine) Share() (name string, done func(), err error) {
	if !m.GPU {
		return "", func() {}, nil
	}
	dev, done, err := m.Open(0, 1)
	if err != nil {
		return "", nil, err
	}
	m.Open = func(int, int) (backend.Device, func(), error) { return dev, func() {}, nil }
	return dev.Name(), done, nil
}

// EachThreads are the numbers of threads that a benchmark takes unless told otherwise: 1 and all.
func EachThreads() []int {
	if n := runtime.GOMAXPROCS(0); n > 1 {
		return []int{1, n}
	}
	return []int{1}
}

// Begin begins a table; lines of JSON stand by themselves.
func (m *Machine) Begin(asJSON bool) {
	if h := summary.ThisHost(); !asJSON {
		fmt.Fprintf(m.Out, "atoll %s, %s, %s, %d cores\n", summary.Version(), h.Go, h.CPU, h.Cores)
	}
}

// Draw draws a chart into a file, if there is to be one.
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
