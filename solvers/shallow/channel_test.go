package shallow

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/series"
)

// Channels of 10 × 10 m: the sides are left, right, bottom and top. The bed falls along x.

// channel returns a configuration of one layer with conditions on the left and the right; a nil one is open.
func channel(order int, left, right *Given) Config {
	cfg := config("pvm-ifcp")
	cfg.Order, cfg.Layers, cfg.DryDepth = order, 1, 1e-4
	cfg.Given = make([]*Given, 4)
	cfg.Boundary = make([]bool, 4)
	// The first groups of mesh.Rectangle are left and right.
	cfg.Given[0], cfg.Given[1] = left, right
	cfg.Boundary[0], cfg.Boundary[1] = left == nil, right == nil
	return cfg
}

// flowing runs a channel from a state to a time, and calls check.
func flowing(t *testing.T, precision string, cfg Config, slope, depth, speed, end float64,
	check func(p *mesh.Part, s *Solver, d Diagnostics)) {
	t.Helper()
	water := func(x, _ float64) (bed, h1, h2 float64) { return slope * x, 0, depth }
	err := onRanks(t, 1, 200, precision, cfg, water, func(_ dist.Comm, p *mesh.Part, s *Solver) error {
		ctx := context.Background()
		err := s.ModifyState(ctx, func(_ int, w *[6]float64) { w[4] = w[3] * speed })
		for err == nil && s.Time() < end {
			_, err = s.Step(ctx, end)
		}
		if err != nil {
			return err
		}
		d, err := s.Diagnose(ctx)
		check(p, s, d)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// manningOfTests is that of initialOf.
const manningOfTests = .02

// TestUniformFlowLeaves proves that uniform flow, subcritical or supercritical, passes an open outlet and one of its
// normal depth without change, and that a supercritical inflow enters with its depth.
func TestUniformFlowLeaves(t *testing.T) {
	for _, c := range []struct{ slope, q float64 }{{1e-3, 1}, {3e-3, .2}, {.05, 1}} {
		depth := math.Pow(manningOfTests*c.q/math.Sqrt(c.slope), .6)
		in := &Given{Kind: "discharge", Value: series.Constant(c.q)}
		if c.q/depth > math.Sqrt(9.81*depth) {
			in.Depth = series.Constant(depth)
		}
		for name, out := range map[string]*Given{"open": nil, "normal": {Kind: "normal", Value: series.Constant(c.slope)}} {
			if in.Depth != nil && name == "normal" {
				continue // it has no effect on supercritical outflow
			}
			for _, precision := range []string{"float64", "float32"} {
				cfg := channel(2, in, out)
				flowing(t, precision, cfg, c.slope, depth, c.q/depth, 20,
					func(p *mesh.Part, s *Solver, _ Diagnostics) {
						for i := range p.Owned {
							x, y := p.Centroid(i)
							tolerance := 8e-3
							if x < 0 { // where the reconstruction lacks neighbours at the inflow
								tolerance = .06
							}
							if h := s.Value("h2", i); math.Abs(h/depth-1) > tolerance {
								t.Errorf("%+v, %s, %s: h is %g at (%g, %g), want %g", c, name, precision, h, x, y, depth)
								return
							}
						}
					})
			}
		}
	}
}

// TestLowLevelsDrawNoMore proves that every level below the critical depth has the bits of critical outflow, and that
// the outflow does not fall with the level.
func TestLowLevelsDrawNoMore(t *testing.T) {
	for order := 1; order <= 2; order++ {
		in := &Given{Kind: "discharge", Value: series.Constant(1.5)}
		run := func(out *Given) (hash string, mass float64) {
			flowing(t, "float64", channel(order, in, out), 0, .8, 0, 20,
				func(_ *mesh.Part, s *Solver, d Diagnostics) {
					hash, _ = s.Hash(context.Background())
					mass = d.Mass2
				})
			return hash, mass
		}
		want, least := run(&Given{Kind: "critical"})
		for _, level := range []float64{-3, 0, 1e-3, .1, .3} {
			if got, _ := run(&Given{Kind: "level", Value: series.Constant(level)}); got != want {
				t.Errorf("order %d, level %g: not the bits of critical outflow", order, level)
			}
		}
		for _, level := range []float64{.7, .9, 1.2} {
			_, mass := run(&Given{Kind: "level", Value: series.Constant(level)})
			if mass <= least {
				t.Errorf("order %d, level %g: %g m³, with a lower level %g", order, level, mass, least)
			}
			least = mass
		}
	}
}

// TestRatingCurve proves that the outflow of a group has the discharge that its curve gives for the level.
func TestRatingCurve(t *testing.T) {
	curve := []series.Row{{T: -1, Value: 0}, {T: 0, Value: 1}, {T: 1, Value: 6}, {T: 2, Value: 20}}
	in := &Given{Kind: "inflow", Value: series.Constant(6)}
	for order := 1; order <= 2; order++ {
		flowing(t, "float64", channel(order, in, &Given{Kind: "rating", Curve: curve}), 0, .9, 0, 200,
			func(p *mesh.Part, s *Solver, d Diagnostics) {
				level := 0.0
				for i := range p.Owned {
					level += s.Value("z2", i) / float64(p.Owned)
				}
				if math.Abs(level-1) > .01 {
					t.Errorf("order %d: level %g, want that of 6 m³/s, 1", order, level)
				}
				if got := d.Sources[0].Volume2; math.Abs(got-1200) > 1e-9 {
					t.Errorf("order %d: %g m³ came in, want 1200", order, got)
				}
			})
	}
}

// TestInflowIsDistributed proves that the discharge of a group enters exactly over dry ground, and that the state has
// the same bits on any number of ranks, with lagged steps too.
func TestInflowIsDistributed(t *testing.T) {
	rows := []series.Row{{T: 0, Value: 0}, {T: 2, Value: 8}, {T: 2.1, Value: 2}, {T: 9, Value: 2}}
	want := 2*8/2. + .1*5 + 1.9*2
	step := func(x, y float64) (depth, h1, h2 float64) {
		if y > 2 {
			return .01*x - .5, 0, 0
		}
		return .01 * x, 0, 0
	}
	for _, c := range []struct {
		order     int
		lag       bool
		precision string
	}{{1, false, "float64"}, {2, false, "float32"}, {2, true, "float64"}} {
		order, lag, precision := c.order, c.lag, c.precision
		var first string
		for _, ranks := range []int{1, 3, 7} {
			cfg := channel(order, &Given{Kind: "inflow", Value: rows}, nil)
			cfg.Lag = lag
			err := onRanks(t, ranks, 200, precision, cfg, step, func(c dist.Comm, p *mesh.Part, s *Solver) error {
				ctx := context.Background()
				for s.Time() < 4 {
					if _, err := s.Step(ctx, 4); err != nil {
						return err
					}
				}
				d, err := s.Diagnose(ctx)
				if err != nil {
					return err
				}
				hash, err := s.Hash(ctx)
				if c.Rank() != 0 {
					return err
				}
				came := d.Sources[slices.IndexFunc(d.Sources, func(s Source) bool { return s.Name == "left" })].Volume2
				tolerance := map[string]float64{"float64": 1e-12, "float32": 1e-5}[precision]
				if math.Abs(came-want) > tolerance*want {
					t.Errorf("order %d, %s: %g m³ came in, want %g", order, precision, came, want)
				}
				if first == "" {
					first = hash
				}
				if hash != first {
					t.Errorf("order %d, %s, lag %v: the state on %d ranks differs", order, precision, lag, ranks)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRefusedConditions proves that conditions that cannot work are refused when the solver is made.
func TestRefusedConditions(t *testing.T) {
	flat := func(_, _ float64) (depth, h1, h2 float64) { return 1, 0, 1 }
	for want, given := range map[string]*Given{
		`boundary "weir" is not known`:       {Kind: "weir"},
		"a level has no value":               {Kind: "level"},
		"the slope of uniform flow is -0.01": {Kind: "normal", Value: series.Constant(-.01)},
		"a rating curve has 1 rows":          {Kind: "rating", Curve: []series.Row{{T: 1, Value: 1}}},
	} {
		err := onRanks(t, 1, 50, "float64", channel(2, nil, given), flat,
			func(dist.Comm, *mesh.Part, *Solver) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v does not say %q", given, err, want)
		}
	}
}
