package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
)

// large smooths an irregular mesh of 16,641 vertices with barrier in the graded and the anisotropic metric of
// "kinds", which must end within 200 sweeps. The bounds are ours.
func large(ctx context.Context, p *verify.Page) error {
	side := 128
	if p.Options.Quick {
		side = 24
	}
	t := p.Table(fmt.Sprintf("barrier, %d vertices", (side+1)*(side+1)), "kind", "mean before", "worst", "mean after",
		"worst", "sweeps")
	for _, k := range kindCases {
		bound := map[string]meanAndWorst{"plane, graded": {.87, .65}, "plane, anisotropic": {.93, .73}}[k.name]
		if bound.mean == 0 {
			continue
		}
		if p.Options.Quick {
			bound = meanAndWorst{bound.mean - .05, bound.worst - .15}
		}
		p.Progress("%s", strings.TrimPrefix(k.name, "plane, "))
		m := alternatingMesh(side, side, 1, 1)
		if err := displaceRandomly(m, .24/float64(side)); err != nil {
			return err
		}
		before, after, _, err := k.smooth(ctx, p, &testMesh{plane: m}, true)
		if err != nil {
			return err
		}
		t.Row(both(verify.AtMost(float64(after.Sweeps), 200), bound.verdict(&after)), k.name, before.QualityMean,
			before.QualityMin, after.QualityMean, after.QualityMin, after.Sweeps)
	}
	t.Flush()
	return nil
}

// displaceRandomly moves the vertices inside the unit square at random, by up to far along both axes, and flips
// edges until the mesh is Delaunay.
func displaceRandomly(m *mesh.Mesh, far float64) error {
	rng := rand.New(rand.NewPCG(128, 1))
	for v := range m.X {
		if x, y := m.X[v], m.Y[v]; x > 0 && x < 1 && y > 0 && y < 1 {
			m.X[v], m.Y[v] = x+far*(2*rng.Float64()-1), y+far*(2*rng.Float64()-1)
		}
	}
	_, err := m.FlipToDelaunay()
	return err
}
