package problem

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
)

const inAll, inSummary = solvers.Column | solvers.Metric, solvers.Metric

// diagnosed is a quantity with the function that computes it from diagnostics.
type diagnosed struct {
	solvers.Quantity
	value func(d *shallow.Diagnostics) float64
}

// twoLayerQuantities are the quantities of two layers.
var twoLayerQuantities = []diagnosed{
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
		Doc:     "largest speed where the layer (of two: either) is thicker than dry_depth, at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.SpeedMax }},
	{solvers.Quantity{Name: "z1_abs_integral", Unit: "m³", Doc: "∫|z1| dA at the end, " +
		"z1 the level of the surface above the datum",
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

// oneLayerQuantities are the quantities of one layer, which is the lower one in the solver.
var oneLayerQuantities = []diagnosed{
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
	{solvers.Quantity{Name: "z_abs_integral", Unit: "m³", Doc: "∫|z| dA at the end, " +
		"z the level of the surface above the datum",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.Z1AbsIntegral }},
	{solvers.Quantity{Name: "h_sq_integral", Unit: "m⁴", Doc: "∫h² dA at the end",
		Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.H2SqIntegral }},
	limited, courant,
}

// Quantities that the fluxes of any number of layers report.
var (
	limited = diagnosed{solvers.Quantity{Name: "limited_fluxes",
		Doc: "mass fluxes limited to what the upwind cell could supply, summed over all steps", Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return float64(d.LimitedFluxes) }}
	courant = diagnosed{solvers.Quantity{Name: "cfl_max",
		Doc: "the largest ratio of any step to the longest that its start allowed, times cfl: also by what boundaries, " +
			"rain and slopes bring in the next two steps, which makes it large when a flood arrives", Outputs: inSummary},
		func(d *shallow.Diagnostics) float64 { return d.CFLMax }}
)

// flooded are the quantities of initially dry ground, of cases with maxima.
var flooded = []solvers.Quantity{
	{Name: "flooded_area", Unit: "m²",
		Doc: "area that was dry at the start, and where the water was deeper than [maxima] threshold at any time"},
	{Name: "runup", Unit: "m", Doc: "highest level that water reached in this area"},
	{Name: "runup_x", Unit: "m", Doc: "x of the cell with this level"},
	{Name: "runup_y", Unit: "m", Doc: "y of the cell with this level"},
}

// quantities lists all quantities that cases may have.
func quantities() (list []solvers.Quantity) {
	for _, m := range slices.Concat(twoLayerQuantities, oneLayerQuantities) {
		if !slices.ContainsFunc(list, func(q solvers.Quantity) bool { return q.Name == m.Name }) {
			list = append(list, m.Quantity)
		}
	}
	return list
}

// layerBudget has, for a layer of a case, the functions that return its mass and what a source has added to it.
type layerBudget struct {
	name   string // 1 or 2, "" for a single layer
	mass   func(d *shallow.Diagnostics) float64
	inflow func(s *shallow.Source) float64
}

var (
	upper = layerBudget{"1", func(d *shallow.Diagnostics) float64 { return d.Mass1 },
		func(s *shallow.Source) float64 { return s.Volume1 }}
	lower = layerBudget{"2", func(d *shallow.Diagnostics) float64 { return d.Mass2 },
		func(s *shallow.Source) float64 { return s.Volume2 }}
	only = layerBudget{"", lower.mass, lower.inflow}
)

// ledger converts diagnostics to quantities.
type ledger struct {
	start  shallow.Diagnostics
	layers []layerBudget
	list   []diagnosed
}

// newLedger makes a ledger for a number of layers, with drifts and contributions of sources as columns.
func newLedger(start shallow.Diagnostics, layers int) *ledger {
	l := &ledger{start: start, layers: []layerBudget{upper, lower}, list: slices.Clone(twoLayerQuantities)}
	if layers == 1 {
		l.layers, l.list = []layerBudget{only}, slices.Clone(oneLayerQuantities)
	}
	for i := range l.list {
		m := &l.list[i]
		for _, layer := range l.layers {
			if m.Name == "mass"+layer.name+"_drift" {
				m.value = func(d *shallow.Diagnostics) float64 { return l.drift(d, layer) }
			}
		}
		if m.Outputs&solvers.Drift != 0 && len(start.Sources) > 0 {
			m.Outputs |= solvers.Column
		}
	}
	for k, source := range start.Sources {
		for _, layer := range l.layers {
			l.list = append(l.list, diagnosed{solvers.Quantity{
				Name: "mass" + layer.name + solvers.SourceInfix + source.Name, Unit: "m³", Outputs: inAll,
				Doc: fmt.Sprintf("what came in of mass%s from %s since the start", layer.name, source.Name),
			}, func(d *shallow.Diagnostics) float64 { return layer.inflow(&d.Sources[k]) }})
		}
	}
	for k := range start.Structures {
		l.addStructure(k, &start.Structures[k])
	}
	return l
}

// addStructure adds the quantities of structure k.
func (l *ledger) addStructure(k int, p *hydraulics.Passage) {
	add := func(prefix, unit string, outputs solvers.Output, doc string, value func(p *hydraulics.Passage) float64) {
		panel := map[string]string{"m³/s": "discharge, m³/s", "": "setting"}[unit]
		l.list = append(l.list, diagnosed{solvers.Quantity{Name: prefix + p.Name, Unit: unit, Outputs: outputs, Panel: panel,
			Doc: fmt.Sprintf(doc, p.Name)}, func(d *shallow.Diagnostics) float64 { return value(&d.Structures[k]) }})
	}
	if p.Inside {
		add(solvers.ThroughPrefix, "m³", inAll, "what has passed through %s since the start",
			func(p *hydraulics.Passage) float64 { return p.Volume })
	}
	add("discharge_", "m³/s", solvers.Column, "mean discharge of %s in the last step",
		func(p *hydraulics.Passage) float64 { return p.Discharge })
	if p.Set {
		add("setting_", "", solvers.Column, "setting of %s: the opening of a gate, m, the share of a culvert that "+
			"is open, or of the capacity of a pump", func(p *hydraulics.Passage) float64 { return p.Setting })
	}
	if p.Opens {
		add(solvers.OpenedPrefix, "s", inSummary, "time at which %s has opened, -1 if it has not",
			func(p *hydraulics.Passage) float64 { return p.Opened })
	}
}

// drift returns the change of a layer's mass that its sources do not explain, relative to the larger of the masses at
// the start and now; 0 if there was never any.
func (l *ledger) drift(d *shallow.Diagnostics, layer layerBudget) float64 {
	now, start, sourced := layer.mass(d), layer.mass(&l.start), 0.0
	for k := range d.Sources {
		sourced += layer.inflow(&d.Sources[k])
	}
	if now == start && sourced == 0 {
		return 0
	}
	return (now - start - sourced) / max(now, start)
}

// quantities converts diagnostics to quantities.
func (l *ledger) quantities(d *shallow.Diagnostics) []solvers.Quantity {
	list := make([]solvers.Quantity, len(l.list))
	for i := range list {
		list[i] = l.list[i].Quantity
		list[i].Value = l.list[i].value(d)
	}
	return list
}
