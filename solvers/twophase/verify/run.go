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
var suite = verify.Suite{Name: "twophase", TwinRanks: 2, Scales: true, Checks: []verify.Check{
	{Name: "drop", About: "A drop at rest: spurious currents vanish", Run: staticDrop},
	{Name: "wave", About: "A capillary wave that viscosity damps (Prosperetti)", Run: capillaryWave},
	{Name: "oscillation", About: "Drops that oscillate (Lamb)", Run: oscillation},
	{Name: "axisymmetric", About: "Spheres, a jet (Rayleigh), a pipe and a bubble in axisymmetric flow", Run: rings},
	{Name: "wetting", About: "Drops on walls, with contact angles from 30 to 150 degrees", Run: wetting},
	{Name: "instability", About: "Heavy fluid above light fluid (Rayleigh and Taylor)", Run: instability},
	{Name: "vortices", About: "Decaying vortices of one fluid (Taylor and Green)", Run: vortices},
	{Name: "layers", About: "Layers of two fluids that are sheared, along the grid and across it", Run: layers},
	{Name: "carried", About: "Drops up to a thousand million times as dense as their surroundings", Run: carried},
	{Name: "moving", About: "Drops of few cells, with surface tension, that move", Run: moving},
	{Name: "solids", About: "Flow between oblique walls, and past a cylinder (Schäfer and Turek; Liu, Zheng and Sung)",
		Run: solids},
	{Name: "dam", About: "A column of water that collapses (Martin and Moyce)", Run: dam},
	{Name: "cavity", About: "The lid-driven cavity (Botella and Peyret; Ghia, Ghia and Shin)", Run: cavity},
	{Name: "bubble", About: "Rising bubbles: cases 1 and 2 of Hysing et al., and one in space", Run: bubbles},
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
	// each, unless nil, is called at the start and after each step of a run on one rank.
	each func(m *moment) error
	// every is the number of steps after which each is called; 0 for 1.
	every int
}

// moment is the state after a step.
type moment struct {
	time, dt float64 // dt is 0 at the start
	value    map[string]float64
	read     func(field string) ([]float64, error)
}

// fractions returns the volume fractions and the time that they are at: half a step before that of the velocity.
func (m *moment) fractions() (f []float64, time float64, err error) {
	f, err = m.read("f")
	return f, m.time - m.dt/2, err
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
		steps = max(1, j.every)
	}
	for {
		if o.value, err = measured(ctx, s); err != nil {
			return o, err
		}
		if err := j.show(ctx, s, o.value); err != nil {
			return o, err
		}
		if s.Clock().Time >= c.Time.End {
			break
		}
		if _, err := s.Advance(ctx, c.Time.End, 0, steps); err != nil {
			return o, err
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

// show calls each.
func (j testRun) show(ctx context.Context, s solvers.Solver, value map[string]float64) error {
	if j.each == nil {
		return nil
	}
	return j.each(&moment{s.Clock().Time, s.Clock().Dt, value, func(field string) ([]float64, error) {
		for _, f := range s.Fields() {
			if f.Name == field {
				return f.Read(ctx)
			}
		}
		return nil, fmt.Errorf("there is no field %q", field)
	}})
}

func measured(ctx context.Context, s solvers.Solver) (map[string]float64, error) {
	quantities, err := s.Measure(ctx)
	value := map[string]float64{}
	for _, q := range quantities {
		value[q.Name] = q.Value
	}
	return value, err
}
