package problem

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

const inAll, inSummary = solvers.Column | solvers.Metric, solvers.Metric

// measured is a quantity with the function that computes it from diagnostics.
type measured struct {
	solvers.Quantity
	of func(d *shallow.Diagnostics) float64
}

// ofTwo are the quantities of two layers.
var ofTwo = []measured{
	{solvers.Quantity{Name: "mass1", Unit: "m³", Doc: "volume of the upper layer, ∫h1 dA", Outputs: inAll},
		func(d *shallow.Diagnostics) float64 { return d.Mass1 }},
	{solvers.Quantity{Name: "mass2", Unit: "m³", Doc: "volume of the lower layer, ∫h2 dA", Outputs: inAll},
		func(d *shallow.Diagnostics) float64 { return d.Mass2 }},
	{solvers.Quantity{Name: "mass1_drift", Doc: "relative change of mass1 that inflows and sources do not explain",
		Outputs: inSummary | solvers.Drift}, nil},
	{solvers.Quantity{Name: "mass2_drift", Doc: "relative change of mass2 that inflows and sources do not explain",
		Outputs: inSummary | solvers.Drift}, nil},
	{solvers.Quantity{Name: "h1_min", Unit: "m", Doc: "smallest thickness of the upper layer, at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.H1Min }},
	{solvers.Quantity{Name: "h1_max", Unit: "m", Doc: "greatest thickness of the upper layer, at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.H1Max }},
	{solvers.Quantity{Name: "h2_min", Unit: "m", Doc: "smallest thickness of the lower layer, at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.H2Min }},
	{solvers.Quantity{Name: "h2_max", Unit: "m", Doc: "greatest thickness of the lower layer, at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.H2Max }},
	{solvers.Quantity{Name: "speed_max", Unit: "m/s",
		Doc:     "largest speed of either layer where it is thicker than dry_depth, at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.SpeedMax }},
	{solvers.Quantity{Name: "z1_abs_integral", Unit: "m³", Doc: "∫|z1| dA at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.Z1AbsIntegral }},
	{solvers.Quantity{Name: "h2_sq_integral", Unit: "m⁴", Doc: "∫h2² dA at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.H2SqIntegral }},
	{solvers.Quantity{Name: "complex_edges", Doc: "edges with a complex pair of eigenvalues, summed over all steps",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return float64(d.ComplexEdges) }},
	limited, courant,
}

// ofOne are the quantities of one layer, which is the lower one in the solver.
var ofOne = []measured{
	{solvers.Quantity{Name: "mass", Unit: "m³", Doc: "volume of the water, ∫h dA", Outputs: inAll},
		func(d *shallow.Diagnostics) float64 { return d.Mass2 }},
	{solvers.Quantity{Name: "mass_drift", Doc: "relative change of mass that inflows and sources do not explain",
		Outputs: inSummary | solvers.Drift}, nil},
	{solvers.Quantity{Name: "h_min", Unit: "m", Doc: "smallest thickness, at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.H2Min }},
	{solvers.Quantity{Name: "h_max", Unit: "m", Doc: "greatest thickness, at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.H2Max }},
	{solvers.Quantity{Name: "speed_max", Unit: "m/s",
		Doc:     "largest speed where the layer is thicker than dry_depth, at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.SpeedMax }},
	{solvers.Quantity{Name: "z_abs_integral", Unit: "m³", Doc: "∫|z| dA at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.Z1AbsIntegral }},
	{solvers.Quantity{Name: "h_sq_integral", Unit: "m⁴", Doc: "∫h² dA at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.H2SqIntegral }},
	limited, courant,
}

// Quantities that the fluxes of any number of layers report.
var (
	limited = measured{solvers.Quantity{Name: "limited_fluxes",
		Doc: "mass fluxes cut to what the upwind cell had, summed over all steps", Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return float64(d.LimitedFluxes) }}
	courant = measured{solvers.Quantity{Name: "cfl_max",
		Doc: "the largest CFL number that a step had by its own waves, of all steps", Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.CFLMax }}
)

// quantities lists all quantities that cases may have.
func quantities() (list []solvers.Quantity) {
	for _, m := range slices.Concat(ofTwo, ofOne) {
		if !slices.ContainsFunc(list, func(q solvers.Quantity) bool { return q.Name == m.Name }) {
			list = append(list, m.Quantity)
		}
	}
	return list
}

// layer is a layer of a case, with its initial mass and the sources of it.
type layer struct {
	name    string // "" for the only one
	mass    func(d *shallow.Diagnostics) float64
	brought func(s *shallow.Source) float64
}

var (
	upper = layer{"1", func(d *shallow.Diagnostics) float64 { return d.Mass1 },
		func(s *shallow.Source) float64 { return s.V1 }}
	lower = layer{"2", func(d *shallow.Diagnostics) float64 { return d.Mass2 },
		func(s *shallow.Source) float64 { return s.V2 }}
	only = layer{"", lower.mass, lower.brought}
)

// ledger converts diagnostics to quantities.
type ledger struct {
	start  shallow.Diagnostics
	layers []layer
	list   []measured
}

// newLedger is a ledger for a number of layers, with drifts and contributions of sources as columns.
func newLedger(start shallow.Diagnostics, layers int) *ledger {
	l := &ledger{start: start, layers: []layer{upper, lower}, list: slices.Clone(ofTwo)}
	if layers == 1 {
		l.layers, l.list = []layer{only}, slices.Clone(ofOne)
	}
	for i := range l.list {
		m := &l.list[i]
		for _, of := range l.layers {
			if m.Name == "mass"+of.name+"_drift" {
				m.of = func(d *shallow.Diagnostics) float64 { return l.drift(d, of) }
			}
		}
		if m.Outputs&solvers.Drift != 0 && len(start.Sources) > 0 {
			m.Outputs |= solvers.Column
		}
	}
	for k, source := range start.Sources {
		for _, of := range l.layers {
			l.list = append(l.list, measured{solvers.Quantity{
				Name: "mass" + of.name + solvers.SourceInfix + source.Name, Unit: "m³", Outputs: inAll,
				Doc: fmt.Sprintf("what came in of mass%s from %s since the start", of.name, source.Name),
			}, func(d *shallow.Diagnostics) float64 { return of.brought(&d.Sources[k]) }})
		}
	}
	return l
}

// drift is the change of a mass that its sources do not explain, relative to the larger of the masses at the start
// and now; 0 if there was never any.
func (l *ledger) drift(d *shallow.Diagnostics, of layer) float64 {
	now, start, sourced := of.mass(d), of.mass(&l.start), 0.0
	for k := range d.Sources {
		sourced += of.brought(&d.Sources[k])
	}
	if now == start && sourced == 0 {
		return 0
	}
	return (now - start - sourced) / max(now, start)
}

// table converts diagnostics to quantities.
func (l *ledger) table(d *shallow.Diagnostics, err error) ([]solvers.Quantity, error) {
	if err != nil {
		return nil, err
	}
	list := make([]solvers.Quantity, len(l.list))
	for i := range list {
		list[i] = l.list[i].Quantity
		list[i].Value = l.list[i].of(d)
	}
	return list, nil
}

func (d *flow) Measure(ctx context.Context) ([]solvers.Quantity, error) {
	now, err := d.Diagnose(ctx)
	return d.ledger.table(&now, err)
}

func (d *flow) Observed(ctx context.Context) ([]solvers.Quantity, error) {
	now, err := d.Solver.Observed(ctx)
	return d.ledger.table(&now, err)
}
