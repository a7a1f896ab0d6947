package verify

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// Test 2 of the paper, run thirty times as long. Shear between the layers grows until the eigenvalues of internal
// waves at some edges become complex (in the prototype 0.01 to 0.05% of them), and the layers become thin over the
// bump. No exact solution is known; the run must stay finite and conserve mass.
//
// The correction, which moves cells to the boundary of hyperbolicity by friction between the layers (M. J. Castro et
// al., J. Sci. Comput. 48, 2011), must leave fewer complex edges than without it.
func hyperbolic(ctx context.Context, p *verify.Page) error {
	n, end := 90, 3.0
	if p.Options.Quick {
		n, end = 45, 1.0
	}
	m, err := basin.Square(5, n, basin.MeshSeed)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("test 2, %d cells, to t = %g", len(m.Cells), end),
		"scheme", "corrector", "steps", "max speed", "complex edges", "share", "quantity", "Atoll")
	for _, scheme := range basin.Schemes {
		var without int64
		for _, corrector := range []bool{false, true} {
			p.Progress("%s, corrector %t", scheme, corrector)
			cfg := basin.Settings(scheme, 0.98)
			cfg.Hyperbolic = corrector
			cfg.DryDepth = 1e-3
			b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: cfg, Initial: paperTest2})
			if err != nil {
				return err
			}
			// A state that stops being finite is an error of the step.
			c, err := b.Conserve(ctx, end)
			b.Close(ctx)
			if err != nil {
				return err
			}
			edges := c.End.ComplexEdges
			share := float64(edges) / (1.5 * float64(len(m.Cells)) * float64(b.Steps()))
			row := func(v verify.Verdict, quantity string, ours float64) {
				t.Row(v, scheme, corrector, b.Steps(), fmt.Sprintf("%.4g", c.Fastest), edges,
					fmt.Sprintf("%.4f%%", 100*share), quantity, ours)
			}
			row(verify.AtMost(c.Drift1, 1e-13), "drift of mass 1", c.Drift1)
			row(verify.AtMost(c.Drift2, 1e-13), "drift of mass 2", c.Drift2)
			row(verify.AtLeast(c.Least, 0), "least thickness", c.Least)
			if corrector {
				row(verify.VerdictOf(edges < without, fmt.Sprintf("< %d", without)), "complex edges", float64(edges))
			}
			without = edges
		}
	}
	t.Flush()
	return nil
}
