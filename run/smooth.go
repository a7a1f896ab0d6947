package run

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	smoothproblem "github.com/atoll-hpc/atoll/solvers/smooth/problem"
)

// smoothRun drives solver "smooth". What a step updates, the extent's cells, are vertices.
type smoothRun struct {
	*smoothing
	comm   dist.Comm
	c      *config.Case
	rank   int
	size   extent
	rules  *stopRules
	sweeps float64 // seconds
	frames *meshPiece
}

func newSmooth(ctx context.Context, o Options) (driver, error) {
	if out := o.Case.Output.Mesh; out != "" {
		if err := agree(ctx, o.Comm, meshTo(out, o.Comm.Rank())); err != nil {
			return nil, err
		}
	}
	s, err := newSmoothing(ctx, o.Case, o.Comm, o.Device, o.Halo, o.Progress.Out)
	if err != nil {
		return nil, err
	}
	if out := o.Progress.Out; out != nil && s.body != nil {
		if lost := s.body.notKept(o.Case.Output.Mesh); lost != "" {
			fmt.Fprintf(out, "%-16s in %s, since Medit files cannot hold it: %s\n", "not kept", o.Case.Output.Mesh, lost)
		}
	}
	w := o.Case.Sections.(*smoothproblem.Sections)
	d := &smoothRun{smoothing: s, comm: o.Comm, c: o.Case, rank: o.Comm.Rank(), rules: newStopRules(w.Stop, &s.before)}
	d.size = extent{cells: s.Vertices, bytes: s.bytes(w.Method.Precision),
		precision: w.Method.Precision, halo: s.solver.Halo(), end: float64(w.Method.Sweeps), sweeps: true}
	if d.rules.reason != "" {
		d.size.end = 0
	}
	return d, nil
}

// meshTo refuses the name of a mesh that could not be written in the end. Rank 0 will write it.
func meshTo(out string, rank int) error {
	err := meshio.Writable(out)
	switch {
	case err != nil:
	case !filepath.IsAbs(out):
		if filepath.Base(out) != filepath.Clean(out) {
			err = fmt.Errorf("%s: give the name of a file in the output folder, or an absolute path", out)
		}
	case rank == 0:
		err = atomicfile.Placeable(out)
	}
	if err != nil {
		return fmt.Errorf("[output] mesh: %w", err)
	}
	return nil
}

func (d *smoothRun) extent() extent { return d.size }

func (d *smoothRun) advance(ctx context.Context, until float64, steps int) (done bool, err error) {
	begin := time.Now()
	defer func() { d.sweeps += time.Since(begin).Seconds() }()
	n := min(steps, int(until)-d.solver.Sweeps(), d.rules.left(d.solver.Sweeps()))
	move, err := d.solver.Sweep(ctx, n)
	if err != nil {
		return false, err
	}
	return d.rules.look(ctx, d.solver, move)
}

func (d *smoothRun) clock() (t float64, steps int, dt float64) {
	n := d.solver.Sweeps()
	return float64(n), n, 1
}

func (d *smoothRun) report(ctx context.Context) (report, error) {
	now, err := d.solver.Diagnose(ctx)
	if err != nil {
		return report{}, err
	}
	return report{
		table: []column{
			{"quality_min", now.QualityMin}, {"quality_mean", now.QualityMean}, {"objective", now.Objective},
			{"edge_in_range", now.EdgeInRange}, {"inverted", float64(now.Inverted)}, {"area_drift", now.AreaDrift},
		},
		metrics: map[string]float64{
			"quality_min": now.QualityMin, "quality_mean": now.QualityMean, "quality_max": now.QualityMax,
			"quality_min_before": d.before.QualityMin, "quality_mean_before": d.before.QualityMean,
			"objective": now.Objective, "inverted": float64(now.Inverted), "moved": float64(now.Moved),
			"active": float64(now.Active),
			"sweeps": float64(now.Sweeps), "colours": float64(d.subdomain().Colours), "area_drift": now.AreaDrift,
			"perimeter_drift": now.PerimeterDrift, "edge_in_range": now.EdgeInRange, "edge_min": now.EdgeMin,
			"edge_max": now.EdgeMax, "worst_cell": float64(now.Worst), "limited": float64(now.Limited),
			"metric_scale": d.solver.Scale(), "untangled": float64(d.untangled.Before),
			"metric_bounded": float64(d.held.Bounded), "metric_raised": float64(d.held.Raised),
			"metric_graded": float64(d.held.Graded), "metric_off_grid": d.held.OffGrid,
		},
		conservation: map[string]float64{"area": now.AreaDrift, "perimeter": now.PerimeterDrift},
	}, nil
}

// stopped is the rule by which the run ended.
func (d *smoothRun) stopped() string { return d.rules.why() }

func (d *smoothRun) frame(context.Context, string) (piece, error) {
	at, err := d.solver.Places()
	if err != nil {
		return nil, err
	}
	if d.frames == nil {
		d.frames = d.piece(at, d.rank)
	}
	p := *d.frames
	p.Points = d.points(at, len(d.frames.Points)/3)
	return p.with(float64(d.solver.Sweeps()), d.c.Output.Fields, func(name string) ([]float64, error) {
		if name == "quality" {
			return d.solver.Qualities()
		}
		return d.sizes(at), nil
	})
}

func (d *smoothRun) save(ctx context.Context, path string) error {
	m, err := d.gather(ctx, d.comm)
	if err != nil || m == nil {
		return err
	}
	return m.write(path)
}

func (d *smoothRun) hash(ctx context.Context) (string, error) { return d.solver.Hash(ctx) }
func (d *smoothRun) phases() map[string]float64               { return map[string]float64{"sweep": d.sweeps} }
func (d *smoothRun) close()                                   { d.solver.Close() }
