package twophase

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/kernelgen/atomics"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels/levels"
	"github.com/atoll-hpc/atoll/solvers/twophase/multigrid"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

// Setting is a rank's part of a case.
type Setting struct {
	Block     *domain.Block
	Fractions []float64 // of the first fluid, in each cell of the block, x fastest
	// Velocity returns component d at a position, at the start; Body, unless it is nil, that at faces of cells with any
	// of the first fluid. The jump is then in the second fluid: one inside of mixed cells would tear a dense fluid.
	Velocity, Body func(x, y, z float64, d int) (float64, error)
	Size           solvers.Size
}

// Divide is the division of a grid into blocks: coarse cells are not divided.
func Divide(g *grid.Grid) domain.Division { return domain.Division{Align: multigrid.Align(g.N, g.Dim)} }

// New sets up the solver in the given precision, "float32" or "float64". All ranks call it.
func New(ctx context.Context, env solvers.Env, precision string, cfg Config, at Setting) (*engine.Engine, error) {
	switch precision {
	case "float32":
		return engineOf(setUp[float32](ctx, env, cfg, at))
	case "float64":
		return engineOf(setUp[float64](ctx, env, cfg, at))
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

func engineOf[F num.Float](s *solver[F], err error) (*engine.Engine, error) {
	if err != nil {
		return nil, err
	}
	return s.Engine, nil
}

// Need returns the bytes of the arrays of a block of a grid that is divided into boxes.
func (c Config) Need(b *grid.Block, precision string) int64 {
	t := engine.NewTable(nil)
	// The boxes matter for exchanges only, not for the length of arrays.
	boxes := halo.Boxes{Dim: b.Grid.Dim, Periodic: b.Grid.Periodic}
	for d := range 3 {
		boxes.Cuts[d] = []int{b.Lo[d], b.Lo[d] + b.N[d]}
	}
	var err error
	if precision == "float32" {
		_, err = declare[float32](t, &c, b, boxes, 0)
	} else {
		_, err = declare[float64](t, &c, b, boxes, 0)
	}
	if err != nil {
		return 0 // the block is refused with this error when it is set up
	}
	return t.Bytes()
}

type solver[F num.Float] struct {
	*engine.Engine
	arrays[F]
	cfg     Config
	block   *grid.Block
	cellsOf *domain.Block
	lattice kernels.Lattice
	fluids  kernels.Fluids[F]
	spacing F
	normal  int32
	plic    plic.Interface[F]

	clock *engine.Limited[kernels.Clock[F]]
	now   *kernels.Clock[F] // of the step whose program is made
	time  solvers.Clock     // after the last step
	dt    float64           // of the step that is taken
	until float64           // when it ends
	bound float64           // the largest Σ|u| of a cell

	pressureCount, viscousCount levels.Counts
	through                     [6]passed     // by axis and side
	removed                     [2]passed     // of drops and of bubbles
	limited                     [limits]int64 // steps whose length each limit has decided
	noSpeed                     [1]atomics.Most[F]
	nothing                     [6]int64

	allLayers, oneLayer, faceLayers *engine.Ghosts
	outerLayers                     *engine.Ghosts // also those beyond sides; nil without contact angles
	rows                            map[int]*row   // measured, by the number of steps
}

// Tags of exchanges.
const (
	tagAll = 1 + iota
	tagOne
	tagFaces
	tagOuter
	tagPressure
)

func setUp[F num.Float](ctx context.Context, env solvers.Env, cfg Config, at Setting) (_ *solver[F], err error) {
	b := at.Block.Block
	table := engine.NewTable(env.Device)
	s := &solver[F]{Engine: engine.New(env, table), cfg: cfg, block: b, cellsOf: at.Block, spacing: F(b.Grid.Spacing(0)),
		normal: Normals[cfg.Normal], rows: map[int]*row{}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	_, sy, sz := b.Strides()
	s.lattice = kernels.Lattice{First: int32(b.Index(0, 0, 0)), SY: int32(sy), SZ: int32(sz), Dim: int32(b.Grid.Dim),
		Rings: cfg.Rings, Inner: int32(b.Lo[0])}
	s.plic = plic.Interface[F]{Block: b, Normal: s.normal, Rings: cfg.Rings}
	s.fluids = kernels.Fluids[F]{Density: F(cfg.Density[1]), DensityStep: F(cfg.Density[0] - cfg.Density[1]),
		Viscosity: F(cfg.Viscosity[1]), ViscosityStep: F(cfg.Viscosity[0] - cfg.Viscosity[1]), Tension: F(cfg.Tension)}
	s.arrays, err = declare[F](table, &cfg, b, at.Block.Boxes, env.Comm.Rank())
	if err != nil {
		return nil, err
	}
	s.clock = &engine.Limited[kernels.Clock[F]]{Array: engine.Add[kernels.Clock[F]](table, "clock", s.cycle()),
		Host: make([]kernels.Clock[F], 1), Begin: s.beginStep, Reset: s.reset, Tick: s.tick,
		Clock: func(*kernels.Clock[F]) solvers.Clock { return s.time }}
	if err := table.Err(); err != nil {
		return nil, err
	}
	s.now = s.clock.At()
	if s.solids != nil {
		s.plic.Solid = s.solids.solid
		fluid := []int64{int64(b.Cells() - s.solids.count)}
		if err := env.Comm.AllreduceInt64(ctx, dist.Sum, fluid); err != nil {
			return nil, err
		}
		if fluid[0] == 0 {
			return nil, errors.New("[[solid]] leaves no cell for fluid")
		}
		s.pressure.Part(int(fluid[0]), s.emptySolids)
	}
	if err := s.connect(at.Block.Plan); err != nil {
		return nil, err
	}
	if err := s.initialise(ctx, at); err != nil {
		return nil, err
	}
	return s, s.Define(ctx, s.definition(at))
}

// connect sets up the exchanges.
func (s *solver[F]) connect(plan *halo.BoxPlan) error {
	one, err := plan.WithLayers(s.block.Ghost, 1, halo.AxisByAxis)
	if err != nil {
		return err
	}
	faces, err := plan.WithLayers(s.block.Ghost, 2, halo.AxisByAxis)
	if err == nil {
		faces, err = faces.WithUpperFaces(halo.AxisByAxis)
	}
	if err != nil {
		return err
	}
	s.allLayers, s.oneLayer = s.BoxGhosts(plan, tagAll), s.BoxGhosts(one, tagOne)
	s.faceLayers = s.BoxGhosts(faces, tagFaces)
	if (wetting[F]{s}).any() {
		outer, err := plan.WithOuterGhosts(halo.AxisByAxis)
		if err != nil {
			return err
		}
		s.outerLayers = s.BoxGhosts(outer, tagOuter)
	}
	if s.viscous.sums != nil {
		s.viscous.sums.Connect(s.oneLayer)
	}
	return s.pressure.Connect(s.Engine, tagPressure)
}

// initialise sets the initial state: its velocity is made free of divergence.
func (s *solver[F]) initialise(ctx context.Context, at Setting) error {
	b := s.block
	host := make([]F, b.Len())
	for n, v := range at.Fractions {
		host[b.Index(n%b.N[0], n/b.N[0]%b.N[1], n/b.N[0]/b.N[1])] = F(v)
	}
	if s.solids != nil {
		for c, solid := range s.solids.solid {
			if solid {
				host[c] = 0
			}
		}
	}
	if err := s.f[0].Set(host); err != nil {
		return err
	}
	if err := solvers.Agree(ctx, s.Env().Comm, given[F]{s}.setGhosts(0, true)); err != nil {
		return err
	}
	if err := s.Do(ctx, func(p *engine.Program) { s.refreshFractions(p, s.f[0]) }); err != nil {
		return err
	}
	if err := solvers.Agree(ctx, s.Env().Comm, s.setVelocity(at)); err != nil {
		return err
	}
	one := []kernels.Clock[F]{{Dt: s.spacing, PerCell: 1, PerArea: 1 / s.spacing}}
	if err := s.clock.Array.Set(slices.Repeat(one, s.cycle())); err != nil {
		return err
	}
	err := s.Do(ctx, func(p *engine.Program) {
		s.project(p)
		s.measureSpeed(p)
		surface[F]{s}.settle(p)
	})
	if err != nil {
		return err
	}
	clear(host)
	if err := s.pressure.X.Set(host); err != nil {
		return err
	}
	for d := range b.Grid.Dim {
		if err := s.acceleration[d].Set(host); err != nil {
			return err
		}
	}
	// Not before: the first projection only makes the velocity free of divergence.
	if err := solvers.Agree(ctx, s.Env().Comm, s.pressureSides.Set(0, true)); err != nil {
		return fmt.Errorf("[sides] %w", err)
	}
	return s.readSpeed()
}

// setVelocity sets the velocity before the first projection at the block's faces.
func (s *solver[F]) setVelocity(at Setting) error {
	f, err := s.f[0].Host()
	if err != nil {
		return err
	}
	b := s.block
	for d := range b.Grid.Dim {
		host, n := make([]F, b.Len()), b.Faces(d)
		for face := range n[0] * n[1] * n[2] {
			i, j, k := face%n[0], face/n[0]%n[1], face/(n[0]*n[1])
			c := b.Index(i, j, k)
			velocity := at.Velocity
			if at.Body != nil && f[c]+f[c-stride(s.block, d)] > 0 {
				velocity = at.Body
			}
			if velocity == nil {
				continue
			}
			x, y, z := b.Face(d, i, j, k)
			v, err := velocity(x, y, z, d)
			if err != nil {
				return fmt.Errorf("[initial] %c at (%g, %g, %g): %w", "uvw"[d], x, y, z, err)
			}
			host[c] = F(v)
		}
		if err := s.v[0][d].Set(host); err != nil {
			return err
		}
	}
	return nil
}

// roundOff is the volume fraction below which a cell counts as empty after a step.
func (s *solver[F]) roundOff() F {
	if any(F(0)) == any(float32(0)) {
		return 1e-6
	}
	return 1e-12
}

// difference is the step of differences for LVIRA.
func (s *solver[F]) difference() F {
	if any(F(0)) == any(float32(0)) {
		return 1e-3
	}
	return 1e-7
}

// Limits of the length of steps.
const (
	byCourant = iota
	byCapillarity
	byGravity
	byGrowth
	byCase // [method] max_step, and the end of the run
	limits
)

// longestStep returns the longest stable step, and what limits it.
func (s *solver[F]) longestStep() (dt float64, by int) {
	c, h := &s.cfg, float64(s.spacing)
	dt, by = math.Inf(1), byCase
	take := func(v float64, limit int) {
		if v < dt {
			dt, by = v, limit
		}
	}
	if v := max(s.bound, c.sideSpeed(s.block.Grid)); v > 0 {
		take(c.CFL*h/v, byCourant)
	}
	if c.Tension > 0 {
		take(math.Sqrt((c.Density[0]+c.Density[1])*h*h*h/(4*math.Pi*c.Tension)), byCapillarity)
	}
	if g := max(math.Abs(c.Gravity[0]), math.Abs(c.Gravity[1]), math.Abs(c.Gravity[2])); g > 0 {
		take(math.Sqrt(2*c.CFL*h/g), byGravity)
	}
	if c.MaxStep > 0 {
		take(c.MaxStep, byCase)
	}
	if s.time.Steps > 0 {
		take(1.1*s.time.Dt, byGrowth)
	}
	return dt, by
}

// beginStep chooses the length of a step that ends at a time or before it.
func (s *solver[F]) beginStep(c *kernels.Clock[F], until, _ float64, _ int) int {
	dt, by := s.longestStep()
	left := until - s.time.Time
	if v := s.cfg.inflowSpeed(s.block.Grid, s.time.Time, min(dt, left)); v*min(dt, left) > s.cfg.CFL*float64(s.spacing) {
		dt, by = s.cfg.CFL*float64(s.spacing)/v, byCourant
	}
	s.until = s.time.Time + dt
	switch {
	case dt >= left*(1-1e-12):
		dt, s.until, by = left, until, byCase
	case 2*dt > left:
		dt = left / 2
		s.until, by = s.time.Time+dt, byCase
	}
	s.limited[by]++
	s.dt = dt
	h := float64(s.spacing)
	*c = kernels.Clock[F]{Dt: F(dt), PerCell: F(dt / h), PerArea: F(dt / (h * h))}
	return 1
}

// reset prepares a step: what sides give is that at its end.
func (s *solver[F]) reset(int) error {
	return errors.Join(s.speed.Set(s.noSpeed[:]), s.passed.Set(s.nothing[:]), given[F]{s}.setSides(s.until, false))
}

// given is what functions give at sides.
type given[F num.Float] struct{ *solver[F] }

// setSides sets what functions give at sides at a time.
func (s given[F]) setSides(t float64, first bool) error {
	if err := s.pressureSides.Set(t, first); err != nil {
		return fmt.Errorf("[sides] %w", err)
	}
	return s.setGhosts(t, first)
}

// setGhosts is setSides for volume fractions and velocities.
func (s given[F]) setGhosts(t float64, first bool) error {
	if err := s.fractionSides.Set(t, first); err != nil {
		return fmt.Errorf("[sides] %w", err)
	}
	for w := range s.velocitySides {
		for d := range s.block.Grid.Dim {
			if err := s.velocitySides[w][d].Set(t, first); err != nil {
				return fmt.Errorf("[sides] %w", err)
			}
		}
	}
	return nil
}

// tick completes a step.
func (s *solver[F]) tick(_ *kernels.Clock[F], _ int, _ bool) error {
	s.time = solvers.Clock{Time: s.until, Steps: s.time.Steps + 1, Dt: s.dt}
	pressure, err := s.pressure.Iteration.Host()
	if err != nil {
		return err
	}
	s.pressureCount.Add(&pressure[0])
	if err := (budget[F]{s}).take(); err != nil {
		return err
	}
	if s.viscous.sums != nil {
		viscous, err := s.viscous.iteration.Host()
		if err != nil {
			return err
		}
		s.viscousCount.Add(&viscous[0])
	}
	return s.readSpeed()
}

// readSpeed reads the largest speed of all ranks.
func (s *solver[F]) readSpeed() error {
	most, err := s.speed.Host()
	if err != nil {
		return err
	}
	s.bound = float64(most[0].Value())
	if s.bound-s.bound != 0 { // told by the check of the state
		s.bound = 0
	}
	return nil
}

// restored recomputes what depends on a saved state: ghosts, and the acceleration of the last step.
func (s *solver[F]) restored(ctx context.Context) error {
	s.time = s.Clock()
	if err := solvers.Agree(ctx, s.Env().Comm, given[F]{s}.setSides(s.time.Time, true)); err != nil {
		return err
	}
	if err := s.speed.Set(s.noSpeed[:]); err != nil {
		return err
	}
	err := s.Do(ctx, func(p *engine.Program) {
		s.refreshFractions(p, s.f[0])
		s.refreshVelocity(p, s.u, keepOutflow)
		s.measureSpeed(p)
		if s.time.Steps > 0 {
			s.extendFractions(p, s.f[0])
			s.findJump(p)
			s.applyForces(p)
			s.pressure.ClearScratch(p)
			p.Exchange(s.oneLayer, s.pressure.X)
			p.Run(s.pressureSides.Fill(s.pressure.X))
			s.setCoefficients(p)
			for d := range s.block.Grid.Dim { // the velocity is not used
				box := s.allFaces(d)
				p.Run(engine.Over(kernels.NewProjectLoop(box, s.facesOf(d), s.now, s.v[1][d].Data), box))
			}
		}
		surface[F]{s}.settle(p)
	})
	if err != nil {
		return err
	}
	return s.readSpeed()
}
