package levelset

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/levelset/kernels"
)

// Fields are the fields that a case can write.
var Fields = []solvers.Field{
	{Name: "phi", Unit: "m", Doc: "distance from the interface, negative inside; beyond the band a constant"},
}

const everywhere, onlySummary = solvers.Column | solvers.Metric, solvers.Metric

// Quantities are what is measured. All are counts and maxima, so that they are the same for any number of ranks.
var Quantities = []solvers.Quantity{
	{Name: "volume", Doc: "volume of the body, φ < 0; in the plane its area", Outputs: everywhere, Panel: "volume"},
	{Name: "volume_loss", Doc: "volume lost since the start, as a share of the volume at the start", Outputs: everywhere,
		Error: true},
	{Name: "grad_error", Doc: "the largest ||∇φ| - 1| in the inner half of the band", Outputs: everywhere},
	{Name: "particles", Doc: "number of particles of both signs", Outputs: everywhere},
	{Name: "escaped", Doc: "number of particles on the wrong side by more than [method] escape times their radius",
		Outputs: everywhere, Panel: "escaped particles"},
	{Name: "escaped_max", Doc: "largest number of escaped particles in any row of conservation.csv so far",
		Outputs: onlySummary},
	{Name: "left", Doc: "number of particles that have left the grid since the start", Outputs: everywhere},
	{Name: "deleted", Doc: "number of particles that reseeding has deleted since the start", Outputs: everywhere},
	{Name: "flips", Doc: "number of changes of sign by reinitialisation that were prevented since the start",
		Outputs: everywhere},
	{Name: "l1_error", Doc: "volume that is inside now or at the start, but not both", Outputs: onlySummary, Error: true},
}

// Diagnostics are the values of Quantities.
type Diagnostics struct {
	Volume     float64 // from samples of the interpolated level set
	VolumeLoss float64
	Changed    float64 // l1_error
	GradError  float64
	Particles  int64
	Escaped    int64 // of Particles
	Left       int64
	Deleted    int64
	Flips      int64
}

// samples returns the number of samples along each axis of a cell.
func samples(dim int) int {
	if dim == 2 {
		return 16
	}
	return 6
}

// measures declares what is measured.
func (s *solver[F]) measures(m *engine.Measures) {
	g, box := s.block.Grid, s.owned(0)
	sampling := &kernels.Sampling[F]{Lattice: s.lattice, Points: int32(samples(g.Dim)),
		GridCells: [2]int64{int64(g.N[0]), int64(g.N[1])}}
	_, longest := spacings(g)
	none := int64(0)
	seeded, w := &none, s.swarm
	if w != nil {
		seeded = &w.seeded
	}
	m.Program = func(p *engine.Program, _ int, _ bool) {
		p.Run(engine.Whole(kernels.NewCountInsideLoop(exact.Box(box), sampling, s.f[now].Data, s.start.Data, s.counts.At()),
			kernels.ReduceChunks(box.Size())),
			engine.Over(kernels.NewSlopeErrorLoop(box, &s.lattice, F(s.cfg.Band*longest)/2, s.f[now].Data, s.slope.At()), box))
		if w != nil {
			p.Queue(w.measure)
		}
	}
	counts, slope := engine.Measured(m, s.counts), engine.Measured(m, s.slope)
	prevented, removed, sown := engine.Measured(m, s.prevented), engine.Measured(m, s.removed), m.Count(seeded)
	m.Quantities = func(ctx context.Context, o *engine.Observation) ([]solvers.Quantity, error) {
		n, removed, steepest := counts.All(o), removed.All(o), slope.All(o)
		if err := s.checkFinite(ctx, o.Steps, counts.Own(o).Broken, n.Broken); err != nil {
			return nil, err
		}
		accounted := n.Particles + removed.Left + removed.Deleted
		if accounted != o.Count(sown) || n.Misplaced != 0 {
			return nil, fmt.Errorf("step %d: of %d seeded particles %d are present, have left or were removed, and %d are in "+
				"blocks that do not own their position", o.Steps, o.Count(sown), accounted, n.Misplaced)
		}
		sample := g.CellVolume()
		for range g.Dim {
			sample /= float64(samples(g.Dim))
		}
		d := Diagnostics{Volume: float64(n.Inside) * sample, Changed: float64(n.Differ) * sample,
			GradError: float64(steepest.Value()), Particles: n.Particles, Escaped: n.Escaped, Left: removed.Left,
			Deleted: removed.Deleted, Flips: prevented.All(o).Flips}
		if math.IsNaN(s.startVolume) {
			s.startVolume = d.Volume
		} else if s.startVolume > 0 {
			d.VolumeLoss = (s.startVolume - d.Volume) / s.startVolume
		}
		s.measured, s.maxEscaped = d, max(s.maxEscaped, d.Escaped)
		return solvers.Measured(Quantities, d.Volume, d.VolumeLoss, d.GradError, float64(d.Particles), float64(d.Escaped),
			float64(s.maxEscaped), float64(d.Left), float64(d.Deleted), float64(d.Flips), d.Changed), nil
	}
}

// checkFinite returns an error if the level set was not finite after some steps, given this rank's Counts.Broken and
// the largest of all ranks. The error is the same on all ranks.
func (s *solver[F]) checkFinite(ctx context.Context, steps int, code, largest int64) error {
	if largest == 0 {
		return nil
	}
	text := ""
	if code == largest {
		cell, v := exact.FirstBroken(code)
		text = fmt.Sprintf("rank %d: the level set of cell %d is %v in step %d", s.Env().Comm.Rank(), cell, v, steps)
	}
	_, text, err := dist.FirstText(ctx, s.Env().Comm, text)
	if err != nil {
		return err
	}
	return &solvers.InvalidState{Err: errors.New(text)}
}
