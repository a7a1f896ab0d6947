package verify

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/backend/cpu"
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

// metricKind is a metric of the check "kinds", given by the sizes along the axes.
type metricKind struct {
	name  string
	dim   int
	sizes func(x, y, z float64) [3]float64
	mmg   []meanAndWorst // of each mesh, as Mmg leaves it

	stretched bool // sizes differ along the axes
}

// meanAndWorst is the quality of a mesh: the mean and the worst.
type meanAndWorst struct{ mean, worst float64 }

// bound returns the qualities that barrier must reach if Mmg reaches these.
func (k *metricKind) bound(theirs meanAndWorst) meanAndWorst {
	factor := 1.1
	if k.dim == 3 {
		factor = 1.5
	}
	return meanAndWorst{theirs.mean + .005, factor * theirs.worst}
}

func (q meanAndWorst) verdict(d *quality.Diagnostics) verify.Verdict {
	return verify.VerdictOf(d.Inverted == 0 && d.QualityMean >= q.mean && d.QualityMin >= q.worst,
		fmt.Sprintf("≥ %.3f, %.3f", q.mean, q.worst))
}

// kinds smooths irregular meshes with barrier in uniform, graded and anisotropic metrics, in two and three
// dimensions, and compares with the mode of Mmg 5.8.0 that moves vertices only. Mmg's results are the best of four
// calls, separately for the mean and for the worst quality:
//
//	mmg2d_O3 -noinsert -noswap -v 0 -sol sizes.sol in.mesh out.mesh     (mmg3d_O3 in space)
//
// once or ten times in a row, with and without -hgrad -1, with the sizes, as often scaled as Atoll scales them, at the
// vertices of in.mesh. Qualities are those of Atoll for both. Where Mmg is installed (it comes with mmgpy from PyPI) it
// is run again.
func kinds(ctx context.Context, p *verify.Page) error {
	t := p.Table("barrier compared with Mmg 5.8.0: mean and worst quality", "kind", "mesh", "vertices", "before", "",
		"Mmg", "", "Atoll", "", "sweeps")
	type again struct {
		kind, mesh string
		theirs     meanAndWorst
		ours       quality.Diagnostics
		above      meanAndWorst
	}
	var all []again
	for _, k := range kindCases {
		meshes, other := generatedMeshes+len(geometryNames[k.dim]), findMmg(k.dim)
		if p.Options.Quick {
			meshes, other = 1, nil
		}
		for n := range meshes {
			s, err := newTestMesh(k.dim, n)
			if err != nil {
				return err
			}
			p.Progress("%s, mesh %s", k.name, s.name)
			before, after, scale, err := k.smooth(ctx, p, &s, true)
			if err != nil {
				return err
			}
			theirs := k.mmg[n]
			t.Row(k.bound(theirs).verdict(&after), k.name, s.name, s.vertices(), before.QualityMean, before.QualityMin,
				theirs.mean, theirs.worst, after.QualityMean, after.QualityMin, after.Sweeps)
			if other == nil {
				continue
			}
			now, err := other.best(ctx, p, &k, &s, scale)
			if err != nil {
				return err
			}
			all = append(all, again{k.name, s.name, now, after, k.bound(now)})
		}
	}
	t.Flush()
	if len(all) > 0 {
		t := p.Table("the same compared with the installed Mmg "+findMmg(2).version(ctx), "kind", "mesh", "Mmg", "",
			"Atoll", "")
		for _, a := range all {
			t.Row(a.above.verdict(&a.ours), a.kind, a.mesh, a.theirs.mean, a.theirs.worst, a.ours.QualityMean,
				a.ours.QualityMin)
		}
		t.Flush()
	}
	return nil
}

// smooth returns the quality of a mesh in the metric, before and, if move is set, after smoothing with barrier, and
// the factor by which the metric is scaled.
func (k *metricKind) smooth(ctx context.Context, p *verify.Page, s *testMesh, move bool) (before,
	after quality.Diagnostics,
	scale float64, err error) {
	run := func(s *smooth.Solver) error {
		scale = s.Scale()
		if before, err = s.Diagnose(ctx); err == nil && move {
			after, err = sweepToEnd(ctx, s)
		}
		return err
	}
	cfg := smooth.Config{Smoother: "barrier", Guard: "none", Rescale: true}
	if s.solid == nil {
		metric, err := sizing.Discrete(unitSquare, 512, func(x, y float64) (float64, float64, float64) {
			h := k.sizes(x, y, 0)
			return 1 / (h[0] * h[0]), 0, 1 / (h[1] * h[1])
		})
		if err != nil {
			return before, after, 0, err
		}
		err = smoothing(ctx, p, s.plane, metric, cfg, func(_ *layout.Part, s *smooth.Solver) error { return run(s) })
		return before, after, scale, err
	}
	box := sizing.Box{High: [3]float64{1, 1, 1}}
	metric, err := sizing.SolidDiscrete(box, 64, func(x, y, z float64) sizing.Six {
		h := k.sizes(x, y, z)
		return sizing.Six{1 / (h[0] * h[0]), 0, 0, 1 / (h[1] * h[1]), 0, 1 / (h[2] * h[2])}
	})
	if err != nil {
		return before, after, 0, err
	}
	err = solidSmoothing(ctx, p, s.solid, metric, cfg, func(_ *layout.SolidPart, s *smooth.Solver) error { return run(s) })
	return before, after, scale, err
}

// solidSmoothing sets up a solver of tetrahedra on one rank and passes it to f.
func solidSmoothing(ctx context.Context, p *verify.Page, m *mesh.Solid, metric *sizing.SolidMetric, cfg smooth.Config,
	f func(part *layout.SolidPart, s *smooth.Solver) error) error {
	layout, err := layout.NewSolid(m, layout.Options{Boundary: layout.Slide, Ridge: ridgeOf(cfg),
		Colouring: colouring.JonesPlassmann, Order: partition.Hilbert})
	if err != nil {
		return err
	}
	parts, err := layout.Parts(make([]int32, len(m.X)), 1)
	if err != nil {
		return err
	}
	comm := local.New(1)[0]
	dev := cpu.New(p.Options.Threads)
	defer dev.Close()
	s, err := smooth.NewSolid(ctx, solvers.Env{Comm: comm, Device: dev}, "float64", cfg, parts[0], metric)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := f(parts[0], s); err != nil {
		return err
	}
	return comm.Close()
}
