package levelset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"github.com/atoll-hpc/atoll/solvers"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/halotest"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// onRanks calls f with a solver on each rank, whose device is of the kind that exchanges ghosts as halo.Direct,
// halo.Staged or halo.NCCL do.
func onRanks(t *testing.T, ranks int, kind string, cfg Config, g *grid.Grid, v flow.Flow, body shape.Body,
	f func(ctx context.Context, s *solver[float64]) error) {
	t.Helper()
	comms := local.New(ranks)
	disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) (err error) {
		b, err := domain.Cut(&config.Grid{Dim: g.Dim, Lo: g.Lo, Hi: g.Hi, Cells: g.N, Periodic: g.Periodic}, cfg.Ghosts(),
			c.Rank(), ranks)
		if err != nil {
			return err
		}
		start, err := Distance(ctx, b.Block, body)
		if err != nil {
			return err
		}
		host := cpu.New(1)
		defer host.Close()
		gpu := backendtest.NewFakeRecorder(host, 1<<30)
		linked := halotest.NewLinkedRecorder(host, 1<<30, c)
		dev := map[string]backend.Device{halo.Direct: host, halo.Staged: gpu, halo.NCCL: linked}[kind]
		s, err := setUp[float64](ctx, solvers.Env{Comm: c, Device: dev}, cfg, Setting{Block: b, Flow: v, Start: start})
		if err != nil {
			return err
		}
		defer func() {
			if s.Close(); gpu.Used+linked.Used != 0 {
				err = errors.Join(err, fmt.Errorf("%d bytes were not freed", gpu.Used+linked.Used))
			}
		}()
		if got := s.Size().Halo; got != kind {
			return fmt.Errorf("halo %s, want %s", got, kind)
		}
		return f(ctx, s)
	})
	disttest.Close(t, comms)
}

// numbered is a particle with its number.
type numbered struct {
	id int64
	p  kernels.Particle[float64]
}

// TestMigrationOnAllDevices proves that particles have the same bits after they have crossed blocks and periodic
// boundaries, however devices exchange them, and if they record parts of a step.
func TestMigrationOnAllDevices(t *testing.T) {
	g := cubeGrid(3, 20, 1)
	g.Periodic = [3]bool{true, true, true}
	body := shape.Union(shape.Ball(.5, .5, .5, .2), shape.Ball(.1, .2, .9, .15))
	for _, correct := range Corrections {
		var want []numbered
		for _, c := range []struct {
			ranks int
			kind  string
		}{{1, halo.Direct}, {1, halo.Staged}, {2, halo.NCCL}, {4, halo.Staged}, {8, halo.NCCL}, {8, halo.Direct},
			{3, halo.Staged}} {
			cfg := withParticles(4)
			cfg.Correct, cfg.CFL, cfg.Sort = correct, 2, 0
			var mu sync.Mutex
			var got []numbered
			onRanks(t, c.ranks, c.kind, cfg, g, flow.Uniform(1, -.5, .25), body,
				func(ctx context.Context, s *solver[float64]) error {
					for range 25 {
						if _, err := s.Advance(ctx, 10, 0, 1); err != nil {
							return err
						}
					}
					if _, err := s.Diagnose(ctx); err != nil { // counts the particles
						return err
					}
					p, id, err := s.swarm.particles()
					mu.Lock()
					defer mu.Unlock()
					for i := range p {
						got = append(got, numbered{id[i], p[i]})
					}
					return err
				})
			slices.SortFunc(got, func(a, b numbered) int { return cmp.Compare(a.id, b.id) })
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) || len(got) < 1000 {
				t.Errorf("%s, %d ranks, %s: %d particles differ from the %d of one rank", correct, c.ranks, c.kind, len(got),
					len(want))
			}
		}
	}
}

// TestPlacesAreUsedAgain proves that the memory of particles does not grow if as many leave as arrive, also in other
// steps and without sorting.
func TestPlacesAreUsedAgain(t *testing.T) {
	g := cubeGrid(3, 20, 1)
	onRanks(t, 2, halo.Direct, withParticles(4), g, restFlow(g), shape.Ball(.5, .5, .5, .2),
		func(_ context.Context, s *solver[float64]) error {
			w := s.swarm
			capacity, live := w.set.Capacity(), w.set.Count
			for round := range 200 {
				clear(w.marks.Data)
				for n := range 50 {
					w.marks.Data[(n*37+round*11)%w.set.Count] = 1
				}
				for i, q := range w.p[w.current].Data[:w.set.Count] {
					if q.R == 0 {
						w.marks.Data[i] = 0 // removed before
					}
				}
				leaving, err := w.packLeaving()
				if err != nil {
					return err
				}
				if err := w.place(slices.Clone(leaving), round%2*len(leaving), false); err != nil {
					return err
				}
			}
			if err := w.dropRemoved(); err != nil || w.set.Count != live || w.set.Capacity() != capacity {
				return fmt.Errorf("%d particles and memory for %d, want %d and %d: %w", w.set.Count, w.set.Capacity(), live,
					capacity, err)
			}
			return nil
		})
}

// TestNothingIsSentWithoutMigrants proves that a step in which no particle changes blocks exchanges only the numbers of
// particles.
func TestNothingIsSentWithoutMigrants(t *testing.T) {
	g := cubeGrid(3, 20, 1)
	onRanks(t, 2, halo.NCCL, withParticles(4), g, restFlow(g), shape.Ball(.2, .2, .2, .1),
		func(ctx context.Context, s *solver[float64]) error {
			dev := s.Env().Device.(halotest.LinkedRecorder)
			for _, marked := range []bool{false, true} {
				before, n := dev.Exchanges, s.swarm.set.Count
				clear(s.swarm.marks.Data)
				if marked && n > 0 {
					s.swarm.marks.Data[n/2] = 1
				}
				if err := s.swarm.migrate(ctx, false); err != nil {
					return err
				}
				if exchanged := dev.Exchanges > before; exchanged != marked {
					return fmt.Errorf("exchanges between devices: %t, particles: %t", exchanged, marked)
				}
			}
			return nil
		})
}

// TestUnownedParticles proves that a particle in a block that is not a neighbour is an error with its number and rank.
func TestUnownedParticles(t *testing.T) {
	g := &grid.Grid{Dim: 2, N: [3]int{64, 12, 1}, Hi: [3]float64{64, 12, 0}}
	onRanks(t, 4, halo.Direct, withParticles(2), g, flow.Uniform(1, 0, 0), shape.Ball(5, 6, 0, 3),
		func(ctx context.Context, s *solver[float64]) error {
			w := s.swarm
			if s.Env().Comm.Rank() > 0 {
				return nil
			}
			w.setParticles(t, kernels.Particle[float64]{X: 3, Y: 6, R: .5}, kernels.Particle[float64]{X: 50, Y: 6, R: .5})
			w.run(func(l *swarmLoops) backend.Loop { return l.classify })
			_, err := w.packLeaving()
			if err == nil || !strings.HasPrefix(err.Error(), "particle 1 of rank 0 moved to (50, 6, 0)") {
				return fmt.Errorf("error %v", err)
			}
			return nil
		})
}
