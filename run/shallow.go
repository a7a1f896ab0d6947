package run

import (
	"fmt"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/config"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// shallowSetUp turns the sections of a case into what the solver takes.
func shallowSetUp(c *config.Case, part *mesh.Part) (shallow.Config, shallow.Initial, error) {
	w, p := c.Sections.(*config.Shallow), c.Sections.(*config.Shallow).Physics
	cfg := shallow.Config{
		Scheme: p.Scheme, Gravity: p.Gravity, DensityRatio: p.DensityRatio, CFL: p.CFL, EntropyFix: p.EntropyFix,
		DryDepth: p.DryDepth, Hyperbolic: p.InterlayerFriction, Open: w.Boundary.Default == "open",
	}
	if p.Layers == 1 {
		cfg.DensityRatio = 1 // without an upper layer it does not matter
	}
	var in shallow.Initial
	var err error
	if cfg.Boundary, err = boundaryKinds(w.Boundary, part.Groups); err != nil {
		return cfg, in, err
	}
	v, err := evaluate(c, w.Initial, part)
	if err != nil {
		return cfg, in, fmt.Errorf("[initial] %w", err)
	}
	in.Depth = v["depth"]
	if p.Layers == 1 {
		// The one layer is the lower one: the upper is absent everywhere.
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
	if !isZero(&p.Manning) {
		m, err := evaluate(c, []config.Field{p.Manning}, part)
		if err != nil {
			return cfg, in, fmt.Errorf("[physics] %w", err)
		}
		in.Manning = m["manning"]
		for i, n := range in.Manning {
			if n < 0 {
				return cfg, in, fmt.Errorf("[physics] manning at cell %d is %g: it cannot be negative", part.Global[i], n)
			}
		}
	}
	return cfg, in, nil
}

func zeros(part *mesh.Part) []float64 { return make([]float64, len(part.Cells)) }

// solverField is what the solver calls a field of a case: one layer is its lower one.
func solverField(layers int, name string) string {
	if layers == 2 || name == "depth" {
		return name
	}
	return name + "2"
}

// metrics are what the summary says about the end of the run, by the names of the case's layers.
func metrics(d, start shallow.Diagnostics) map[string]float64 {
	return map[string]float64{
		"mass1": d.Mass1, "mass2": d.Mass2,
		"mass1_drift": drift(d.Mass1, start.Mass1), "mass2_drift": drift(d.Mass2, start.Mass2),
		"h1_min": d.H1Min, "h1_max": d.H1Max, "h2_min": d.H2Min, "h2_max": d.H2Max,
		"speed_max": d.SpeedMax, "z1_abs_integral": d.Z1AbsIntegral, "h2_sq_integral": d.H2SqIntegral,
		"complex_edges": float64(d.ComplexEdges), "limited_fluxes": float64(d.LimitedFluxes), "cfl_max": d.CFLMax,
	}
}

// drift is the relative change of a mass, or the absolute one where there was none.
func drift(now, start float64) float64 {
	if start == 0 {
		return now
	}
	return (now - start) / start
}
