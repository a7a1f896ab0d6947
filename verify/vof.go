package verify

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/vof"
	velocity "github.com/atoll-hpc/atoll/solvers/vof/flow"
	"github.com/atoll-hpc/atoll/solvers/vof/shape"
)

// vofChecks are those of volume of fluid, the fast ones first.
var vofChecks = []check{
	{"planes", "Plane constants, and lines and planes reproduced", planes},
	{"matching", "The paper's three stages: circle of radius 0.25 in the unit square", matching},
	{"vortex-2", "The reversed vortex of Rider and Kothe, T = 2", vortex2},
	{"vortex-8", "The reversed vortex of Rider and Kothe, T = 8", vortex8},
	{"zalesak", "Zalesak's slotted disk in Rudman's set-up, one turn", zalesak},
	{"enright", "The ball in the deforming flow of LeVeque and Enright, T = 3", enright},
}

// VOFChecks returns the names that Options.Only may hold.
func VOFChecks() []string {
	var names []string
	for _, c := range vofChecks {
		names = append(names, c.name)
	}
	return names
}

// VOF makes the checks of volume of fluid, as [Shallow] does those of shallow water.
func VOF(ctx context.Context, w io.Writer, opts Options) (Report, error) {
	return makeChecks(ctx, w, opts, vofChecks)
}

// Each run keeps its volume and its bounds this well, with nothing clipped.
const (
	mostDrift  = 1e-13
	mostExcess = 1e-12
)

// fluid is a run of volume of fluid.
type fluid struct {
	grid   *grid.Grid
	body   shape.Body
	levels int // of divided cells; negative for quadrature
	flow   string
	period float64
	cfg    vof.Config
}

// unit is the square or cube of side 1 with n cells along each axis.
func unit(dim, n int) *grid.Grid {
	g := &grid.Grid{Dim: dim, N: [3]int{n, n, 1}, Hi: [3]float64{1, 1, 0}}
	if dim == 3 {
		g.N[2], g.Hi[2] = n, 1
	}
	return g
}

// kept is what a run led to: the diagnostics of its end, with the worst drift and excess of any of 40 moments on the way.
type kept struct {
	vof.Diagnostics
	steps int
}

func (p *page) follow(ctx context.Context, r fluid, end float64) (kept, error) {
	dev := cpu.New(p.opts.Threads)
	defer dev.Close()
	comm := local.New(1)[0]
	defer comm.Close()
	ghost := r.cfg.Ghosts(r.grid.Dim)
	b, err := r.grid.Whole(ghost)
	if err != nil {
		return kept{}, err
	}
	boxes := halo.Boxes{Dim: r.grid.Dim, Cuts: partition.BoxCuts(r.grid.N, [3]int{1, 1, 1}), Periodic: r.grid.Periodic}
	plan, err := halo.NewBoxPlan(boxes, 0, ghost, [3]int{ghost, ghost, ghost}, halo.ByAxis)
	if err != nil {
		return kept{}, err
	}
	v, err := velocity.Named(r.flow, r.grid, r.period)
	if err != nil {
		return kept{}, err
	}
	f, err := vof.Fill(ctx, b, r.body, r.levels, true)
	if err != nil {
		return kept{}, err
	}
	s, err := vof.New(ctx, "float64", r.cfg, b, plan, v, f, comm, dev)
	if err != nil {
		return kept{}, err
	}
	var worst kept
	drift, excess, next := 0.0, 0.0, 0.0
	for s.Time() < end {
		if err := ctx.Err(); err != nil {
			return kept{}, err
		}
		if _, err := s.Step(ctx, end); err != nil {
			return kept{}, err
		}
		if s.Time() >= next || s.Time() >= end {
			next += end / 40
			if worst.Diagnostics, err = s.Diagnose(ctx); err != nil {
				return kept{}, err
			}
			drift, excess = max(drift, math.Abs(worst.VolumeDrift)), max(excess, worst.BoundExcess)
		}
	}
	worst.VolumeDrift, worst.BoundExcess, worst.steps = drift, excess, s.Steps()
	return worst, nil
}

// sizes are cells along an axis, each twice those before; the last is left out of quick runs.
func (p *page) sizes(from, levels int) []int {
	var all []int
	for range levels {
		all = append(all, from)
		from *= 2
	}
	if p.opts.Quick {
		all = all[:len(all)-1]
	}
	return all
}

// scheme is a row of a table of errors.
type scheme struct {
	normal, advect string
	cfl            float64
	theirs         []float64 // by size; nil where there are none
	bounds         []float64 // that ours must not exceed; nil for none
	near           float64   // or how far ours may be from theirs, as a share
	adaptive       bool      // steps as long as the velocity of the moment allows
	slow           bool      // not in quick runs
	coarse         int       // only so many sizes; 0 for all
}

func (s scheme) config() vof.Config {
	return vof.Config{Normal: s.normal, Advect: s.advect, CFL: s.cfl, PerAxis: true, Adaptive: s.adaptive}
}

func (s scheme) String() string {
	name := s.advect + " + " + s.normal
	if s.adaptive {
		name += ", adaptive"
	}
	return name
}

// errors runs schemes at all sizes, and shows their errors and what they kept. of picks the error of a run.
func (p *page) errors(ctx context.Context, title string, sizes []int, schemes []scheme, r func(n int) fluid, end float64,
	of func(kept) float64) error {
	t := p.table(title, "scheme", "cells", "steps", "theirs", "ours", "order")
	k := p.table("What was kept, with nothing clipped", "scheme", "cells", "CFL of an axis", "sum", "|volume drift|", "beyond [0, 1]", "mixed")
	for _, s := range schemes {
		if s.slow && p.opts.Quick {
			continue
		}
		before := 0.0
		for i, n := range sizes {
			if s.coarse > 0 && i >= s.coarse {
				break
			}
			p.progress("%s, %d cells an axis", s, n)
			c := r(n)
			c.cfg = s.config()
			got, err := p.follow(ctx, c, end)
			if err != nil {
				return err
			}
			e := of(got)
			v, theirs, rate := info, "", ""
			if i < len(s.theirs) {
				theirs = fmt.Sprintf("%.3g", s.theirs[i])
				if s.near > 0 {
					v = near(e, s.theirs[i], s.near)
				}
			}
			if i < len(s.bounds) {
				v = atMost(e, s.bounds[i])
			}
			if i > 0 {
				rate = fmt.Sprintf("%.2f", order(before, e))
			}
			before = e
			t.row(v, s, n, got.steps, theirs, fmt.Sprintf("%.3e", e), rate)
			sound := got.VolumeDrift <= mostDrift && got.BoundExcess <= mostExcess
			k.row(verdictOf(sound, fmt.Sprintf("≤ %g, %g", mostDrift, mostExcess)), s, n,
				fmt.Sprintf("%.3f", got.CFLAxis), fmt.Sprintf("%.3f", got.CFLSum), fmt.Sprintf("%.1e", got.VolumeDrift),
				fmt.Sprintf("%.1e", got.BoundExcess), got.MixedCells)
		}
	}
	t.flush()
	k.flush()
	return nil
}
