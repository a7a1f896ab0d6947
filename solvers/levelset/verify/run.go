package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers"
	_ "github.com/atoll-hpc/atoll/solvers/levelset/problem" // registers the solver of the cases
)

// outcome is the result of a run.
type outcome struct {
	value   map[string]float64 // metrics at the end
	worst   float64            // largest |volume_loss| at any measurement
	steps   int
	hash    string
	surface float64        // volume enclosed by the surface, for runs on one rank
	cells   *solvers.Space // of runs on one rank
	phi     []float64      // level set in the cells
}

// loss is the relative loss of volume.
func (o *outcome) loss() float64 { return o.value["volume_loss"] }

// testRun is a case with overrides.
type testRun struct {
	text         string
	sets         []string
	measurements int // number of measurements during the run
}

// runOnDevice runs the case on one rank of a device.
func (j testRun) runOnDevice(ctx context.Context, dev backend.Device) (outcome, error) {
	comm := local.New(1)[0]
	o, err := j.runRank(ctx, comm, dev)
	return o, errors.Join(err, comm.Close())
}

// run runs the case on ranks of the CPU. A run on one rank is repeated on the GPU of the options, if there is one,
// and must give the same bits.
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
	if dev := gpu(p); dev != nil && ranks == 1 {
		o, err := j.runOnDevice(ctx, dev)
		if err != nil {
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

// gpu returns the first of the options' sets of devices that is a single device, nil if there is none.
func gpu(p *verify.Page) backend.Device {
	for _, t := range p.Options.Twins {
		if len(t.Devices) == 1 {
			return t.Devices[0]
		}
	}
	return nil
}

func (j testRun) runRank(ctx context.Context, comm dist.Comm, dev backend.Device) (o outcome, err error) {
	c, err := solvers.Parse("verify.toml", []byte(j.text), j.sets)
	if err != nil {
		return o, err
	}
	kind, _ := solvers.Find("level-set")
	s, err := kind.New(ctx, solvers.Env{Comm: comm, Device: dev}, c)
	if err != nil {
		return o, err
	}
	defer s.Close()
	if o.worst, err = j.advance(ctx, s, c); err != nil {
		return o, err
	}
	quantities, err := s.Measure(ctx)
	if err != nil {
		return o, err
	}
	o.value = map[string]float64{}
	for _, q := range quantities {
		o.value[q.Name] = q.Value
	}
	o.worst = max(o.worst, math.Abs(o.loss()))
	o.steps = s.Clock().Steps
	if o.hash, err = solvers.Hash(ctx, comm, s); err != nil || comm.Size() > 1 {
		return o, err
	}
	return o, o.readField(ctx, s)
}

// advance runs to the end with measurements on the way.
func (j testRun) advance(ctx context.Context, s solvers.Solver, c *config.Case) (worst float64, err error) {
	end, maxSteps := c.Time.End, c.Time.MaxSteps
	for measurement := 1; s.Clock().Time < end && (maxSteps == 0 || s.Clock().Steps < maxSteps); {
		until, stride := end, math.MaxInt
		if j.measurements > 0 {
			until = end * float64(measurement) / float64(j.measurements)
		}
		if maxSteps > 0 {
			stride = maxSteps - s.Clock().Steps
		}
		if _, err := s.Advance(ctx, until, 0, stride); err != nil {
			return worst, err
		}
		if s.Clock().Time < until || until == end {
			continue
		}
		measurement++
		quantities, err := s.Measure(ctx)
		if err != nil {
			return worst, err
		}
		i := slices.IndexFunc(quantities, func(q solvers.Quantity) bool { return q.Name == "volume_loss" })
		worst = max(worst, math.Abs(quantities[i].Value))
	}
	return worst, nil
}

// readField reads the level set and its surface from a run on one rank.
func (o *outcome) readField(ctx context.Context, s solvers.Solver) error {
	f := s.Fields()[0]
	o.cells = f.Space
	var err error
	if o.phi, err = f.Read(ctx); err != nil {
		return err
	}
	for _, shape := range s.Shapes() {
		if shape.Format != "vtp" {
			continue
		}
		p, err := shape.Faces(ctx)
		if err != nil {
			return err
		}
		point := func(i int64) []float64 { return p.Points[3*i : 3*i+3] }
		for t := range p.Polys.Len() { // adds the volume of the tetrahedron between a triangle and the origin
			c := p.Polys.Cell(t)
			a, b, d := point(c[0]), point(c[1]), point(c[2])
			o.surface += (a[0]*(b[1]*d[2]-b[2]*d[1]) + a[1]*(b[2]*d[0]-b[0]*d[2]) + a[2]*(b[0]*d[1]-b[1]*d[0])) / 6
		}
		for t := range p.Lines.Len() {
			c := p.Lines.Cell(t)
			a, b := point(c[0]), point(c[1])
			o.surface += (a[0]*b[1] - a[1]*b[0]) / 2
		}
	}
	return nil
}
