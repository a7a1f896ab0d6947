package vof

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/solvers/vof/flow"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// Solver advances the volume fractions on one rank's block. All ranks make the same calls.
type Solver interface {
	// Step takes one of equal steps that lead to the time until, and returns its length in s.
	Step(ctx context.Context, until float64) (float64, error)
	Time() float64
	Steps() int
	// Field returns a quantity at every cell of the block, x fastest: f, or with one number a cell nx, ny, nz, alpha, the
	// planes of mixed cells, with n the unit normal in space and alpha its plane constant in the unit cell.
	Field(ctx context.Context, name string) ([]float64, error)
	Diagnose(ctx context.Context) (Diagnostics, error)
	// Hash returns the SHA-256 of the volume fractions in global order.
	Hash(ctx context.Context) (string, error)
	// Phases tells how many seconds this rank spent where.
	Phases() map[string]float64
}

// New sets up the solver in the given precision, "float32" or "float64", from the volume fraction of each cell of the
// block, x fastest. The device must be the CPU.
func New(ctx context.Context, precision string, cfg Config, b *grid.Block, plan *halo.BoxPlan, v flow.Flow, fractions []float64, comm dist.Comm,
	dev backend.Device) (Solver, error) {
	switch precision {
	case "float32":
		return setUp[float32](ctx, cfg, b, plan, v, fractions, comm, dev)
	case "float64":
		return setUp[float64](ctx, cfg, b, plan, v, fractions, comm, dev)
	}
	return nil, fmt.Errorf("precision %q is not known; choose float32 or float64", precision)
}

type solver[F kernels.Float] struct {
	arrays[F]
	cfg   Config
	block *grid.Block
	halo  *ghosts[F]
	flow  flow.Flow
	comm  dist.Comm
	dev   backend.Device

	passes [3][]pass // by the axis that comes first
	begun  []F       // the volume fractions at the start, without ghosts
	volume float64   // at the start
	limit  float64   // the longest step at a factor of 1
	rate   [2]float64
	spread float64 // the largest |∇·u|

	t       float64
	steps   int
	longest float64 // step so far, times the size of its factor
	clockAt time.Time
	spent   [3]time.Duration // on halos, planes, sweeps
}

func setUp[F kernels.Float](ctx context.Context, cfg Config, b *grid.Block, plan *halo.BoxPlan, v flow.Flow, fractions []float64, comm dist.Comm,
	dev backend.Device) (*solver[F], error) {
	if err := cfg.check(b.Grid.Dim); err != nil {
		return nil, err
	}
	if b.Ghost < cfg.Ghosts() {
		return nil, fmt.Errorf("the block has %d layers of ghosts, normal %s needs %d", b.Ghost, cfg.Normal, cfg.Ghosts())
	}
	if b.Len() > math.MaxInt32 {
		return nil, fmt.Errorf("a block of %v cells has more than 2^31 numbers: use more ranks", b.N)
	}
	if _, apart := dev.(backend.Memory); apart {
		return nil, fmt.Errorf("vof runs on the CPU; device %s has a memory of its own", dev.Name())
	}
	s := &solver[F]{cfg: cfg, block: b, flow: v, comm: comm, dev: dev}
	var err error
	if s.halo, err = newGhosts[F](b, plan, comm); err != nil {
		return nil, err
	}
	stored := cfg.Normal == "elvira" || cfg.Normal == "lvira" // a plane costs more than storing it
	s.place(b, v, stored)
	for first := range b.Grid.Dim {
		s.passes[first] = s.arrays.passes(b, cfg, first, stored)
	}
	if len(fractions) != b.Cells() {
		return nil, fmt.Errorf("%d volume fractions for a block of %d cells", len(fractions), b.Cells())
	}
	s.begun = make([]F, len(fractions))
	n := 0
	for c := range s.cells() {
		f := fractions[n]
		if !(f >= 0 && f <= 1) {
			return nil, fmt.Errorf("cell %d: the initial volume fraction is %g, which is not in [0, 1]", s.global(n), f)
		}
		s.fields[0][c], s.begun[n] = F(f), F(f)
		n++
	}
	if err := s.measure(ctx); err != nil {
		return nil, err
	}
	d, err := s.Diagnose(ctx)
	s.volume = d.Volume
	return s, err
}

// cells goes over the block's own cells, x fastest, and gives their place in the arrays.
func (s *solver[F]) cells() func(yield func(c int) bool) {
	n := s.block.N
	return func(yield func(c int) bool) {
		for k := range n[2] {
			for j := range n[1] {
				c := s.block.Index(0, j, k)
				for i := range n[0] {
					if !yield(c + i) {
						return
					}
				}
			}
		}
	}
}

// global is the number of the block's n-th cell in the whole grid.
func (s *solver[F]) global(n int) int64 {
	b, g := s.block, s.block.Grid
	i, j, k := n%b.N[0], n/b.N[0]%b.N[1], n/b.N[0]/b.N[1]
	return int64(b.Lo[0]+i) + int64(g.N[0])*(int64(b.Lo[1]+j)+int64(g.N[1])*int64(b.Lo[2]+k))
}

// measure finds the longest step and the divergence of the velocity on all ranks.
func (s *solver[F]) measure(ctx context.Context) error {
	b := s.block
	var strides [3]int
	strides[0], strides[1], strides[2] = b.Strides()
	var most [3]float64 // sum over axes, largest of an axis, divergence
	for c := range s.cells() {
		sum, spread := 0.0, 0.0
		for axis := range b.Grid.Dim {
			h := b.Grid.Spacing(axis)
			lo, hi := float64(s.u[axis][c]), float64(s.u[axis][c+strides[axis]])
			if lo-lo != 0 || hi-hi != 0 {
				return fmt.Errorf("the velocity along axis %d is %g and %g at the faces of a cell of rank %d", axis, lo, hi, s.comm.Rank())
			}
			r := max(math.Abs(lo), math.Abs(hi)) / h
			sum += r
			spread += (hi - lo) / h
			most[1] = max(most[1], r)
		}
		most[0], most[2] = max(most[0], sum), max(most[2], math.Abs(spread))
	}
	if err := s.comm.AllreduceFloat64(ctx, dist.Max, most[:]); err != nil {
		return err
	}
	s.rate, s.spread = [2]float64{most[0], most[1]}, most[2]
	s.limit = s.cfg.CFL / s.rate[0]
	if s.cfg.PerAxis {
		s.limit = s.cfg.CFL / s.rate[1]
	}
	return nil
}

func (s *solver[F]) Time() float64 { return s.t }
func (s *solver[F]) Steps() int    { return s.steps }

func (s *solver[F]) Step(ctx context.Context, until float64) (float64, error) {
	if left := until - s.t; !(left > 0) || math.IsInf(left, 0) {
		return 0, fmt.Errorf("a step from t = %g to %g", s.t, until)
	}
	dt, last := s.stepTo(until)
	factor := s.flow.At(s.t + dt/2)
	for d := range s.block.Grid.Dim {
		s.clock.Courant[d] = F(factor * dt / s.block.Grid.Spacing(d))
	}
	s.clockAt = time.Now()
	for _, p := range s.passes[s.steps%s.block.Grid.Dim] {
		if err := s.halo.fill(ctx, s.fields[p.from]); err != nil {
			return 0, err
		}
		s.lap(inHalo)
		if p.planes > 0 {
			s.dev.Run(p.reconstruct, 0, p.planes)
			s.lap(inPlanes)
		}
		s.dev.Run(p.advance, 0, len(s.begun))
		s.lap(inSweeps)
	}
	s.steps++
	s.longest = max(s.longest, dt*math.Abs(factor))
	if s.t += dt; last {
		s.t = until
	}
	return dt, nil
}

const (
	inHalo = iota
	inPlanes
	inSweeps
)

// lap books the time since the last lap.
func (s *solver[F]) lap(phase int) {
	now := time.Now()
	s.spent[phase] += now.Sub(s.clockAt)
	s.clockAt = now
}

func (s *solver[F]) Phases() map[string]float64 {
	return map[string]float64{
		"halo": s.spent[inHalo].Seconds(), "planes": s.spent[inPlanes].Seconds(), "sweeps": s.spent[inSweeps].Seconds(),
	}
}
