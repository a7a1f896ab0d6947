package vof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/vof/flow"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
	"github.com/atoll-hpc/atoll/solvers/vof/shape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// problem is a run.
type problem struct {
	grid      *grid.Grid
	body      shape.Body
	flow      func(g *grid.Grid) (flow.Flow, error)
	cfg       Config
	precision string
	parts     [3]int
	threads   int
	apart     bool // on devices with memory of their own
	batch     int  // steps at a time
	levels    int  // of divided cells, 4 if 0
}

func named(name string, period float64) func(g *grid.Grid) (flow.Flow, error) {
	return func(g *grid.Grid) (flow.Flow, error) {
		return flow.Named(name, g, period)
	}
}

// plane and space are unit boxes of n cells along each axis.
func plane(n int) *grid.Grid {
	return &grid.Grid{Dim: 2, N: [3]int{n, n, 1}, Hi: [3]float64{1, 1, 0}}
}

func space(n int) *grid.Grid {
	return &grid.Grid{Dim: 3, N: [3]int{n, n, n}, Hi: [3]float64{1, 1, 1}}
}

func config(normal, advect string, cfl float64) Config {
	return Config{Normal: normal, Advect: advect, CFL: cfl}
}

// run sets a solver up on every rank and hands it to f.
func (p problem) run(f func(rank int, s Solver) error) error {
	return p.onDevice(func(rank int, s Solver, _ backend.Device) error { return f(rank, s) })
}

func (p problem) onDevice(f func(rank int, s Solver, dev backend.Device) error) error {
	for d := range p.parts {
		p.parts[d] = max(1, p.parts[d])
	}
	if p.precision == "" {
		p.precision = "float64"
	}
	v, err := p.flow(p.grid)
	if err != nil {
		return err
	}
	comms := local.New(p.parts[0] * p.parts[1] * p.parts[2])
	errs := make([]error, len(comms))
	var wg sync.WaitGroup
	for r := range comms {
		wg.Go(func() {
			var dev backend.Device = cpu.New(max(1, p.threads))
			if p.apart {
				dev = newApart(max(1, p.threads), comms[r])
			}
			defer dev.Close()
			s, err := p.solver(v, comms[r], dev)
			if err == nil {
				defer s.Close()
				err = f(r, s, dev)
			}
			if err != nil {
				comms[r].Abort(1, err)
			}
			errs[r] = errors.Join(err, comms[r].Close())
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// solver sets up a rank.
func (p problem) solver(v flow.Flow, comm dist.Comm, dev backend.Device) (Solver, error) {
	lo, n := partition.Box(p.grid.N, p.parts, comm.Rank())
	ghost := p.cfg.Ghosts(p.grid.Dim)
	b, err := p.grid.Block(lo, n, ghost)
	if err != nil {
		return nil, err
	}
	boxes := halo.Boxes{Dim: p.grid.Dim, Cuts: partition.BoxCuts(p.grid.N, p.parts), Periodic: p.grid.Periodic}
	plan, err := halo.NewBoxPlan(boxes, comm.Rank(), ghost, [3]int{ghost, ghost, ghost}, halo.ByAxis)
	if err != nil {
		return nil, err
	}
	return New(ctx, p.precision, p.cfg, b, plan, v, Fill(b, p.body, cmp.Or(p.levels, 4), true), comm, dev)
}

// until steps to time t and returns the diagnostics.
func (p problem) until(t float64) (d Diagnostics, hash string, err error) {
	err = p.run(func(rank int, s Solver) error {
		for s.Time() < t {
			if err := s.Advance(ctx, t, max(1, p.batch)); err != nil {
				return err
			}
		}
		all, err := s.Diagnose(ctx)
		if err != nil {
			return err
		}
		h, err := s.Hash(ctx)
		if rank == 0 {
			d, hash = all, h
		}
		return err
	})
	return d, hash, err
}

// TestSameBitsForAnyBlocks: state and diagnostics do not depend on ranks, blocks or threads.
func TestSameBitsForAnyBlocks(t *testing.T) {
	periodic := plane(36)
	periodic.Periodic = [3]bool{true, true}
	long := space(16)
	long.N, long.Hi = [3]int{24, 18, 16}, [3]float64{1.5, 1, 1}
	long.Periodic = [3]bool{false, false, true}
	disk, ball := shape.Ball(.5, .75, 0, .15), shape.Ball(.35, .35, .35, .15)
	crossing := func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(1, .7, -.4), nil }
	for name, c := range map[string]struct {
		problem
		end   float64
		parts [][3]int
	}{
		"vortex":         {problem{grid: plane(32), body: disk, flow: named("rider-kothe", 2), cfg: config("myc", "weymouth-yue", .5)}, .5, nil},
		"ei-le":          {problem{grid: plane(33), body: disk, flow: named("rider-kothe", 2), cfg: config("elvira", "ei-le", .9)}, .5, nil},
		"lvira":          {problem{grid: plane(32), body: disk, flow: named("rider-kothe", 2), cfg: config("lvira", "weymouth-yue", .5)}, .1, nil},
		"heights":        {problem{grid: plane(40), body: disk, flow: named("rider-kothe", 2), cfg: config("height", "weymouth-yue", .5)}, .3, nil},
		"periodic":       {problem{grid: periodic, body: disk, flow: crossing, cfg: config("youngs", "weymouth-yue", .5)}, .6, nil},
		"single":         {problem{grid: plane(32), body: disk, flow: named("rider-kothe", 2), cfg: config("myc", "ei-le", .9), precision: "float32"}, .5, nil},
		"enright":        {problem{grid: space(18), body: ball, flow: named("enright", 3), cfg: config("myc", "weymouth-yue", .5)}, .3, [][3]int{{2, 2, 1}, {1, 2, 3}, {2, 2, 2}}},
		"space":          {problem{grid: long, body: ball, flow: crossing, cfg: config("elvira", "weymouth-yue", .5)}, .5, [][3]int{{3, 1, 2}, {2, 1, 4}}},
		"space, heights": {problem{grid: long, body: ball, flow: crossing, cfg: config("height", "weymouth-yue", .5)}, .1, [][3]int{{2, 2, 1}, {3, 1, 2}, {2, 2, 2}}},
		"space, youngs":  {problem{grid: long, body: ball, flow: crossing, cfg: config("youngs", "weymouth-yue", .5), precision: "float32"}, .3, [][3]int{{1, 3, 1}, {2, 1, 2}}},
		"space, lvira":   {problem{grid: space(12), body: ball, flow: named("shear", 3), cfg: config("lvira", "weymouth-yue", .5)}, .1, [][3]int{{1, 3, 1}}},
	} {
		want, hash, err := c.until(c.end)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.parts == nil {
			c.parts = [][3]int{{2, 1, 1}, {1, 3, 1}, {2, 2, 1}, {3, 2, 1}, {2, 4, 1}, {8, 1, 1}}
		}
		for n, parts := range c.parts {
			if c.cfg.Normal == "height" && parts[0] == 8 {
				continue // blocks of five cells
			}
			p := c.problem
			p.parts, p.threads = parts, 1+n%3
			got, other, err := p.until(c.end)
			if err != nil {
				t.Fatalf("%s, %v: %v", name, parts, err)
			}
			if other != hash || got != want {
				t.Errorf("%s, %v: state %.8s, want %.8s\n%+v, want\n%+v", name, parts, other, hash, got, want)
			}
		}
	}
}

// TestVolumeAndBoundsAreKept by both schemes with any normal: at a CFL number of exactly 1/2, in cells that are no cubes,
// with nothing clipped.
func TestVolumeAndBoundsAreKept(t *testing.T) {
	flat := plane(32)
	flat.N = [3]int{40, 24, 1}
	for _, normal := range Normals {
		for _, p := range []problem{
			{grid: flat, body: shape.Ball(.5, .75, 0, .15), flow: named("rider-kothe", 4), cfg: config(normal, "weymouth-yue", .5)},
			{grid: flat, body: shape.Ball(.5, .75, 0, .15), flow: named("rider-kothe", 4), cfg: config(normal, "ei-le", .99)},
			{grid: space(16), body: shape.Ball(.35, .35, .35, .15), flow: named("enright", 3), cfg: config(normal, "weymouth-yue", .5)},
		} {
			end := 4.
			if p.grid.Dim == 3 {
				end = .5
			}
			d, _, err := p.until(end)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(d.VolumeDrift) > 1e-13 || d.BoundExcess > 1e-12 || d.MixedCells == 0 || d.DivergenceMax > 1e-12 {
				t.Errorf("%s, %s in %d dimensions: drift %g, excess %g, divergence %g", normal, p.cfg.Advect, p.grid.Dim, d.VolumeDrift,
					d.BoundExcess, d.DivergenceMax)
			}
			if p.cfg.Advect == "weymouth-yue" && (d.CFLSum > .5 || d.CFLSum < .4) {
				t.Errorf("%s: CFL %v", normal, d.CFLSum)
			}
		}
	}
}

// TestRestIsExact: faces at exactly zero speed pass nothing, and a full box stays full to the last bit.
func TestRestIsExact(t *testing.T) {
	full := shape.Complement(shape.Ball(9, 9, 9, 1))
	for name, p := range map[string]problem{
		"still":       {grid: plane(16), body: shape.Ball(.5, .5, 0, .25), flow: still, cfg: config("myc", "weymouth-yue", .5)},
		"still ei-le": {grid: plane(16), body: shape.Ball(.5, .5, 0, .25), flow: still, cfg: config("elvira", "ei-le", .9)},
		"full":        {grid: plane(16), body: full, flow: named("rider-kothe", 0), cfg: config("myc", "weymouth-yue", .5)},
		"full ei-le":  {grid: plane(16), body: full, flow: named("rider-kothe", 0), cfg: config("elvira", "ei-le", .9)},
		"full space":  {grid: space(12), body: full, flow: named("enright", 0), cfg: config("myc", "weymouth-yue", .5)},
	} {
		_, before, err := p.until(0)
		if err != nil {
			t.Fatal(err)
		}
		if d, after, err := p.until(.2); err != nil || after != before || d.L1Error != 0 {
			t.Errorf("%s: the fluid changed by %g, error %v", name, d.L1Error, err)
		}
	}
}

// TestDiskComesBack through a periodic boundary, at a CFL number of exactly 1/2.
func TestDiskComesBack(t *testing.T) {
	g := plane(20)
	g.Periodic = [3]bool{true, true}
	p := problem{grid: g, body: shape.Ball(.4, .6, 0, .23), cfg: config("elvira", "weymouth-yue", .5),
		flow: func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(1, 0, 0), nil }}
	d, _, err := p.until(1)
	if err != nil {
		t.Fatal(err)
	}
	if d.RelError > .02 || math.Abs(d.InterfaceSize/(2*math.Pi*.23)-1) > .01 || math.Abs(d.Volume/(math.Pi*.23*.23)-1) > 1e-4 {
		t.Errorf("error %g, interface %g, volume %g", d.RelError, d.InterfaceSize, d.Volume)
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	for _, p := range []problem{
		{grid: plane(24), body: shape.Ball(.5, .75, 0, .15), flow: named("rider-kothe", 4), cfg: config("lvira", "weymouth-yue", .5)},
		{grid: space(12), body: shape.Ball(.35, .35, .35, .15), flow: named("enright", 3), cfg: config("myc", "weymouth-yue", .5)},
	} {
		err := p.run(func(_ int, s Solver) error {
			n := testing.AllocsPerRun(10, func() {
				if _, err := s.Step(ctx, 100); err != nil {
					t.Error(err)
				}
			})
			if n != 0 {
				t.Errorf("%v allocations a step", n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestFields(t *testing.T) {
	p := problem{grid: plane(16), body: shape.Ball(.5, .5, 0, .25), flow: named("rider-kothe", 4), cfg: config("elvira", "weymouth-yue", .5)}
	err := p.run(func(_ int, s Solver) error {
		var all [5][]float64
		for k, name := range Fields[:5] {
			var err error
			if all[k], err = s.Field(ctx, name); err != nil {
				return err
			}
		}
		for c, f := range all[0] {
			x, y := (float64(c%16)+.5)/16-.5, (float64(c/16)+.5)/16-.5
			r := math.Hypot(x, y)
			if f > 0 && f < 1 && math.Hypot(all[1][c]-x/r, all[2][c]-y/r) > .2 {
				return fmt.Errorf("cell %d: normal (%v, %v) at (%v, %v)", c, all[1][c], all[2][c], x, y)
			}
			if a := kernels.Area(all[1][c]/16, all[2][c]/16, all[4][c]); f > 0 && f < 1 && math.Abs(a-f) > 1e-13 {
				return fmt.Errorf("cell %d: n·x ≤ %v is %v of it, want %v", c, all[4][c], a, f)
			}
		}
		if _, err := s.Field(ctx, "pressure"); err == nil {
			return errors.New("a field that there is not")
		}
		_, err := s.Step(ctx, 0)
		if err == nil {
			return errors.New("a step to the present")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatCannotBeRun(t *testing.T) {
	ok := problem{grid: plane(16), body: shape.Ball(.5, .5, 0, .25), flow: named("rider-kothe", 4), cfg: config("myc", "weymouth-yue", .5)}
	for want, change := range map[string]func(p *problem){
		"normal \"best\"":         func(p *problem) { p.cfg.Normal = "best" },
		"advection \"none\"":      func(p *problem) { p.cfg.Advect = "none" },
		"at most 0.5":             func(p *problem) { p.cfg.CFL = .6 },
		"more than 0":             func(p *problem) { p.cfg.CFL = math.NaN() },
		"in the plane only":       func(p *problem) { p.grid, p.flow, p.cfg.Advect = space(8), named("enright", 3), "ei-le" },
		"exchange \"never\"":      func(p *problem) { p.cfg.Exchange = "never" },
		"halo \"post\"":           func(p *problem) { p.cfg.Halo = "post" },
		"has no links":            func(p *problem) { p.cfg.Halo, p.parts = "nccl", [3]int{2, 1, 1} },
		"sweep \"zigzag\"":        func(p *problem) { p.cfg.Sweep = "zigzag" },
		"tiles are for the plane": func(p *problem) { p.grid, p.flow, p.cfg.Sweep = space(8), named("enright", 3), "tiles" },
		"heights reach too far":   func(p *problem) { p.cfg.Normal, p.cfg.Sweep = "height", "tiles" },
		"tiles need exchange":     func(p *problem) { p.cfg.Exchange, p.cfg.Sweep, p.parts = "sweep", "tiles", [3]int{2, 1, 1} },
		"precision \"half\"":      func(p *problem) { p.precision = "half" },
		"fewer than the 3 layers": func(p *problem) { p.parts = [3]int{16, 1, 1} },
		"the velocity along axis 1": func(p *problem) {
			p.flow = func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(0, math.NaN(), 0), nil }
		},
	} {
		p := ok
		change(&p)
		if err := p.run(func(int, Solver) error { return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}
