package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"

	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/kernelgen/lanes"
	"github.com/atoll-hpc/atoll/solvers"
)

func init() {
	Register(Benchmark{Name: "case", New: caseSteps, Args: []string{"CASE.toml"},
		Short: "Steps of any case of any solver, without output, by ranks and threads"})
}

func caseSteps(p *pflag.FlagSet) func(ctx context.Context, m *Machine) error {
	var overrides []string
	var o caseOptions
	var asJSON bool
	p.StringArrayVar(&overrides, "set", nil, "override a key of the case, as in --set time.end=10; may be repeated")
	p.IntSliceVar(&o.ranks, "ranks", []int{1}, "numbers of ranks, each with a device")
	p.IntSliceVar(&o.threads, "threads", DefaultThreads(), "threads of each rank")
	p.StringSliceVar(&o.vectors, "vectors", nil, "sets of vector instructions, measured in turn: off, avx2, avx512; "+
		"by default the one in use")
	p.IntVar(&o.warm, "warm", 24, "steps before the first measurement")
	p.IntVar(&o.steps, "steps", 48, "steps of each measurement")
	p.IntVar(&o.repeat, "repeat", 3, "number of measurements; the fastest counts")
	p.BoolVar(&o.timeline, "timeline", false, "print what the GPU of rank 0 does in one more step")
	p.BoolVar(&asJSON, "json", false, "print a line of JSON for each measurement, with its processor time, and no table")
	return func(ctx context.Context, m *Machine) error {
		if o.warm < 0 || o.steps < 1 || o.repeat < 1 {
			return &solvers.BadInput{Err: errors.New("--steps and --repeat are at least 1, and --warm at least 0")}
		}
		c, err := solvers.Load(m.Args[0], overrides)
		if err != nil {
			return &solvers.BadInput{Err: err}
		}
		m.PrintHeader(asJSON)
		if err := m.checkMemoryFor(asJSON, slices.Max(o.ranks), c); err != nil {
			return err
		}
		o.open = m.Open
		if m.GPU {
			o.threads = o.threads[:1]
		}
		if err := o.parse(m.GPU); err != nil {
			return &solvers.BadInput{Err: err}
		}
		return o.measure(ctx, m.Out, c, asJSON)
	}
}

// caseOptions configure the measurement of the steps of a case.
type caseOptions struct {
	ranks, threads      []int
	vectors             []string
	instructionSets     []lanes.Set // parsed vectors
	warm, steps, repeat int
	timeline            bool
	open                func(rank, threads int) (dev backend.Device, closeDevice func(), err error)
}

// parse sets instructionSets from the names in vectors.
func (o *caseOptions) parse(gpu bool) error {
	if len(o.vectors) == 0 || gpu {
		o.instructionSets = []lanes.Set{lanes.Used()}
	}
	for _, name := range o.vectors {
		if gpu {
			return errors.New("--vectors is for the CPU")
		}
		set, err := lanes.Parse(name)
		if err != nil {
			return fmt.Errorf("--vectors: %w", err)
		}
		o.instructionSets = append(o.instructionSets, set)
	}
	return nil
}

// stepMeasurement is the result for one set of vector instructions.
type stepMeasurement struct {
	size    solvers.Size
	bytes   float64 // bytes of state read and written, per entity and step
	timings []Timing
	step    float64 // fastest step, s
	hash    string

	timeline string // of one more step; empty unless requested
}

// measure prints a table of the steps of a case. Column B has the bytes per entity that a step must move: each
// number of the state is read and written once. Column "of copy" is their rate relative to the copy bandwidth.
// Efficiency is the rate per thread relative to the first row with the same vector instructions; gain is the rate
// relative to the first vector instructions with the same ranks and threads.
func (o *caseOptions) measure(ctx context.Context, w io.Writer, c *config.Case, asJSON bool) error {
	bandwidths, err := Bandwidths(w, asJSON, o.threads,
		func(threads int) (backend.Device, func(), error) { return o.open(0, threads) })
	if err != nil {
		return err
	}
	table, lines := Outputs(w, asJSON)
	var firstRates []float64 // rates per thread in the first row, by vectors
	for _, ranks := range o.ranks {
		for _, threads := range o.threads {
			debug.FreeOSMemory()
			measurements, err := local.Each(ranks, func(comm dist.Comm) ([]stepMeasurement, error) {
				return o.measureOnRank(ctx, comm, c, threads)
			})
			if err != nil {
				return fmt.Errorf("%s of %s: %w", words.Count(ranks, "rank"), words.Count(threads, "thread"), err)
			}
			for i, m := range measurements {
				if m.hash != measurements[0].hash {
					return fmt.Errorf("%d ranks of %d threads: vectors %s lead to state %.12s, and %s to %.12s", ranks, threads,
						o.instructionSets[0], measurements[0].hash, o.instructionSets[i], m.hash)
				}
				err = WriteTimings(lines, m.timings, "%s %s %d, ranks: %d, threads: %d, vectors: %s", c.Solver, c.Name,
					m.size.Entities, ranks, threads, o.instructionSets[i])
				if err != nil {
					return err
				}
				rate := float64(m.size.Entities) / m.step
				perThread := rate / float64(ranks*threads)
				if firstRates == nil {
					fmt.Fprintf(table, "%s, solver %s\n%12s %-9s %-6s %5s %7s %7s %10s %10s %5s %7s %10s %6s  %s\n", c.Name,
						c.Solver, m.size.Unit+"s", "precision", "halo", "ranks", "threads", "vectors", "ms a step", "M/s", "B",
						"of copy", "efficiency", "gain", "state")
				}
				if len(firstRates) <= i {
					firstRates = append(firstRates, perThread)
				}
				fmt.Fprintf(table, "%12d %-9s %-6s %5d %7d %7s %10.4f %10.2f %5.0f %6.0f%% %9.0f%% %6.2f  %.12s\n",
					m.size.Entities, m.size.Precision, m.size.Halo, ranks, threads, o.instructionSets[i], 1e3*m.step, rate/1e6,
					m.bytes,
					100*m.bytes*rate/float64(ranks)/bandwidths[threads], 100*perThread/firstRates[i], measurements[0].step/m.step,
					m.hash)
				fmt.Fprint(table, m.timeline)
			}
		}
	}
	return nil
}

// measureOnRank measures on one rank, with a solver for each set of vector instructions, in turn.
func (o *caseOptions) measureOnRank(ctx context.Context, comm dist.Comm, c *config.Case, threads int) (
	[]stepMeasurement, error) {
	dev, closeDevice, err := o.open(comm.Rank(), threads)
	if err != nil {
		return nil, err
	}
	defer closeDevice()
	kind, _ := solvers.Find(c.Solver)
	measurements := make([]stepMeasurement, len(o.instructionSets))
	instances := make([]solvers.Solver, len(o.instructionSets))
	useVectors := func(i int) error { // between barriers, since the setting is global to the process
		err := errors.Join(backend.Sync(dev), comm.Barrier(ctx))
		lanes.Use(o.instructionSets[i])
		return errors.Join(err, comm.Barrier(ctx))
	}
	defer lanes.Use(lanes.Used())
	for i := range measurements {
		if err := useVectors(i); err != nil {
			return nil, err
		}
		s, err := kind.New(ctx, solvers.Env{Comm: comm, Device: dev, RanksOnDevice: comm.Size()}, c)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		instances[i] = s
		measurements[i] = stepMeasurement{size: s.Size(), bytes: stateBytes(s.Fields()), step: math.Inf(1)}
		if err := advance(ctx, s, o.warm); err != nil {
			return nil, err
		}
	}
	for range o.repeat {
		for i := range measurements {
			if err := useVectors(i); err != nil {
				return nil, err
			}
			if err := o.measureOnce(ctx, comm, dev, instances[i], &measurements[i]); err != nil {
				return nil, err
			}
		}
	}
	for i, s := range instances {
		m := &measurements[i]
		if m.hash, err = solvers.Hash(ctx, comm, s); err != nil {
			return nil, err
		}
		if !o.timeline {
			continue
		}
		if m.timeline, err = Timeline(dev, func() error { return advance(ctx, s, 1) }); err != nil {
			return nil, err
		}
	}
	return measurements, nil
}

// measureOnce makes one measurement of a solver and adds it to m.
func (o *caseOptions) measureOnce(ctx context.Context, comm dist.Comm, dev backend.Device, s solvers.Solver,
	m *stepMeasurement) error {
	watch := StartWatch()
	if err := errors.Join(advance(ctx, s, o.steps), backend.Sync(dev)); err != nil {
		return err
	}
	m.timings = append(m.timings, watch.Timing(int64(o.steps)*m.size.Entities))
	perStep := []float64{m.timings[len(m.timings)-1].Wall / float64(o.steps)}
	if err := comm.AllreduceFloat64(ctx, dist.Max, perStep); err != nil {
		return err
	}
	m.step = min(m.step, perStep[0])
	return nil
}

// advance takes the given number of steps.
func advance(ctx context.Context, s solvers.Solver, steps int) error {
	size := s.Size()
	for last := s.Clock().Steps + steps; s.Clock().Steps < last; {
		if now := s.Clock(); now.Time >= size.End {
			return &solvers.BadInput{Err: fmt.Errorf("the case ends after %d steps: make it longer, such as by --set "+
				"time.end=…, or reduce --warm, --steps or --repeat", now.Steps)}
		}
		done, err := s.Advance(ctx, size.End, size.End, last-s.Clock().Steps)
		if err != nil {
			return err
		}
		if now := s.Clock(); done && now.Steps < last {
			return &solvers.BadInput{Err: fmt.Errorf("the solver ends by its own criterion after %d steps: reduce --warm, "+
				"--steps or --repeat", now.Steps)}
		}
	}
	return nil
}

// stateBytes returns the least number of bytes of hashed fields that a step reads and writes per entity.
func stateBytes(fields []solvers.Field) (bytes float64) {
	for i := range fields {
		if f := &fields[i]; f.Hashed {
			view := f.View()
			bytes += 2 * float64(len(f.Numbers())*view.Kind.Size())
		}
	}
	return bytes
}
