package vof

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
	"github.com/atoll-hpc/atoll/solvers/vof/narrowband"
	"github.com/atoll-hpc/atoll/solvers/vof/plic"
)

const inAll, inSummary = solvers.Column | solvers.Metric, solvers.Metric

// Quantities are what is measured.
var Quantities = []solvers.Quantity{
	{Name: "volume", Doc: "volume of the fluid; in the plane its area", Outputs: inAll},
	{Name: "volume_drift", Doc: "relative change of the volume since the start", Outputs: inAll | solvers.Drift},
	{Name: "bound_excess", Doc: "largest excess of f over [0, 1]; f is not clipped", Outputs: inAll},
	{Name: "mixed_cells", Doc: "number of cells with 2⁻⁴⁶ < f < 1 - 2⁻⁴⁶ (float32: 2⁻¹⁷)",
		Outputs: inAll},
	{Name: "interface_size", Doc: "total length of the lines in mixed cells, and of faces between cells that are full " +
		"and empty to 1e-3, in space their area", Outputs: inAll},
	{Name: "cfl_sum", Doc: "the largest CFL number of any step so far, Σ|u|dt/h over the axes of a cell", Outputs: inAll},
	{Name: "cfl_axis", Doc: "the largest CFL number of any step so far, |u|dt/h along one axis", Outputs: inAll},
	{Name: "divergence_max", Unit: "1/s", Doc: "the largest |divergence| of the velocity in a cell, at a factor of 1",
		Outputs: inAll},
	{Name: "l1_error", Doc: "Σ|f - exact| dV, against [exact] or the start", Outputs: inSummary, Error: true},
	{Name: "rel_error", Doc: "l1_error divided by the exact volume", Outputs: inSummary, Error: true},
}

// measures declares what is measured: rows of tables lack the errors.
func (s *solver[F]) measures(m *engine.Measures) {
	m.Program = func(p *engine.Program, k int, row bool) {
		s.showGhosts(p, k)
		p.Run(s.survey(s.stateBefore(k), !row)...)
	}
	found, longest := engine.Measured(m, s.surveyed), m.Number(&s.lengths.longest)
	m.Quantities = func(ctx context.Context, o *engine.Observation) ([]solvers.Quantity, error) {
		r := found.All(o)
		if r.Broken != 0 {
			return nil, s.invalidAt(ctx, o.Steps, found.Own(o).Broken)
		}
		d := s.diagnosticsOf(&r, o.Number(longest))
		if o.Row {
			d.L1Error, d.RelError = 0, 0
		}
		s.measured = d
		all := solvers.Measured(Quantities, d.Volume, d.VolumeDrift, d.BoundExcess, float64(d.MixedCells), d.InterfaceSize,
			d.CFLSum, d.CFLAxis, d.DivergenceMax, d.L1Error, d.RelError)
		if o.Row {
			all = slices.DeleteFunc(all, func(q solvers.Quantity) bool { return q.Outputs&solvers.Column == 0 })
		}
		return all, nil
	}
}

// diagnosticsOf returns the diagnostics that follow from a survey. The first state that is measured is the initial one.
func (s *solver[F]) diagnosticsOf(r *surveyed, longest float64) Diagnostics {
	cell, change := s.block.Grid.CellVolume(), engine.SumOf(r.Change)
	d := Diagnostics{Volume: engine.SumOf(r.Volume) * cell, BoundExcess: math.Float64frombits(uint64(r.Excess)),
		MixedCells: r.Mixed, DivergenceMax: s.lengths.rates[2],
		InterfaceSize: engine.SumOf(r.Size) + s.sizeOf([3]int64{r.FacesX, r.FacesY, r.FacesZ}),
		CFLSum:        longest * s.lengths.rates[0], CFLAxis: longest * s.lengths.rates[1], L1Error: change * cell}
	if math.IsNaN(s.volume) {
		s.volume = d.Volume
	}
	if s.volume > 0 {
		d.VolumeDrift = (d.Volume - s.volume) / s.volume
	}
	if s.referenceSum > 0 {
		d.RelError = change / s.referenceSum
	} else if s.volume > 0 {
		d.RelError = d.L1Error / s.volume
	}
	return d
}

// survey makes the loops that measure field n, whose ghosts are current, with errors or without.
func (s *solver[F]) survey(n int, errors bool) (tasks []engine.Task) {
	b := s.block
	own, free := abi.Box{Hi: b.N}, s.fields[1] // between steps, in mixed cells, if there is a narrow band
	cells := plic.Lattice(b)
	if b.Grid.Dim == 2 {
		cells.SZ = 0
	}
	m, tiles := kernels.NewSurvey(cells, b.N, s.plic.Sides(), plic.RoundOff[F](), s.fields[n].Data, errors,
		s.reference.Data, s.surveyed.Words())
	var planes, sizes narrowband.RangesLoop
	var survey engine.Task
	if b.Grid.Dim == 2 {
		of := s.steps.sweep2(0, n)
		planes, sizes = kernels.NewReconstruct2Loop(own, of), kernels.NewSize2Loop(own, m, of, free.Data)
		survey = engine.Whole(kernels.NewSurvey2Loop(m, of), tiles)
	} else {
		of := s.steps.sweep3(0, n)
		planes, sizes = kernels.NewReconstruct3Loop(own, of), kernels.NewSize3Loop(own, m, of, free.Data)
		survey = engine.Whole(kernels.NewSurvey3Loop(m, of), tiles)
	}
	if s.costlyNormals {
		tasks = append(tasks, s.steps.band.Restrict(planes, own))
	}
	if s.steps.band == nil {
		return append(tasks, survey)
	}
	return append(tasks, s.steps.band.Restrict(sizes, own),
		engine.Whole(s.steps.band.EachActive(m.CountFaces), b.N[1]*b.N[2]),
		engine.Whole(&rowSurvey[F]{b, plic.RoundOff[F](), s.fields[n].Data,
			free.Data, errors, s.reference.Data, s.surveyed.Words()}, b.N[1]*b.N[2]))
}

// invalidAt describes the first volume fraction that was not finite after some steps; word is this rank's result of
// the survey.
func (s *solver[F]) invalidAt(ctx context.Context, steps int, word int64) error {
	cell, f := exact.FirstBroken(word)
	text, err := solvers.DescribeInvalid(ctx, s.Env().Comm, steps, &s.Fields()[0], cell, []float64{f})
	if err != nil {
		return err
	}
	return &solvers.InvalidState{Err: errors.New(text)}
}
