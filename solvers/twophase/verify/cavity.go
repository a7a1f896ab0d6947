package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

const cavityCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 1, 1], cells = [%d, %d] }
fluids = { density = 1, viscosity = %g }
sides = { x_low = "no-slip", x_high = "no-slip", y_low = "no-slip", y_high = { kind = "no-slip", velocity = [1, 0] } }
time = { end = %g }
`

// cavities are published extremes of the velocities on the lines through the centre: the least u, the least v and the
// greatest v.
var cavities = []struct {
	reynolds, end float64
	source        string
	want          [3]float64
	meshes        []cavityMesh
}{
	{100, 15, "Botella and Peyret, Comput. Fluids 27, 1998", [3]float64{-.2140424, -.2538030, .1795728},
		[]cavityMesh{{32, 0, .03}, {64, 1, .008}, {128, 2, .006}}},
	{400, 40, "Ghia, Ghia and Shin, J. Comput. Phys. 48, 1982", [3]float64{-.32726, -.44993, .30203},
		[]cavityMesh{{32, 1, .09}, {64, 1, .02}, {128, 2, .015}}},
}

// cavityMesh is a number of cells along each axis, and the largest error.
type cavityMesh struct {
	n, resolution int
	share         float64
}

// cavity compares flows in cavities. The values of Ghia, Ghia and Shin at Reynolds number 100 (-.21090, -.24533,
// .17527) are 1.5 to 3.3% less than those of the spectral method of Botella and Peyret.
func cavity(ctx context.Context, p *verify.Page) error {
	for _, c := range cavities {
		t := p.Table(fmt.Sprintf("The lid-driven cavity at Reynolds number %g (%s: %g, %g, %g)", c.reynolds, c.source,
			c.want[0], c.want[1], c.want[2]), "cells", "steps", "least u", "least v", "greatest v", "largest error", "order")
		last := 0.0
		for _, m := range c.meshes {
			if skipped(p, m.resolution) {
				continue
			}
			p.Progress("Reynolds number %g, %d cells", c.reynolds, m.n)
			j := testRun{text: fmt.Sprintf(cavityCase, m.n, m.n, 1/c.reynolds, c.end)}
			o, err := j.run(ctx, p, 1)
			if err != nil {
				return err
			}
			got, most := extremes(o, m.n), 0.0
			for k, want := range c.want {
				most = max(most, math.Abs(got[k]/want-1))
			}
			v, order := verify.AtMost(most, m.share), ""
			if last > 0 {
				v = v.And(verify.AtLeast(verify.Order(last, most), 1.2), "order")
				order = fmt.Sprintf("%.2f", verify.Order(last, most))
			}
			t.Row(v, m.n, o.steps, fmt.Sprintf("%.5f", got[0]), fmt.Sprintf("%.5f", got[1]), fmt.Sprintf("%.5f", got[2]),
				fmt.Sprintf("%.2f%%", 100*most), order)
			last = most
		}
		t.Flush()
	}
	return nil
}

// extremes are the least u, the least v and the greatest v on the lines through the centre.
func extremes(o outcome, n int) (got [3]float64) {
	u, v := o.fields["face_u"], o.fields["face_v"]
	for k := range n {
		got[0] = min(got[0], u[n/2+(n+1)*k])
		got[1], got[2] = min(got[1], v[k+n*(n/2)]), max(got[2], v[k+n*(n/2)])
	}
	return got
}
