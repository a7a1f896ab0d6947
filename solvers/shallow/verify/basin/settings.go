package basin

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// Settings returns the parameters of most checks at first order; ratio is the density ratio of the layers.
func Settings(scheme string, ratio float64) shallow.Config {
	return shallow.Config{
		Scheme: scheme, Gravity: Gravity, DensityRatio: ratio, CFL: 0.9, EntropyFix: 0.05, DryDepth: 1e-6,
	}
}

// SecondOrder returns the parameters of most checks of second order; dry is the dry depth in m.
func SecondOrder(scheme string, ratio, dry float64) shallow.Config {
	cfg := Settings(scheme, ratio)
	cfg.Order, cfg.DryDepth = 2, dry
	return cfg
}

// Given returns the prescribed conditions of a rectangle's groups: left, right, bottom and top, in their order in the
// mesh.
func Given(m *mesh.Mesh, at map[string]*shallow.Given) []*shallow.Given {
	all := make([]*shallow.Given, len(m.Groups))
	for i, g := range m.Groups {
		all[i] = at[g.Name]
	}
	return all
}

// Bound returns the bound full, or quick if the run is a quick one.
func Bound(p *verify.Page, full, quick float64) float64 {
	if p.Options.Quick {
		return quick
	}
	return full
}

// Finest returns the verdict on the finest mesh of a full run, and none on others.
func Finest(p *verify.Page, last bool, v verify.Verdict) verify.Verdict {
	if last && !p.Options.Quick {
		return v
	}
	return verify.Info
}

// Triangles returns the number of triangles of a check for quick or full runs, times the resolution in the options.
func Triangles(p *verify.Page, quick, full int) int {
	n := full
	if p.Options.Quick {
		n = quick
	}
	if p.Options.Resolution > 0 {
		return int(float64(n) * p.Options.Resolution)
	}
	return n
}
