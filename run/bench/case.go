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
	"github.com/atoll-hpc/atoll/solvers"
)

func init() {
	Register(Benchmark{Name: "case", New: caseSteps, Args: []string{"CASE.toml"},
		Short: "Any case of any solver: its steps, without output, by ranks and threads"})
}

func caseSteps(p *pflag.FlagSet) func(ctx context.Context, m *Machine) error {
	var sets []string
	var o caseOptions
	var asJSON bool
	p.StringArrayVar(&sets, "set", nil, "override a key of the case, as in --set time.end=10; may be repeated")
	p.IntSliceVar(&o.ranks, "ranks", []int{1}, "numbers of ranks, each with a device")
	p.IntSliceVar(&o.threads, "threads", EachThreads(), "threads of each rank")
	p.IntVar(&o.warm, "warm", 24, "steps before the first measurement")
	p.IntVar(&o.steps, "steps", 48, "steps of each measurement")
	p.IntVar(&o.repeat, "repeat", 3, "measurements, of which the fastest counts")
	p.BoolVar(&asJSON, "json", false, "print a line of JSON for each measurement, with its processor time, and no table")
	return func(ctx context.Context, m *Machine) error {
		if o.warm < 0 || o.steps < 1 || o.repeat < 1 {
			return &solvers.BadInput{Err: errors.New("--steps and --repeat are at least 1, and --warm at least 0")}
		}
		c, err := solvers.Load(m.Args[0], sets)
		if err != nil {
			return &solvers.BadInput{Err: err}
		}
		m.Begin(asJSON)
		if err := m.roomFor(asJSON, slices.Max(o.ranks), c); err != nil {
			return err
		}
		o.open = m.Open
		if m.GPU {
			o.threads = o.threads[:1]
		}
		return o.measure(ctx, m.Out, c, asJSON)
	}
}

// caseOptions say how the steps of a case are measured.
type caseOptions struct {
	ranks, threads      []int
	warm, steps, repeat int
	open                func(rank, threads int) (dev backend.Device, done func(), err error)
}

// stepped is what a measurement finds.
type stepped struct {
	size  solvers.Size
	bytes float64 // of state that is read and written, of an entity and step
	took  []Timing
	step  float64 // s
	hash  string
}

// measure prints a table of the steps of a case. Bytes are those that a step must move: each number of the state is
// read and written once. Efficiency is the rate of a thread as a share of that of the first row.
func (o *caseOptions) measure(ctx context.Context, w io.Writer, c *config.Case, asJSON bool) error {
	copying, err := Bandwidths(w, asJSON, o.threads,
		func(threads int) (backend.Device, func(), error) { return o.open(0, threads) })
	if err != nil {
		return err
	}
	table, lines := Outputs(w, asJSON)
	first := 0.0
	for _, ranks := range o.ranks {
		for _, threads := range o.threads {
			debug.FreeOSMemory()
			m, err := local.Each(ranks, func(comm dist.Comm) (stepped, error) { return o.onRank(ctx, comm, c, threads) })
			if err != nil {
				return fmt.Errorf("%d ranks of %d threads: %w", ranks, threads, err)
			}
			err = WriteTimings(lines, m.took, "%s %s %d, ranks: %d, threads: %d", c.Solver, c.Name, m.size.Entities, ranks,
				threads)
			if err != nil {
				return err
			}
			rate := float64(m.size.Entities) / m.step
			each := rate / float64(ranks*threads)
			if first == 0 {
				first = each
				fmt.Fprintf(table, "%s, solver %s\n%12s %-9s %-6s %5s %7s %10s %10s %5s %7s %10s  %s\n", c.Name, c.Solver,
					m.size.Unit+"s", "precision", "halo", "ranks", "threads", "ms a step", "M/s", "B", "of copy", "efficiency",
					"state")
			}
			fmt.Fprintf(table, "%12d %-9s %-6s %5d %7d %10.4f %10.2f %5.0f %6.0f%% %9.0f%%  %.12s\n", m.size.Entities,
				m.size.Precision, m.size.Halo, ranks, threads, 1e3*m.step, rate/1e6, m.bytes,
				100*m.bytes*rate/float64(ranks)/copying[threads], 100*each/first, m.hash)
		}
	}
	return nil
}

func (o *caseOptions) onRank(ctx context.Context, comm dist.Comm, c *config.Case, threads int) (m stepped, err error) {
	dev, done, err := o.open(comm.Rank(), threads)
	if err != nil {
		return m, err
	}
	defer done()
	kind, _ := solvers.Find(c.Solver)
	s, err := kind.New(ctx, solvers.Env{Comm: comm, Device: dev, Beside: comm.Size()}, c)
	if err != nil {
		return m, err
	}
	defer s.Close()
	m.size, m.bytes, m.step = s.Size(), stateOf(s.Fields()), math.Inf(1)
	if err := advance(ctx, s, o.warm); err != nil {
		return m, err
	}
	for range o.repeat {
		if err := errors.Join(backend.Sync(dev), comm.Barrier(ctx)); err != nil {
			return m, err
		}
		begin := StartWatch()
		if err := errors.Join(advance(ctx, s, o.steps), backend.Sync(dev)); err != nil {
			return m, err
		}
		m.took = append(m.took, begin.Of(int64(o.steps)*m.size.Entities))
		took := []float64{m.took[len(m.took)-1].Wall / float64(o.steps)}
		if err := comm.AllreduceFloat64(ctx, dist.Max, took); err != nil {
			return m, err
		}
		m.step = min(m.step, took[0])
	}
	m.hash, err = solvers.Hash(ctx, comm, s)
	return m, err
}

// advance takes a solver so many steps further.
func advance(ctx context.Context, s solvers.Solver, steps int) error {
	size := s.Size()
	for last := s.Clock().Steps + steps; s.Clock().Steps < last; {
		if now := s.Clock(); now.Time >= size.End {
			return &solvers.BadInput{Err: fmt.Errorf("the case ends after %d steps: make it longer, as by --set time.end=…, "+
				"or give fewer --warm, --steps and --repeat", now.Steps)}
		}
		done, err := s.Advance(ctx, size.End, size.End, last-s.Clock().Steps)
		if err != nil {
			return err
		}
		if now := s.Clock(); done && now.Steps < last {
			return &solvers.BadInput{Err: fmt.Errorf("the solver ends by itself after %d steps: give fewer --warm, --steps "+
				"and --repeat", now.Steps)}
		}
	}
	return nil
}

// stateOf is how many bytes of an entity of the hashed fields a step reads and writes at least.
func stateOf(fields []solvers.Field) (bytes float64) {
	for i := range fields {
		if f := &fields[i]; f.Hashed {
			view := f.View()
			bytes += 2 * float64(len(f.Numbers())*view.Kind.Size())
		}
	}
	return bytes
}
