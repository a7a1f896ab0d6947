package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// cubes smooths a cube of tetrahedra in the metric "cube-linear" of the Unstructured Grid Adaptation Working Group's
// benchmark: sizes of 0.1 along x and y, and along z from 0.001 in the middle to 0.1 at the ends. The benchmark's
// results are from codes that also change the connectivity, so that the bounds on quality are ours: what PainExact
// reaches with ω = 1.6, and that Smart, FJP and the hybrid never make the worst tetrahedron worse, the last two in 10
// sweeps. The bounds on the domain are exact: volume and surface are preserved up to round-off, every vertex of a side
// stays exactly on it, and several ranks give the bits of one.
func cubes(ctx context.Context, p *verify.Page) error {
	n, exact, others, mean, worst := [3]int{10, 10, 46}, 150, 60, 0.8, 0.15
	if p.Options.Quick {
		n, exact, others, mean, worst = [3]int{4, 4, 20}, 60, 20, 0.18, 0.04
	}
	m, err := mesh.Cube(n[0], n[1], n[2], .1, 1)
	if err != nil {
		return err
	}
	flat := []sizing.Ends{{H0: .1, H1: .1}}
	metric, err := sizing.SolidSizes(sizing.Box{High: [3]float64{1, 1, 1}}, [3][]sizing.Ends{flat, flat,
		{{H0: .1, H1: .001, D0: -.198, D1: -.198}, {H0: .001, H1: .1, D0: .198, D1: .198}}})
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("%d tetrahedra", len(m.Cells)), "smoother", "sweeps", "quality, mean", "worst",
		"edges in range", "½Σ u'Mu", "change of volume", "of surface", "off sides")
	var start quality.Diagnostics
	for _, smoother := range append([]string{""}, smooth.Smoothers...) {
		p.Progress("%s", smoother)
		cfg := smooth.Config{Smoother: smoother, Guard: "halve", Gain: 1e-6}
		count := others
		switch smoother {
		case "": // the unsmoothed mesh
			cfg.Smoother, count = "smart", 0
		case "pain-exact":
			count = exact
			if !p.Options.Quick { // a coarse mesh is too far from the metric
				cfg.Relax = 1.6
			}
		case "fjp", "hybrid":
			count = 10
		}
		var end [2]cubeResult
		for k, ranks := range []int{1, 3} {
			if end[k], err = smoothCube(ctx, m, metric, cfg, count, ranks); err != nil {
				return err
			}
		}
		d := end[0].Diagnostics
		verdict, name := verify.Info, smoother
		switch smoother {
		case "":
			start, name = d, "none"
		case "pain-exact":
			verdict = verify.VerdictOf(d.QualityMean >= mean && d.QualityMin >= worst, fmt.Sprintf("≥ %g, %g", mean, worst))
		case "smart", "fjp", "hybrid", "barrier":
			verdict = verify.AtLeast(d.QualityMin, start.QualityMin)
		}
		t.Row(verdict, name, count, d.QualityMean, d.QualityMin, d.EdgeInRange, d.Objective, d.AreaDrift, d.PerimeterDrift,
			end[0].sideDeviation)
		kept := max(math.Abs(d.AreaDrift), math.Abs(d.PerimeterDrift), end[0].sideDeviation)
		t.Row(verify.AtMost(kept, 1e-14), name+", kept", "", "", "", "", "", d.AreaDrift, d.PerimeterDrift,
			end[0].sideDeviation)
		t.Row(verify.VerdictOf(end[0] == end[1], "the same"), name+", 3 ranks", count, end[1].QualityMean, end[1].QualityMin,
			end[1].EdgeInRange, end[1].Objective, "", "", "")
	}
	t.Flush()
	return nil
}

// cubeResult is the result of a run, with the largest distance of side vertices from their sides.
type cubeResult struct {
	quality.Diagnostics
	hash          string
	sideDeviation float64
}

// smoothCube smooths on several ranks, with vertices assigned to them at random.
func smoothCube(ctx context.Context, m *mesh.Solid, metric *sizing.SolidMetric, cfg smooth.Config, sweeps,
	ranks int) (cubeResult, error) {
	layout, err := layout.NewSolid(m, layout.Options{Boundary: layout.Slide, Colouring: colouring.JonesPlassmann,
		Order: partition.Natural})
	if err != nil {
		return cubeResult{}, err
	}
	owner, err := partition.Partition(partition.RandomCut, layout.Graph(), [][]float64{m.X, m.Y, m.Z}, ranks, 1)
	if err != nil {
		return cubeResult{}, err
	}
	parts, err := layout.Parts(owner, ranks)
	if err != nil {
		return cubeResult{}, err
	}
	return local.Each(ranks, func(comm dist.Comm) (end cubeResult, err error) {
		dev := cpu.New(1)
		defer dev.Close()
		err = end.run(ctx, m, parts[comm.Rank()], metric, cfg, sweeps, comm, dev)
		return end, err
	})
}

func (e *cubeResult) run(ctx context.Context, m *mesh.Solid, part *layout.SolidPart, metric *sizing.SolidMetric,
	cfg smooth.Config, sweeps int, comm dist.Comm, dev *cpu.Device) error {
	s, err := smooth.NewSolid(ctx, solvers.Env{Comm: comm, Device: dev}, "float64", cfg, part, metric)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Sweep(ctx, sweeps); err != nil {
		return err
	}
	if e.Diagnostics, err = s.Diagnose(ctx); err != nil {
		return err
	}
	if e.hash, err = s.Hash(ctx); err != nil {
		return err
	}
	x, err := s.Coordinates()
	if err != nil {
		return err
	}
	off := []float64{0}
	for i, v := range part.Global[:part.Owned] {
		was := m.At(v)
		for k, is := range [3]float64{x[0][i], x[1][i], x[2][i]} {
			if was[k] == 0 || was[k] == 1 {
				off[0] = max(off[0], math.Abs(is-was[k]))
			}
		}
	}
	err = comm.AllreduceFloat64(ctx, dist.Max, off)
	e.sideDeviation = off[0]
	return err
}
