package problem

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// The fields of two layers and of one, and what the solver calls the latter: one layer is its lower one.
var (
	twoLayers = []solvers.Field{
		{Name: "h1", Unit: "m", Doc: "thickness of the upper layer", Where: "h1", Absent: absent},
		{Name: "h2", Unit: "m", Doc: "thickness of the lower layer", Where: "h2", Absent: absent},
		{Name: "z1", Unit: "m", Doc: "height of the surface above the datum", Where: "h1", Level: true},
		{Name: "z2", Unit: "m", Doc: "height of the interface above the datum", Where: "h2", Level: true},
		{Name: "u1", Unit: "m/s", Doc: "velocity of the upper layer, x-component", Where: "h1"},
		{Name: "v1", Unit: "m/s", Doc: "velocity of the upper layer, y-component", Where: "h1"},
		{Name: "u2", Unit: "m/s", Doc: "velocity of the lower layer, x-component", Where: "h2"},
		{Name: "v2", Unit: "m/s", Doc: "velocity of the lower layer, y-component", Where: "h2"},
		{Name: "depth", Unit: "m", Doc: "of the bed below the datum"},
	}
	oneLayer = []solvers.Field{
		{Name: "h", Unit: "m", Doc: "thickness of the layer", Where: "h", Absent: absent},
		{Name: "z", Unit: "m", Doc: "height of the surface above the datum", Where: "h", Level: true},
		{Name: "u", Unit: "m/s", Doc: "velocity, x-component", Where: "h"},
		{Name: "v", Unit: "m/s", Doc: "velocity, y-component", Where: "h"},
		{Name: "depth", Unit: "m", Doc: "of the bed below the datum"},
	}
)

// maxima are the fields of what is largest since the start.
func maxima() (fields []solvers.Field) {
	for _, m := range shallow.Maxima {
		f := m.Field
		f.Where = "max_h"
		if f.Name == f.Where {
			f.Absent = absent
		}
		fields = append(fields, f)
	}
	return fields
}

// absent is the thickness of a layer up to which pictures show that there is none: that up to which it counts as
// absent, by the case or else about as the solver finds it.
func absent(c *config.Case, start []float64) float64 {
	if c != nil {
		if s, ok := c.Sections.(*Sections); ok && s.Physics.DryDepth > 0 {
			return s.Physics.DryDepth
		}
	}
	n, sum := 0, 0.0
	for _, h := range start {
		if h > 0 {
			n, sum = n+1, sum+h
		}
	}
	return min(1e-3, 1e-4*sum/float64(max(n, 1)))
}

// declared are the fields of so many layers, and names what the solver calls them.
func declared(layers int) (fields []solvers.Field, names []string) {
	if layers == 1 {
		return oneLayer, []string{"h2", "z2", "u2", "v2", "depth"}
	}
	return twoLayers, solvers.FieldNames(twoLayers)
}

func (d *flow) Fields() []solvers.Field {
	fields, names := declared(d.layers())
	fields = slices.Clone(fields)
	state := d.StateField(d.cells)
	for i, name := range names {
		fields[i].On = d.cells
		fields[i].Values = func(context.Context) ([]float64, error) { return d.Field(name) }
		fields[i].At = func(_ context.Context, cells []int, values []float64) error {
			return d.Pick(name, cells, values)
		}
		if of := d.OfState(name); of != nil {
			fields[i].From, fields[i].Value = &state, of
		}
	}
	fields = append(fields, d.PeakFields(d.cells)...)
	return append(append(fields, state), d.BudgetFields()...)
}

// Sample is that of solvers.Sampler, for fields of the state.
func (d *flow) Sample(fields []string, cells []int) (bool, error) {
	own, _ := declared(d.layers())
	known := solvers.FieldNames(own)
	for _, name := range fields {
		if !slices.Contains(known, name) {
			return false, nil
		}
	}
	return d.Solver.Sample(cells)
}
