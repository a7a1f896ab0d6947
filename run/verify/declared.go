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
func declaredSuite(k *solvers.Kind) Suite {
	s := Suite{Name: k.Name, TwinRanks: 2}
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
type outcome struct {
	entities int64
	steps    int
	hash     string
	errors   map[string]float64 // by field
	drifts   map[string]float64 // by total
}

// maxRanks is the largest number of ranks on which the coarsest run is repeated.
const maxRanks = 3

func (c *declaredCheck) run(ctx context.Context) error {
	refinements := c.Refinements
	if c.page.Options.Quick && len(refinements) > 2 {
		refinements = refinements[:len(refinements)-1]
	}
	names := slices.Sorted(maps.Keys(c.Exact))
	outcomes := make([]outcome, len(refinements))
	for n, set := range refinements {
		c.page.Progress("%s", set)
		var err error
		if outcomes[n], err = c.runOn(ctx, set, []backend.Device{nil}); err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
	}
	for _, name := range names {
		c.printErrors(name, refinements, outcomes)
	}
	for _, total := range slices.Sorted(maps.Keys(outcomes[0].drifts)) {
		t := c.page.Table("Relative change of "+total, "run", "change")
		for n, set := range refinements {
			t.Row(AtMost(math.Abs(outcomes[n].drifts[total]), c.MaxDrift), set, outcomes[n].drifts[total])
		}
		t.Flush()
	}
	return c.repeat(ctx, refinements[0], outcomes[0].hash)
}

// printErrors prints the errors of a field over all refinements. The error bound holds for the finest refinement, the
// order bound for the last two runs.
func (c *declaredCheck) printErrors(name string, refinements []string, outcomes []outcome) {
	t := c.page.Table("Mean error of "+name, "run", "entities", "steps", "error", "order")
	for n, set := range refinements {
		e, order, v := outcomes[n].errors[name], "", Info
		if n == len(c.Refinements)-1 {
			v = AtMost(e, c.MaxError)
		}
		if n > 0 {
			observed := Order(outcomes[n-1].errors[name], e)
			order = fmt.Sprintf("%.3f", observed)
			if n == len(refinements)-1 {
				v = v.And(AtLeast(observed, c.MinOrder), "order")
			}
		}
		t.Row(v, set, outcomes[n].entities, outcomes[n].steps, e, order)
	}
	t.Flush()
}

// repeat runs a refinement again, on more ranks and on twins. The final state must have the same bits.
func (c *declaredCheck) repeat(ctx context.Context, set, hash string) error {
	t := c.page.Table("The same state on more ranks", "ranks", "state")
	for ranks := 2; ranks <= maxRanks; ranks++ {
		repeated, err := c.runOn(ctx, set, make([]backend.Device, ranks))
		if err != nil {
			return fmt.Errorf("%d ranks: %w", ranks, err)
		}
		t.Row(VerdictOf(repeated.hash == hash, "as on one"), ranks, repeated.hash[:12])
	}
	t.Flush()
	for _, twin := range c.page.Options.Twins {
		repeated, err := c.runOn(ctx, set, twin.Devices)
		if err != nil {
			return fmt.Errorf("on %s: %w", twin.Name, err)
		}
		difference := ""
		if repeated.hash != hash {
			difference = fmt.Sprintf("%s: the state is %s on %s, and %s on the CPU", set, repeated.hash, twin.Name, hash)
		}
		c.page.RecordTwin(difference)
	}
	return nil
}

// runOn runs a refinement, with one rank per device; a nil device means a CPU.
func (c *declaredCheck) runOn(ctx context.Context, set string, devices []backend.Device) (outcome, error) {
	parsed, err := solvers.Parse(c.Name+".toml", []byte(c.Case), []string{set})
	if err != nil {
		return outcome{}, err
	}
	return local.Each(len(devices), func(comm dist.Comm) (e outcome, err error) {
		dev := devices[comm.Rank()]
		if dev == nil {
			threads := 1
			if len(devices) == 1 {
				threads = c.page.Options.Threads
			}
			dev = cpu.New(threads)
			defer dev.Close()
		}
		_, err = run.Run(ctx, run.Options{Case: parsed, Comm: comm, Device: dev,
			Report: func(ctx context.Context, s solvers.Solver, o solvers.Outcome) error {
				return e.measure(ctx, c, parsed, comm, s, o)
			}})
		return e, err
	})
}

// measure fills in the outcome of a run.
func (result *outcome) measure(ctx context.Context, c *declaredCheck, cfg *config.Case, comm dist.Comm,
	s solvers.Solver,
	o solvers.Outcome) error {
	*result = outcome{entities: s.Size().Entities, steps: o.Steps, hash: o.Hash, errors: map[string]float64{},
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
		errors, err := f.Errors(ctx, comm, program, s.Clock().Time)
		if err != nil {
			return err
		}
		result.errors[f.Name] = errors.L1
	}
	if len(result.errors) != len(c.Exact) {
		return fmt.Errorf("solver %q lacks a field for which the check has an exact solution", cfg.Solver)
	}
	return nil
}
