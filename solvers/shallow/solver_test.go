package shallow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/bands"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

var schemeNames = []string{"roe", "ir-roe", "pvm-ifcp"}

// TestLakeAtRestIsExact proves that water at rest does not move at all over a submerged bump, around an island and on
// a random bed, in both precisions and at both orders, also with a prescribed level.
func TestLakeAtRestIsExact(t *testing.T) {
	ctx := context.Background()
	bump := func(x, y float64) (depth, h1, h2 float64) {
		depth = 1 - .7*math.Exp(-x*x-y*y)
		return depth, 1.7, depth - .1
	}
	island := func(x, y float64) (depth, h1, h2 float64) {
		depth = 1 - 2*math.Exp(-x*x-y*y)
		h2 = math.Max(0, depth-.3)
		return depth, math.Max(0, .2-math.Max(-.3, -depth)), h2
	}
	rough := rand.New(rand.NewPCG(3, 4))
	rocks := func(x, y float64) (depth, h1, h2 float64) {
		depth = 1 - 2*math.Exp(-x*x-y*y) - .6*rough.Float64()
		h2 = math.Max(0, depth-.3)
		return depth, math.Max(0, .2-math.Max(-.3, -depth)), h2
	}
	pool := func(x, y float64) (depth, h1, h2 float64) {
		depth, h1, h2 = rocks(x, y)
		return depth, 0, h1 + h2
	}
	for name, water := range map[string]initialWater{"bump": bump, "island": island, "rocks": rocks, "one layer": pool} {
		for _, cfg := range configs() {
			if name == "one layer" {
				at := series.Constant(.2)
				tide := []series.Row{{T: 0, Value: .2}, {T: 1e9, Value: .2}}
				cfg.Given = []*Given{{Kind: "level", Value: at}, {Kind: "radiation", Value: at}, nil, {Kind: "level", Value: tide}}
			}
			for _, precision := range []string{"float64", "float32"} {
				err := onRanks(t, 1, 1800, precision, cfg, water, func(_ dist.Comm, _ *mesh.Part, s *Solver) error {
					before, err := s.Hash(ctx)
					if err != nil {
						return err
					}
					for s.Steps() < 100 {
						if _, err := s.Step(ctx, math.Inf(1)); err != nil {
							return err
						}
					}
					if after, err := s.Hash(ctx); err != nil || after != before {
						t.Errorf("%s, %s of order %d, %s: the water moved (%v)", name, cfg.Scheme, cfg.Order, precision, err)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestStagesAreTheKernels proves that loops of flux kernels, which vector code executes in parts, give the same bits as
// calls of the kernel functions.
func TestStagesAreTheKernels(t *testing.T) {
	for _, cfg := range configs() {
		err := onRanks(t, 1, 800, "float64", cfg, dam, func(_ dist.Comm, _ *mesh.Part, s *Solver) error {
			for s.Steps() < 20 {
				if _, err := s.Step(context.Background(), math.Inf(1)); err != nil {
					return err
				}
			}
			of := s.Model().(*solver[float64])
			a, now := &of.arrays, of.now()
			a.counters.Data[0] = kernels.Counters{}
			a.mesh.FluxAt = bands.Extend(nil, len(a.mesh.EdgeCells)) // all are kept
			if cfg.Order == 2 {
				a.mesh.SlopesAt = bands.Extend(nil, len(a.mesh.Beds))
			}
			w := a.state[now.from()].Data
			var flux backend.Loop
			if cfg.Order == 2 {
				loops := of.steps.stageLoops(now, of.steps.equalStep(), false, w, a.middle.Data)
				loops[bands.Slopes].Range(0, len(a.mesh.Stencils))
				flux = loops[bands.Flux]
			} else {
				flux = of.steps.edgeFlux(now, of.steps.equalStep())
			}
			flux.Range(0, len(a.mesh.EdgeCells))
			lower, upper := make([]kernels.Flux[float64], len(a.lower)), make([]kernels.Flux[float64], len(a.upper))
			var n kernels.Counters
			for e := range lower {
				scheme, err := schemeOf(cfg)
				if err != nil {
					return err
				}
				if cfg.Order == 2 {
					kernels.SlopedFlux(e, scheme, &a.params, &a.mesh, &a.clocks.Data[now], a.slopes.Data, lower,
						upper, &n)
				} else {
					kernels.EdgeFlux(e, scheme, &a.params, &a.mesh, &a.clocks.Data[now], w, lower, upper, &n)
				}
			}
			if !slices.Equal(lower, a.lower) || !slices.Equal(upper, a.upper) {
				t.Fatalf("%s of order %d: fluxes differ in stages", cfg.Scheme, cfg.Order)
			}
			if n != a.counters.Data[0] {
				t.Errorf("%s of order %d: counters %+v in stages, %+v whole", cfg.Scheme, cfg.Order, a.counters.Data[0], n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestMassIsKeptAndPositive(t *testing.T) {
	ctx := context.Background()
	for _, cfg := range configs() {
		scheme := fmt.Sprint(cfg.Scheme, " of order ", cfg.Order)
		cfg.Hyperbolic = true // the shear between the layers at the wall exceeds what the equations allow
		err := onRanks(t, 2, 1800, "float64", cfg, dam, func(_ dist.Comm, _ *mesh.Part, s *Solver) error {
			start, err := s.Diagnose(ctx)
			if err != nil {
				return err
			}
			for s.Steps() < 300 {
				if _, err := s.Step(ctx, math.Inf(1)); err != nil {
					return err
				}
			}
			d, err := s.Diagnose(ctx)
			if err != nil {
				return err
			}
			if math.Abs(d.Mass1/start.Mass1-1) > 1e-14 || math.Abs(d.Mass2/start.Mass2-1) > 1e-14 {
				t.Errorf("%s: masses %v %v became %v %v", scheme, start.Mass1, start.Mass2, d.Mass1, d.Mass2)
			}
			if d.H1Min < 0 || d.H2Min < 0 {
				t.Errorf("%s: thicknesses down to %g and %g", scheme, d.H1Min, d.H2Min)
			}
			if d.CFLMax > 1 {
				t.Errorf("%s: CFL number %g", scheme, d.CFLMax)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestOpenBoundaryLetsWavesOut proves that a wave leaves through open sides and is kept by walls.
func TestOpenBoundaryLetsWavesOut(t *testing.T) {
	ctx := context.Background()
	wave := func(x, y float64) (depth, h1, h2 float64) { return 1, .5 + .1*math.Exp(-x*x-y*y), .5 }
	excess := map[bool]float64{}
	for _, open := range []bool{false, true} {
		cfg := config("pvm-ifcp")
		for i := range cfg.Boundary {
			cfg.Boundary[i] = open
		}
		err := onRanks(t, 1, 1800, "float64", cfg, wave, func(_ dist.Comm, _ *mesh.Part, s *Solver) error {
			for s.Time() < 4 {
				if _, err := s.Step(ctx, 4); err != nil {
					return err
				}
			}
			d, err := s.Diagnose(ctx)
			excess[open] = d.Mass1 + d.Mass2 - 100
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if excess[true] > excess[false]/4 {
		t.Errorf("%g m³ of excess remain with walls, %g with open sides", excess[false], excess[true])
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	for _, order := range []int{1, 2} {
		cfg := config("pvm-ifcp")
		cfg.Order, cfg.Hyperbolic = order, true
		stepAllocatesNothing(t, cfg)
	}
}

func stepAllocatesNothing(t *testing.T, cfg Config) {
	const runs = 50
	err := onRanks(t, 2, 1800, "float64", cfg, dam, func(c dist.Comm, _ *mesh.Part, s *Solver) error {
		step := func() {
			if _, err := s.Step(context.Background(), math.Inf(1)); err != nil {
				panic(err)
			}
		}
		if c.Rank() == 1 {
			for range runs + 1 { // AllocsPerRun warms up with one more
				step()
			}
			return nil
		}
		if n := testing.AllocsPerRun(runs, step); n != 0 {
			t.Errorf("a step of order %d allocates %v times", cfg.Order, n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBrokenStateIsNamed proves that all ranks report the same cell if a state is not finite.
func TestBrokenStateIsNamed(t *testing.T) {
	ctx := context.Background()
	var mu sync.Mutex
	texts := map[string]bool{}
	err := onRanks(t, 3, 450, "float64", config("pvm-ifcp"), dam, func(c dist.Comm, p *mesh.Part, s *Solver) error {
		err := s.ModifyState(ctx, func(cell int, w *[6]float64) {
			if p.Global[cell] == 137 {
				w[4] = math.NaN()
			}
		})
		if err != nil {
			return err
		}
		_, err = s.Step(ctx, math.Inf(1))
		mu.Lock()
		defer mu.Unlock()
		texts[err.Error()] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) != 1 {
		t.Fatalf("ranks report different errors: %v", texts)
	}
	for text := range texts {
		for _, want := range []string{"rank ", "cell ", "step 1", "NaN"} {
			if !strings.Contains(text, want) {
				t.Errorf("error %q does not say %q", text, want)
			}
		}
	}
}

func TestImpossibleConfigurationsAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"scheme":        func(c *Config) { c.Scheme = "godunov" },
		"order":         func(c *Config) { c.Order = 3 },
		"boundary":      func(c *Config) { c.Given = []*Given{{Kind: "tide"}, nil, nil, nil} },
		"gravity":       func(c *Config) { c.Gravity = 0 },
		"density ratio": func(c *Config) { c.DensityRatio = 1.5 },
		"CFL":           func(c *Config) { c.CFL = math.NaN() },
		"entropy fix":   func(c *Config) { c.EntropyFix = -1 },
		"dry depth":     func(c *Config) { c.DryDepth = -1 },
	} {
		cfg := config("roe")
		spoil(&cfg)
		err := onRanks(t, 1, 50, "float64", cfg, dam, func(dist.Comm, *mesh.Part, *Solver) error { return nil })
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestDryDepthFitsTheWater proves that the default dry depth is 1e-6 of the mean thickness of the water, on any
// number of ranks, and at most 1e-5 m.
func TestDryDepthFitsTheWater(t *testing.T) {
	for _, deep := range []float64{.5, 100} {
		pond := func(x, _ float64) (depth, h1, h2 float64) {
			if x > 0 {
				return 0, 0, 0
			}
			return deep, 0, deep
		}
		cfg := config("pvm-ifcp")
		cfg.DryDepth = 0
		for _, ranks := range []int{1, 3} {
			err := onRanks(t, ranks, 450, "float64", cfg, pond, func(_ dist.Comm, _ *mesh.Part, s *Solver) error {
				if want := min(1e-5, 1e-6*deep); math.Abs(s.DryDepth()/want-1) > 1e-12 {
					t.Errorf("%g m of water on %d ranks: the dry depth is %g, want %g", deep, ranks, s.DryDepth(), want)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFrictionDecelerates proves that at second order a uniform flow decelerates by du/dt = -g n² u²/h^(4/3), until
// waves from the walls arrive, to the second order of the steps.
func TestFrictionDecelerates(t *testing.T) {
	const h, u0, end = 1., 2., .1
	cfg := config("pvm-ifcp")
	cfg.Order = 2
	water := func(_, _ float64) (depth, h1, h2 float64) { return h, 0, h }
	err := onRanks(t, 1, 1800, "float64", cfg, water, func(_ dist.Comm, p *mesh.Part, s *Solver) error {
		err := s.ModifyState(context.Background(), func(_ int, w *[6]float64) { w[4] = h * u0 })
		if err != nil {
			return err
		}
		for s.Time() < end {
			if _, err := s.Step(context.Background(), end); err != nil {
				return err
			}
		}
		want := u0 / (1 + end*9.81*.02*.02*u0/math.Pow(h, 4./3))
		for i := range p.Owned {
			x, _ := p.Centroid(i)
			if got := s.Value("u2", i); math.Abs(x) < .3 && math.Abs(got/want-1) > 1e-9 {
				t.Fatalf("at x = %g the flow has slowed to %v, want %v", x, got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
