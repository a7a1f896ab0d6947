package verify

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/expr"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/solvers"
)

// declaredSuite returns the suite of the checks that a kind of solver declares.
func declared(k *solvers.Kind) Suite {
	s := Suite{Name: k.Name, Twins: 2}
	for _, c := range k.Checks {
		s.Checks = append(s.Checks, Check{Name: c.Name, About: c.About, Run: func(ctx context.Context, p *Page) error {
			return (&declaredCheck{Check: c, page: p}).run(ctx)
		}})
	}
	return s
}

// declaredCheck runs a check that a kind of solver declares.
type declaredCheck struct {
	solvers.Check
	page *Page
}

// outcome is the result of a run.
type ended struct {
	entities int64
	steps    int
	hash     string
	errors   map[string]float64 // by field
	drifts   map[string]float64 // by total
}

// maxRanks is the largest number of ranks on which the coarsest run is repeated.
const mostRanks = 3

func (c *declaredCheck) run(ctx context.Context) error {
	finer := c.Refinements
	if c.page.Options.Quick && len(finer) > 2 {
		finer = finer[:len(finer)-1]
	}
	names := slices.Sorted(maps.Keys(c.Exact))
	all := make([]ended, len(finer))
	for n, set := range finer {
		c.page.Progress("%s", set)
		var err error
		if all[n], err = c.on(ctx, set, []backend.Device{nil}); err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
	}
	for _, name := range names {
		c.tell(name, finer, all)
	}
	for _, total := range slices.Sorted(maps.Keys(all[0].drifts)) {
		t := c.page.Table("Relative change of "+total, "run", "change")
		for n, set := range finer {
			t.Row(AtMost(math.Abs(all[n].drifts[total]), c.MaxDrift), set, all[n].drifts[total])
		}
		t.Flush()
	}
	return c.again(ctx, finer[0], all[0].hash)
}

// printErrors prints the errors of a field over all refinements. The error bound holds for the finest refinement, the
// order bound for the last two runs.
func (c *declaredCheck) tell(name string, finer []string, all []ended) {
	t := c.page.Table("Mean error of "+name, "run", "entities", "steps", "error", "order")
	for n, set := range finer {
		now, order, v := all[n].errors[name], "", Info
		if n == len(c.Refinements)-1 {
			v = AtMost(now, c.MaxError)
		}
		if n > 0 {
			falls := Order(all[n-1].errors[name], now)
			order = fmt.Sprintf("%.3f", falls)
			if n == len(finer)-1 {
				v = v.And(AtLeast(falls, c.MinOrder), "order")
			}
		}
		t.Row(v, set, all[n].entities, all[n].steps, now, order)
	}
	t.Flush()
}

// repeat runs a refinement again, on more ranks and on twins. The final state must have the same bits.
func (c *declaredCheck) again(ctx context.Context, set, hash string) error {
	t := c.page.Table("The same state on more ranks", "ranks", "state")
	for ranks := 2; ranks <= mostRanks; ranks++ {
		e, err := c.on(ctx, set, make([]backend.Device, ranks))
		if err != nil {
			return fmt.Errorf("%d ranks: %w", ranks, err)
		}
		t.Row(VerdictOf(e.hash == hash, "as on one"), ranks, e.hash[:12])
	}
	t.Flush()
	for _, twin := range c.page.Options.Twins {
		e, err := c.on(ctx, set, twin.Devices)
		if err != nil {
			return fmt.Errorf("on %s: %w", twin.Name, err)
		}
		missed := ""
		if e.hash != hash {
			missed = fmt.Sprintf("%s: the state is %s on %s, and %s on the CPU", set, e.hash, twin.Name, hash)
		}
		c.page.Twin(missed)
	}
	return nil
}

// runOn runs a refinement, with one rank per device; a nil device means a CPU.
func (c *declaredCheck) on(ctx context.Context, set string, devices []backend.Device) (ended, error) {
	of, err := solvers.Parse(c.Name+".toml", []byte(c.Case), []string{set})
	if err != nil {
		return ended{}, err
	}
	return local.Each(len(devices), func(comm dist.Comm) (e ended, err error) {
		dev := devices[comm.Rank()]
		if dev == nil {
			threads := 1
			if len(devices) == 1 {
				threads = c.page.Options.Threads
			}
			dev = cpu.New(threads)
			defer dev.Close()
		}
		_, err = run.Run(ctx, run.Options{Case: of, Comm: comm, Device: dev,
			Report: func(ctx context.Context, s solvers.Solver, o solvers.Outcome) error {
				return e.look(ctx, c, of, comm, s, o)
			}})
		return e, err
	})
}

// measure fills in the outcome of a run.
func (e *ended) look(ctx context.Context, c *declaredCheck, of *config.Case, comm dist.Comm, s solvers.Solver,
	o solvers.Outcome) error {
	*e = ended{entities: s.Size().Entities, steps: o.Steps, hash: o.Hash, errors: map[string]float64{},
		drifts: o.Drifts}
	for _, f := range s.Fields() {
		exact, ok := c.Exact[f.Name]
		if !ok {
			continue
		}
		program, err := expr.Compile(exact)
		if err != nil {
			return err
		}
		off, err := f.Errors(ctx, comm, program, s.Clock().Time)
		if err != nil {
			return err
		}
		e.errors[f.Name] = off.L1
	}
	if len(e.errors) != len(c.Exact) {
		return fmt.Errorf("solver %q lacks a field for which the check has an exact solution", of.Solver)
	}
	return nil
}
