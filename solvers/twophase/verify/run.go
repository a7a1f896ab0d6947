// Package verify checks the two-phase solver against exact solutions and published results. Its suite is run by atoll
// verify twophase.
package verify

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers"
	_ "github.com/atoll-hpc/atoll/solvers/twophase/problem" // registers the solver of the cases
)

func init() { verify.Register(suite) }

// suite lists the checks, the fast ones first.
var suite = verify.Suite{Name: "twophase", TwinRanks: 2, Checks: []verify.Check{
	{Name: "drop", About: "A drop at rest: spurious currents vanish", Run: staticDrop},
	{Name: "vortices", About: "Decaying vortices of one fluid (Taylor and Green)", Run: vortices},
	{Name: "carried", About: "Drops up to a thousand million times as dense as their surroundings", Run: carried},
	{Name: "cavity", About: "The lid-driven cavity (Ghia, Ghia and Shin)", Run: cavity},
	{Name: "bubble", About: "A rising bubble: case 1 of Hysing et al.", Run: bubble},
}}

// outcome is the state at the end of a run on one rank.
type outcome struct {
	value  map[string]float64
	steps  int
	hash   string
	fields map[string][]float64
}

// testRun is a case with overrides.
type testRun struct {
	text string
	sets []string
	// each, unless nil, is called after each step of a run on one rank, with what is measured.
	each func(t float64, value map[string]float64)
}

// run runs the case on ranks of the CPU. A run on one rank is repeated on the GPU of the options, if there is one, and
// must give the same bits.
func (j testRun) run(ctx context.Context, p *verify.Page, ranks int) (outcome, error) {
	outcomes := make([]outcome, ranks)
	g, groupCtx := errgroup.WithContext(ctx)
	for rank, comm := range local.New(ranks) {
		g.Go(func() (err error) {
			threads := p.Options.Threads
			if ranks > 1 {
				threads = 1
			}
			dev := cpu.New(threads)
			defer dev.Close()
			if outcomes[rank], err = j.runRank(groupCtx, comm, dev); err != nil {
				comm.Abort(1, err)
			}
			return errors.Join(err, comm.Close())
		})
	}
	if err := g.Wait(); err != nil {
		return outcome{}, err
	}
	for _, twin := range p.Options.Twins {
		if len(twin.Devices) != 1 || ranks > 1 {
			continue
		}
		comm := local.New(1)[0]
		o, err := testRun{text: j.text, sets: j.sets}.runRank(ctx, comm, twin.Devices[0])
		if err := errors.Join(err, comm.Close()); err != nil {
			return outcome{}, err
		}
		difference := ""
		if o.hash != outcomes[0].hash {
			difference = fmt.Sprintf("%v: the state on the GPU is %s, on the CPU %s", j.sets, o.hash, outcomes[0].hash)
		}
		p.RecordTwin(difference)
	}
	return outcomes[0], nil
}

func (j testRun) runRank(ctx context.Context, comm dist.Comm, dev backend.Device) (o outcome, err error) {
	c, err := solvers.Parse("verify.toml", []byte(j.text), j.sets)
	if err != nil {
		return o, err
	}
	kind, _ := solvers.Find("two-phase")
	s, err := kind.New(ctx, solvers.Env{Comm: comm, Device: dev}, c)
	if err != nil {
		return o, err
	}
	defer s.Close()
	steps := 1 << 30
	if j.each != nil {
		steps = 1
	}
	for s.Clock().Time < c.Time.End {
		if _, err := s.Advance(ctx, c.Time.End, 0, steps); err != nil {
			return o, err
		}
		if o.value, err = measured(ctx, s); err != nil {
			return o, err
		}
		if j.each != nil {
			j.each(s.Clock().Time, o.value)
		}
	}
	o.steps = s.Clock().Steps
	if o.hash, err = solvers.Hash(ctx, comm, s); err != nil || comm.Size() > 1 {
		return o, err
	}
	o.fields = map[string][]float64{}
	for _, f := range s.Fields() {
		if o.fields[f.Name], err = f.Read(ctx); err != nil {
			return o, err
		}
	}
	return o, nil
}

func measured(ctx context.Context, s solvers.Solver) (map[string]float64, error) {
	quantities, err := s.Measure(ctx)
	value := map[string]float64{}
	for _, q := range quantities {
		value[q.Name] = q.Value
	}
	return value, err
}
