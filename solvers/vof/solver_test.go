package vof

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// TestVolumeAndBoundsAreKept proves that both schemes conserve volume and bounds with any normal, at a CFL number of
// exactly 1/2 and in cells that are not cubes, without clipping.
func TestVolumeAndBoundsAreKept(t *testing.T) {
	flat := plane(32)
	flat.N = [3]int{40, 24, 1}
	for _, normal := range Normals {
		for _, p := range []problem{
			{grid: flat, body: shape.Ball(.5, .75, 0, .15), flow: namedFlow("rider-kothe", 4),
				cfg: config(normal, "weymouth-yue", .5)},
			{grid: flat, body: shape.Ball(.5, .75, 0, .15), flow: namedFlow("rider-kothe", 4),
				cfg: config(normal, "ei-le", .99)},
			{grid: space(16), body: shape.Ball(.35, .35, .35, .15), flow: namedFlow("enright", 3),
				cfg: config(normal, "weymouth-yue", .5)},
		} {
			end := 4.
			if p.grid.Dim == 3 {
				end = .5
			}
			d, _, err := p.runUntil(end)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(d.VolumeDrift) > 1e-13 || d.BoundExcess > 1e-12 || d.MixedCells == 0 || d.DivergenceMax > 1e-12 {
				t.Errorf("%s, %s in %d dimensions: drift %g, excess %g, divergence %g", normal, p.cfg.Advect, p.grid.Dim,
					d.VolumeDrift, d.BoundExcess, d.DivergenceMax)
			}
			if p.cfg.Advect == "weymouth-yue" && (d.CFLSum > .5 || d.CFLSum < .4) {
				t.Errorf("%s: CFL %v", normal, d.CFLSum)
			}
		}
	}
}

// TestRestIsExact proves that there is no flux through faces at rest, and that a full box stays full to the last bit.
func TestRestIsExact(t *testing.T) {
	full := shape.Complement(shape.Ball(9, 9, 9, 1))
	for name, p := range map[string]problem{
		"still": {grid: plane(16), body: shape.Ball(.5, .5, 0, .25), flow: still,
			cfg: config("myc", "weymouth-yue", .5)},
		"still ei-le": {grid: plane(16), body: shape.Ball(.5, .5, 0, .25), flow: still, cfg: config("elvira", "ei-le", .9)},
		"full": {grid: plane(16), body: full, flow: namedFlow("rider-kothe", 0),
			cfg: config("myc", "weymouth-yue", .5)},
		"full ei-le": {grid: plane(16), body: full, flow: namedFlow("rider-kothe", 0), cfg: config("elvira", "ei-le", .9)},
		"full space": {grid: space(12), body: full, flow: namedFlow("enright", 0), cfg: config("myc", "weymouth-yue", .5)},
	} {
		_, before, err := p.runUntil(0)
		if err != nil {
			t.Fatal(err)
		}
		if d, after, err := p.runUntil(.2); err != nil || after != before || d.L1Error != 0 {
			t.Errorf("%s: the fluid changed by %g, error %v", name, d.L1Error, err)
		}
	}
}

// TestDiskComesBack moves a disk across a periodic boundary, at a CFL number of exactly 1/2.
func TestDiskComesBack(t *testing.T) {
	g := plane(20)
	g.Periodic = [3]bool{true, true}
	p := problem{grid: g, body: shape.Ball(.4, .6, 0, .23), cfg: config("elvira", "weymouth-yue", .5),
		flow: func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(1, 0, 0), nil }}
	d, _, err := p.runUntil(1)
	if err != nil {
		t.Fatal(err)
	}
	if d.RelError > .02 || math.Abs(d.InterfaceSize/(2*math.Pi*.23)-1) > .01 ||
		math.Abs(d.Volume/(math.Pi*.23*.23)-1) > 1e-4 {
		t.Errorf("error %g, interface %g, volume %g", d.RelError, d.InterfaceSize, d.Volume)
	}
}

func TestFields(t *testing.T) {
	p := problem{grid: plane(16), body: shape.Ball(.5, .5, 0, .25), flow: namedFlow("rider-kothe", 4),
		cfg: config("elvira", "weymouth-yue", .5)}
	err := p.run(func(_ int, s Solver) error {
		var all [5][]float64
		for k, name := range numbers[:5] {
			var err error
			if all[k], err = s.values(ctx, name); err != nil {
				return err
			}
		}
		for c, f := range all[0] {
			x, y := (float64(c%16)+.5)/16-.5, (float64(c/16)+.5)/16-.5
			r := math.Hypot(x, y)
			if f > 0 && f < 1 && math.Hypot(all[1][c]-x/r, all[2][c]-y/r) > .2 {
				return fmt.Errorf("cell %d: normal (%v, %v) at (%v, %v)", c, all[1][c], all[2][c], x, y)
			}
			if a := geom.Area(all[1][c]/16, all[2][c]/16, all[4][c]); f > 0 && f < 1 && math.Abs(a-f) > 1e-13 {
				return fmt.Errorf("cell %d: n·x ≤ %v is %v of it, want %v", c, all[4][c], a, f)
			}
		}
		if _, err := s.values(ctx, "pressure"); err == nil {
			return errors.New("an unknown field was accepted")
		}
		err := s.Step(ctx, 0)
		if err == nil {
			return errors.New("a step to the current time was accepted")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRefusedConfigurations(t *testing.T) {
	ok := problem{grid: plane(16), body: shape.Ball(.5, .5, 0, .25), flow: namedFlow("rider-kothe", 4),
		cfg: config("myc", "weymouth-yue", .5)}
	for want, change := range map[string]func(p *problem){
		"normal \"best\"":    func(p *problem) { p.cfg.Normal = "best" },
		"advection \"none\"": func(p *problem) { p.cfg.Advect = "none" },
		"at most 0.5":        func(p *problem) { p.cfg.CFL = .6 },
		"above 0":            func(p *problem) { p.cfg.CFL = math.NaN() },
		"in the plane only": func(p *problem) {
			p.grid, p.flow, p.cfg.Advect = space(8), namedFlow("enright", 3), "ei-le"
		},
		"exchange \"never\"": func(p *problem) { p.cfg.Exchange = "never" },
		"halo \"post\"":      func(p *problem) { p.halo = "post" },
		"communicator":       func(p *problem) { p.halo, p.parts = "nccl", [3]int{2, 1, 1} },
		"sweep \"zigzag\"":   func(p *problem) { p.cfg.Sweep = "zigzag" },
		"tiles are for the plane": func(p *problem) {
			p.grid, p.flow, p.cfg.Sweep = space(8), namedFlow("enright", 3), "tiles"
		},
		"heights reach too far": func(p *problem) { p.cfg.Normal, p.cfg.Sweep = "height", "tiles" },
		"tiles need exchange": func(p *problem) {
			p.cfg.Exchange, p.cfg.Sweep, p.parts = "sweep", "tiles",
				[3]int{2, 1, 1}
		},
		"precision \"half\"":      func(p *problem) { p.precision = "half" },
		"fewer than the 3 layers": func(p *problem) { p.parts = [3]int{16, 1, 1} },
		"the velocity along axis 1": func(p *problem) {
			p.flow = func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(0, math.NaN(), 0), nil }
		},
	} {
		p := ok
		change(&p)
		refused(t, p, want)
	}
}

func refused(t *testing.T, p problem, want string) {
	t.Helper()
	if err := p.run(func(int, Solver) error { return nil }); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one that says %q", err, want)
	}
}
