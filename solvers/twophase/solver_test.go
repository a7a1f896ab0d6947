package twophase

import (
	"context"
	"math"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/ghosts"
	"github.com/atoll-hpc/atoll/solvers/twophase/solid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// trial is a flow on one rank.
type trial struct {
	dim      int
	lo, hi   [3]float64
	n        [3]int
	periodic [3]bool
	body     string
	cfg      Config
	velocity func(x, y, z float64, d int) (float64, error)
	inBody   func(x, y, z float64, d int) (float64, error)
}

// fluidsOf are the defaults of trials.
func fluidsOf(rho1, rho2, mu1, mu2, sigma float64) Config {
	c := Config{Density: [2]float64{rho1, rho2}, Viscosity: [2]float64{mu1, mu2}, Tension: sigma, CFL: .4, Tolerance: 1e-6,
		ViscousTolerance: 1e-7, Normal: "mixed"}
	for d := range c.Sides {
		for side := range c.Sides[d] {
			c.Sides[d][side].Kind = Slip
		}
	}
	return c
}

func (q *trial) start(t *testing.T) (*solver[float64], *engine.Engine) {
	t.Helper()
	dev := cpu.New(2)
	t.Cleanup(dev.Close)
	env := solvers.Env{Comm: local.New(1)[0], Device: dev}
	section := &config.Grid{Dim: q.dim, Lo: q.lo, Hi: q.hi, Cells: q.n, Periodic: q.periodic}
	c := &config.Case{}
	b, err := domain.Cut(section, Ghosts, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	at := Setting{Block: b, Velocity: q.velocity, Body: q.inBody, Size: b.Size(c, 0, "float64", ""),
		Fractions: make([]float64, b.Cells())}
	if q.body != "" {
		body, failed, err := shape.Parse(q.body, q.dim, nil)
		if err == nil {
			at.Fractions, err = shape.Fill(context.Background(), b.Block, body, -1, true)
		}
		if err == nil {
			err = failed()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	e, err := New(context.Background(), env, "float64", q.cfg, at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e.Model().(*solver[float64]), e
}

func advance(t *testing.T, e *engine.Engine, until float64) {
	t.Helper()
	for e.Clock().Time < until {
		if _, err := e.Advance(t.Context(), until, 0, 1<<30); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *solver[F]) quantity(t *testing.T, name string) float64 {
	t.Helper()
	q, err := s.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range q {
		if v.Name == name {
			return v.Value
		}
	}
	t.Fatal(name)
	return math.NaN()
}

// TestTaylorGreen: the decay of vortices of one fluid is the exact one; the error is of first order at most, since
// viscosity is implicit. Its parts have different signs.
func TestTaylorGreen(t *testing.T) {
	for _, n := range []int{16, 32, 64} {
		q := trial{dim: 2, hi: [3]float64{2 * math.Pi, 2 * math.Pi}, n: [3]int{n, n, 1}, periodic: [3]bool{true, true},
			cfg: fluidsOf(1, 1, .1, .1, 0), velocity: func(x, y, _ float64, d int) (float64, error) {
				if d == 0 {
					return math.Sin(x) * math.Cos(y), nil
				}
				return -math.Cos(x) * math.Sin(y), nil
			}}
		q.cfg.MaxStep = 2 / float64(n)
		s, e := q.start(t)
		before := s.quantity(t, "kinetic_energy")
		// The energy falls by 4ν times itself.
		if rate := s.quantity(t, "dissipation") / before; math.Abs(rate/.4-1) > 8/float64(n*n) {
			t.Errorf("%d² cells: %g of the energy is dissipated in a second, want 0.4", n, rate)
		}
		advance(t, e, 1)
		failure := math.Abs(s.quantity(t, "kinetic_energy")/before - math.Exp(-.4))
		t.Logf("%d² cells: error %.2e in %d steps", n, failure, e.Clock().Steps)
		if failure > .12/float64(n) {
			t.Errorf("%d² cells: the energy's error is %g", n, failure)
		}
	}
}

// TestRisingBubble: case 1 of Hysing et al. (Int. J. Numer. Meth. Fluids 60, 2009) on a coarse grid: the centre at t =
// 3 is 1.081, the largest velocity .2417 at t = .921.
func TestRisingBubble(t *testing.T) {
	q := trial{dim: 2, hi: [3]float64{1, 2}, n: [3]int{20, 40, 1}, body: "circle(0.5, 0.5, 0.25)",
		cfg: fluidsOf(100, 1000, 1, 10, 24.5)}
	q.cfg.Gravity[1] = -.98
	q.cfg.Sides[1][0].Kind, q.cfg.Sides[1][1].Kind = NoSlip, NoSlip
	s, e := q.start(t)
	before, fastest, at := s.firstVolume(), 0.0, 0.0
	for e.Clock().Time < 3 {
		if _, err := e.Advance(t.Context(), 3, 0, 1); err != nil {
			t.Fatal(err)
		}
		if v := s.quantity(t, "mean_v"); v > fastest {
			fastest, at = v, e.Clock().Time
		}
	}
	centre, drift := s.quantity(t, "centre_y"), s.firstVolume()/before-1
	t.Logf("centre %.4f, velocity %.4f at %.3f, volume drift %.1e, iterations %+v %+v", centre, fastest, at, drift,
		s.pressureCount, s.viscousCount)
	if math.Abs(centre-1.0813) > .008 || math.Abs(fastest-.2417) > .002 || math.Abs(at-.921) > .03 ||
		math.Abs(drift) > 1e-6 {
		t.Errorf("centre %g, velocity %g at %g, volume drift %g", centre, fastest, at, drift)
	}
}

func (s *solver[F]) firstVolume() (v float64) {
	for c := range s.block.OwnedIndices() {
		v += float64(s.f[0].Data[c])
	}
	return v
}

// momentum is that along x, per volume of a cell.
func (s *solver[F]) momentum() (sum float64) {
	for c := range s.block.OwnedIndices() {
		density := s.cfg.densityOf(float64(s.f[0].Data[c])) + s.cfg.densityOf(float64(s.f[0].Data[c-1]))
		sum += density / 2 * float64(s.u[0].Data[c])
	}
	return sum
}

// TestDenseDropIsCarried: a drop a thousand to a thousand million times as dense as the fluid around it crosses the
// periodic grid: it keeps momentum and energy, and its shape.
func TestDenseDropIsCarried(t *testing.T) {
	for _, c := range []struct {
		ratio, tolerance float64
		to               [3]float64
		dim              int
	}{{1e3, 1e-9, [3]float64{1}, 2}, {1e6, 1e-9, [3]float64{1, 1}, 2}, {1e9, 1e-10, [3]float64{1, 0}, 2},
		{1e3, 1e-9, [3]float64{1, 0, 1}, 3}} {
		q := trial{dim: c.dim, hi: [3]float64{1, 1}, n: [3]int{32, 32, 1}, periodic: [3]bool{true, true},
			body: "circle(0.5, 0.5, 0.2)", cfg: fluidsOf(1, 1/c.ratio, 0, 0, 0),
			inBody: func(_, _, _ float64, d int) (float64, error) { return c.to[d], nil }}
		end := 1.0
		if c.dim == 3 {
			q.n, q.body, end = [3]int{16, 16, 16}, "sphere(0.5, 0.5, 0.5, 0.3)", .25
			q.hi[2], q.periodic[2] = 1, true
		}
		q.cfg.Tolerance = c.tolerance
		s, e := q.start(t)
		momentum, energy, start := s.momentum(), s.quantity(t, "kinetic_energy"), slices.Clone(s.f[0].Data)
		advance(t, e, end)
		change, volume := 0.0, s.firstVolume()
		for i := range s.block.OwnedIndices() {
			change += math.Abs(s.f[0].Data[i] - start[i])
		}
		lost, kept := s.momentum()/momentum-1, s.quantity(t, "kinetic_energy")/energy
		t.Logf("ratio %g toward %v: shape %.4f, momentum %.1e, energy %.6f", c.ratio, c.to, change/volume, lost, kept)
		if c.dim == 2 && change/volume > .04 || math.Abs(lost) > 1e-9 || math.Abs(kept-1) > .02 {
			t.Errorf("ratio %g toward %v: shape changes by %g, momentum by %g, energy %g", c.ratio, c.to, change/volume,
				lost, kept)
		}
	}
}

// TestStaticDrop: a quarter of a drop in the plane and an eighth of one in space come to rest: spurious currents
// vanish, since surface tension and pressure balance on the faces, and the curvature restores waves of any length.
func TestStaticDrop(t *testing.T) {
	const d, tension, laplace, ratio = .4, 1.0, 120., 1000.
	viscosity := math.Sqrt(d * tension / laplace)
	scale, period := math.Sqrt(tension/d), d*d/viscosity
	for _, c := range []struct {
		dim, cells                        int
		tolerance, viscousTolerance, most float64
		time                              float64 // in units of d²/ν
	}{{2, 16, 1e-11, 1e-8, 1e-9, .4}, {3, 12, 1e-6, 1e-5, 1e-4, .2}, {3, 16, 1e-6, 1e-5, 3e-4, .1}} {
		q := trial{dim: c.dim, hi: [3]float64{.5, .5, .5 * float64(c.dim-2)}, n: [3]int{c.cells, c.cells, c.cells},
			body: map[int]string{2: "circle(0, 0, 0.2)", 3: "sphere(0, 0, 0, 0.2)"}[c.dim],
			cfg:  fluidsOf(1, 1/ratio, viscosity, viscosity/100, tension)}
		if c.dim == 2 {
			q.n[2] = 1
		}
		q.cfg.Tolerance, q.cfg.ViscousTolerance = c.tolerance, c.viscousTolerance
		s, e := q.start(t)
		advance(t, e, c.time*period)
		v := s.quantity(t, "largest_speed") / scale
		t.Logf("%d dimensions, D/h = %.1f: %.2e of the capillary velocity in %d steps", c.dim, d/.5*float64(c.cells), v,
			e.Clock().Steps)
		if v > c.most {
			t.Errorf("%d dimensions, D/h = %.1f: the currents are %g of the capillary velocity", c.dim,
				d/.5*float64(c.cells), v)
		}
	}
}

// TestSolidsKeepFluidOut: water that falls on a body leaves no fluid in it, and loses none: without inflow its volume
// changes as much as the projection's tolerance allows.
func TestSolidsKeepFluidOut(t *testing.T) {
	ball := func(x, y, z float64) float64 { return math.Hypot(math.Hypot(x-.52, y-.3), z) - .17 }
	step := func(x, y, _ float64) float64 { return max(x-.3, y-.2) }
	for _, c := range []struct {
		dim    int
		n      [3]int
		solid  solid.Solid
		body   string
		normal string
	}{
		{2, [3]int{32, 32, 1}, solid.Solid{Phi: ball, Slope: 1}, "box(0.2, 0.4, 0.7, 0.9)", "mixed"},
		{2, [3]int{32, 32, 1}, solid.Solid{Phi: ball, Slope: 0}, "x + y - 1", "elvira"},
		{2, [3]int{25, 25, 1}, solid.Solid{Phi: step, Slope: 1}, "box(0.1, 0.1, 0.6, 0.9)", "lvira"},
		{3, [3]int{14, 14, 14}, solid.Solid{Phi: ball, Slope: 1}, "y - 0.55", "mixed"},
		{3, [3]int{14, 14, 14}, solid.Solid{Phi: step, Slope: 1}, "sphere(0.2, 0.6, 0.5, 0.3)", "mixed"},
	} {
		q := trial{dim: c.dim, hi: [3]float64{1, 1, float64(c.dim - 2)}, n: c.n, body: c.body,
			cfg: fluidsOf(1000, 1, 1e-2, 1e-4, .07)}
		q.cfg.Gravity[1], q.cfg.Tolerance, q.cfg.Normal, q.cfg.Solid = -9.81, 1e-10, c.normal, &c.solid
		s, e := q.start(t)
		before := s.firstVolume()
		advance(t, e, .1)
		solid, closed := 0, 0
		for at := range s.block.OwnedIndices() {
			if s.solids.solid[at] {
				if solid++; s.f[0].Data[at] != 0 || s.pressure.X.Data[at] != 0 {
					t.Errorf("fraction %g and pressure %g in a solid", s.f[0].Data[at], s.pressure.X.Data[at])
				}
			}
			for d := range c.dim {
				if s.solids.geometry.Shut[d][at] {
					if closed++; s.u[d].Data[at] != 0 {
						t.Errorf("velocity %g through a closed face", s.u[d].Data[at])
					}
				}
			}
		}
		drift := s.firstVolume()/before - 1
		t.Logf("%d dimensions: %d solid cells, %d closed faces, %d steps, drift %.1e, iterations %+v, %+v", c.dim, solid,
			closed, e.Clock().Steps, drift, s.pressureCount, s.viscousCount)
		if math.Abs(drift) > 1e-9 || solid == 0 || s.pressureCount.Failed+s.viscousCount.Failed > 0 {
			t.Errorf("volume drift %g, %d solid cells, %+v, %+v", drift, solid, s.pressureCount, s.viscousCount)
		}
	}
}

// TestHydrostaticForce: water at rest lifts a box that it covers by the weight of the water that the box displaces.
func TestHydrostaticForce(t *testing.T) {
	for _, c := range []struct {
		dim  int
		n    [3]int
		want float64
	}{{2, [3]int{20, 20, 1}, 1000 * 9.81 * .3 * .2}, {3, [3]int{10, 10, 10}, 1000 * 9.81 * .3 * .2 * .4}} {
		q := trial{dim: c.dim, hi: [3]float64{1, 1, float64(c.dim - 2)}, n: c.n, body: "y - 0.8",
			cfg: fluidsOf(1000, 1, 1e-3, 1e-5, 0)}
		q.cfg.Gravity[1], q.cfg.Tolerance = -9.81, 1e-10
		q.cfg.Solid = &solid.Solid{Slope: 1, Phi: func(x, y, z float64) float64 {
			v := max(.3-x, x-.6, .2-y, y-.4)
			if c.dim == 3 {
				v = max(v, .1-z, z-.5)
			}
			return v
		}}
		s, e := q.start(t)
		advance(t, e, .01)
		if f := s.quantity(t, "solid_force_y"); math.Abs(f/c.want-1) > 1e-6 {
			t.Errorf("%d dimensions: lift %g, want %g", c.dim, f, c.want)
		}
	}
}

// TestBudgetBySide: the volume changes by what enters through each side, up to the projection's tolerance.
func TestBudgetBySide(t *testing.T) {
	for _, dim := range []int{2, 3} {
		q := trial{dim: dim, hi: [3]float64{1, .5, .25 * float64(dim-2)}, n: [3]int{24, 12, 6*(dim-2) + 3 - dim},
			body: "max(0.3 - x, x - 0.9)", cfg: fluidsOf(1000, 1, 1e-1, 1e-4, .07), velocity: func(_, _, _ float64,
				d int) (float64, error) {
				return []float64{1, .2, 0}[d], nil
			}}
		q.cfg.Tolerance = 1e-11
		q.cfg.Sides[0][0] = Side{Kind: Inflow, Velocity: [3]float64{1, .2}, Mixture: &ghosts.Given{At: func(_, y, _,
			t float64) (float64, error) {
			return min(1, y+t), nil
		}}}
		q.cfg.Sides[0][1].Kind, q.cfg.Sides[1][1].Kind = Outflow, Outflow
		q.cfg.Solid = &solid.Solid{Phi: func(x, y, z float64) float64 { return math.Hypot(x-.6, y-.2) - .1 }, Slope: 1}
		s, e := q.start(t)
		before := s.firstVolume()
		advance(t, e, .2)
		entered := 0.0
		for _, side := range []string{"x_low", "x_high", "y_low", "y_high", "z_low", "z_high"} {
			v := s.quantity(t, "entered_"+side)
			entered += v
			if through := side == "x_low" || side == "x_high" || side == "y_high"; through != (v != 0) {
				t.Errorf("%d dimensions: %g enter through %s", dim, v, side)
			}
		}
		change := (s.firstVolume() - before) * s.block.Grid.CellVolume()
		t.Logf("%d dimensions: the volume changes by %g, %g enters, %g apart", dim, change, entered, change-entered)
		if math.Abs(change-entered) > 1e-9*math.Abs(change) {
			t.Errorf("%d dimensions: the volume changes by %g, %g enters", dim, change, entered)
		}
	}
}

// TestSidesAtTimes: what sides give is that of the end of each step; a pressure that balances gravity keeps fluid at
// rest.
func TestSidesAtTimes(t *testing.T) {
	q := trial{dim: 2, hi: [3]float64{1, .5}, n: [3]int{16, 8, 1}, cfg: fluidsOf(1000, 1, 1e-3, 1e-5, 0)}
	q.cfg.Sides[0][0] = Side{Kind: Inflow, Profile: [3]*ghosts.Given{{At: func(_, y, _, t float64) (float64, error) {
		return t * (1 + y), nil
	}}, nil, nil}, Mixture: &ghosts.Given{At: func(_, _, _, t float64) (float64, error) { return min(1, 3*t), nil }}}
	q.cfg.Sides[0][1].Kind, q.cfg.MaxStep = Outflow, .01
	s, e := q.start(t)
	advance(t, e, .05)
	for j := range 8 {
		y := (float64(j) + .5) / 16
		c := s.block.Index(0, j, 0)
		if u, f := s.u[0].Data[c], s.f[0].Data[c-1]; math.Abs(u-.05*(1+y)) > 1e-14 || math.Abs(f-.15) > 1e-14 {
			t.Errorf("the velocity at y = %g is %g, the fraction %g", y, u, f)
		}
	}
	q = trial{dim: 2, hi: [3]float64{1, .5}, n: [3]int{16, 8, 1}, body: "x - 2", cfg: fluidsOf(1000, 1, 1e-3, 1e-5, 0)}
	q.cfg.Gravity[1], q.cfg.Tolerance = -10, 1e-12
	for side := range 2 {
		q.cfg.Sides[0][side] = Side{Kind: Outflow, Pressure: &ghosts.Given{Steady: true,
			At: func(_, y, _, _ float64) (float64, error) { return 1e4 * (.5 - y), nil }}}
	}
	s, e = q.start(t)
	advance(t, e, .3)
	if v := s.quantity(t, "largest_speed"); v > 1e-9 {
		t.Errorf("the fluid moves at %g m/s", v)
	}
}

// TestStandingWave: a wave of half a cell on water in a tank, without surface tension, swings with its period (Lamb,
// Hydrodynamics, §228 and §231), and the air above it no faster than the wave drives it: the pressure's gradient
// follows the surface within cells.
func TestStandingWave(t *testing.T) {
	const amplitude, k = .01, math.Pi
	root := math.Sqrt(9.81 * k * (1000 - 1.2) / (1000/math.Tanh(k*.5) + 1.2/math.Tanh(k*.25)))
	q := trial{dim: 2, hi: [3]float64{1, .75}, n: [3]int{64, 48, 1}, body: "y - 0.5 - 0.01*cos(pi*x)",
		cfg: fluidsOf(1000, 1.2, 0, 0, 0)}
	q.cfg.Gravity = [3]float64{0, -9.81}
	q.cfg.MaxStep = .02
	s, e := q.start(t)
	before, fastest := s.quantity(t, "centre_x")-.5, 0.
	for half := 1; half <= 2; half++ {
		for part := 1; part <= 8; part++ {
			advance(t, e, (float64(half-1)+float64(part)/8)*math.Pi/root)
			fastest = max(fastest, s.quantity(t, "largest_speed"))
		}
		// Half a step before the end, where the centre stands still.
		if now := (s.quantity(t, "centre_x") - .5) * math.Cos(math.Pi*float64(half)); math.Abs(now/before-1) > .01 {
			t.Errorf("after %d half periods the centre is at %g of its first distance", half, now/before)
		}
	}
	if most := amplitude * root / math.Tanh(k*.25); fastest > 2.5*most {
		t.Errorf("the fastest air has %g m/s, want about %g", fastest, most)
	}
}

// TestLookAheadInSteadyFlow: in steady flow of two layers of one density between solids, whose surfaces are within
// cells and in which the other fluid would be less viscous, forces and stress balance as the implicit step of viscosity
// finds them: the velocity does not change in half a step.
func TestLookAheadInSteadyFlow(t *testing.T) {
	for along := range 2 {
		q := trial{dim: 2, hi: [3]float64{.2, 1}, n: [3]int{4, 20, 1}, periodic: [3]bool{true, false},
			body: "y - 0.47", cfg: fluidsOf(1, 1, 1, .2, 0)}
		q.cfg.Gravity = [3]float64{1}
		q.cfg.Solid = &solid.Solid{Phi: func(_, y, _ float64) float64 { return min(y-.16, .83-y) }, Slope: 1}
		q.cfg.ViscousTolerance = 1e-9
		if along == 1 {
			q.hi, q.n, q.periodic = [3]float64{1, .2}, [3]int{20, 4, 1}, [3]bool{false, true}
			q.body = "x - 0.47"
			q.cfg.Gravity = [3]float64{0, 1}
			q.cfg.Solid.Phi = func(x, _, _ float64) float64 { return min(x-.16, .83-x) }
		}
		s, e := q.start(t)
		advance(t, e, 8)
		if err := s.Do(t.Context(), s.lookAhead); err != nil {
			t.Fatal(err)
		}
		ahead, err := s.ahead[along].Host()
		if err != nil {
			t.Fatal(err)
		}
		fastest := s.quantity(t, "largest_speed")
		for c := range s.block.OwnedIndices() {
			if !(math.Abs(ahead[c]) <= 1e-6*fastest) {
				i, j, _ := s.block.Cell(c)
				t.Errorf("axis %d: at (%d, %d) the velocity would change by %g, %g of the largest one", along, i, j, ahead[c],
					ahead[c]/fastest)
			}
		}
	}
}
