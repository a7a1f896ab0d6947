package problem

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/coordinates"
	"github.com/atoll-hpc/atoll/solvers/shallow/faults"
	"github.com/atoll-hpc/atoll/solvers/shallow/structures"
)

// setUp evaluates the sections of a case for the solver, and adds what it finds in files of fields to markers.
func setUp(ctx context.Context, c *config.Case, part *mesh.Part, markers *domain.Markers) (shallow.Config,
	shallow.Initial, error) {
	w := c.Sections.(*Sections)
	p := w.Physics
	cfg := shallow.Config{
		Scheme: p.Scheme, Order: p.Order, Layers: p.Layers, Gravity: p.Gravity, DensityRatio: p.DensityRatio, CFL: p.CFL,
		EntropyFix: p.EntropyFix, DryDepth: p.DryDepth, Hyperbolic: p.InterlayerFriction, Lag: p.LaggedStep,
		LocalSteps: p.LocalSteps, Open: w.Boundary.Default == "open", Note: c.Note,
	}
	cfg.Keep = shallow.Keep{Maxima: w.Maxima.Keep, Threshold: w.Maxima.Threshold}
	var in shallow.Initial
	err := coordinates.CheckPart(c, part)
	if err != nil {
		return cfg, in, err
	}
	if cfg.Boundary, err = boundaryKinds(w.Boundary, part.Groups); err != nil {
		return cfg, in, err
	}
	if cfg.Given, err = conditionsOf(c, w.Boundary, part.Groups, w.Forcing.WaterDensity); err != nil {
		return cfg, in, err
	}
	cfg.Structures, err = structures.Evaluate(c, w.Structures, w.Rules, groupNames(part.Groups))
	if err != nil {
		return cfg, in, err
	}
	v, err := domain.Evaluate(ctx, c, w.Initial, part, markers)
	if err != nil {
		return cfg, in, fmt.Errorf("[initial] %w", err)
	}
	setThicknesses(&in, v, part, p.Layers)
	if err := refuseNegative(&in, part, p.Layers); err != nil {
		return cfg, in, err
	}
	if err := w.Forcing.evaluate(c, part, &cfg); err != nil {
		return cfg, in, err
	}
	if in.Coefficients, err = w.Forcing.Coefficients.Evaluate(ctx, c, part, markers); err != nil {
		return cfg, in, err
	}
	rise, err := faults.Add(ctx, w.Forcing.Faults, part, in.Coefficients[coefficients.Uplift])
	if err != nil {
		return cfg, in, err
	}
	if rise != nil {
		in.Coefficients[coefficients.Uplift] = rise
	}
	for i := range in.Coefficients[coefficients.Pressure] {
		in.Coefficients[coefficients.Pressure][i] /= w.Forcing.WaterDensity
	}
	return cfg, in, nil
}

// fields are all fields of the case.
func (w *Sections) fields() []config.Field {
	return slices.Concat(w.Initial, w.Forcing.Coefficients.List())
}

// groupNames are the names of groups of edges.
func groupNames(groups []mesh.Group) (names []string) {
	for _, g := range groups {
		if g.Dim == 1 {
			names = append(names, g.Name)
		}
	}
	return names
}

// setThicknesses sets depth, thicknesses and velocities of the layers from evaluated fields, which may be levels.
func setThicknesses(in *shallow.Initial, v map[string][]float64, part *mesh.Part, layers int) {
	in.Depth = v["depth"]
	if layers == 1 {
		// A single layer is the lower one: the upper is absent everywhere.
		in.H1, in.U1, in.V1 = zeros(part), zeros(part), zeros(part)
		in.H2, in.U2, in.V2 = v["h"], v["u"], v["v"]
		if z := v["z"]; z != nil {
			in.H2 = zeros(part)
			for i := range z {
				in.H2[i] = max(0, z[i]+in.Depth[i])
			}
		}
	} else {
		in.H1, in.U1, in.V1 = v["h1"], v["u1"], v["v1"]
		in.H2, in.U2, in.V2 = v["h2"], v["u2"], v["v2"]
		if z1, z2 := v["z1"], v["z2"]; z1 != nil {
			in.H1, in.H2 = zeros(part), zeros(part)
			for i := range z1 {
				in.H2[i] = max(0, z2[i]+in.Depth[i])
				in.H1[i] = max(0, z1[i]-max(z2[i], -in.Depth[i]))
			}
		}
	}
}

// refuseNegative refuses negative thicknesses in the cells of this rank.
func refuseNegative(in *shallow.Initial, part *mesh.Part, layers int) error {
	for i := range part.Cells {
		if in.H1[i] < 0 || in.H2[i] < 0 {
			values := fmt.Sprintf("h = %g", in.H2[i])
			if layers == 2 {
				values = fmt.Sprintf("h1 = %g, h2 = %g", in.H1[i], in.H2[i])
			}
			x, y := part.Centroid(i)
			return fmt.Errorf("cell %d at (%g, %g): the initial thickness is negative (%s)", part.Global[i], x, y, values)
		}
	}
	return nil
}

func zeros(part *mesh.Part) []float64 { return make([]float64, len(part.Cells)) }
