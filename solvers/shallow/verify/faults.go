package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/okada"
)

// displacements are those of Table 2 of Y. Okada (1985) by faults of length 3 and width 2 that slip by 1, x along the
// strike, y to the left of it, from above the corner of the lower edge.
var displacements = []struct {
	name             string
	x, y, depth, dip float64 // the depth is that of the lower edge
	rake             float64
	want             [3]float64
}{
	{"2, slip along the strike", 2, 3, 4, 70, 0, [3]float64{-8.689e-3, -4.298e-3, -2.747e-3}},
	{"2, slip up the dip", 2, 3, 4, 70, 90, [3]float64{-4.682e-3, -3.527e-2, -3.564e-2}},
	{"3, slip along the strike", 0, 0, 4, 90, 0, [3]float64{0, 5.253e-3, 0}},
	{"3, slip up the dip", 0, 0, 4, 90, 90, [3]float64{}},
}

// quake compares displacements by faults with published ones, of four digits.
func quake(_ context.Context, p *verify.Page) error {
	t := p.Table("Okada (1985), Table 2", "case", "direction", "published", "Atoll")
	for _, d := range displacements {
		const length, width = 3, 2
		sin, cos := math.Sincos(d.dip * math.Pi / 180)
		s := okada.New(&okada.Fault{X: length / 2., Y: width / 2. * cos, Depth: d.depth - width/2.*sin, Length: length,
			Width: width, Strike: 90, Dip: d.dip, Rake: d.rake, Slip: 1, Poisson: .25})
		x, y, z := s.At(d.x, d.y)
		for k, got := range []float64{x, y, z} {
			unit := 1e-6 // of the last published digit
			if math.Abs(d.want[k]) > .01 {
				unit = 1e-5
			}
			t.Row(verify.VerdictOf(math.Abs(got-d.want[k]) < .51*unit, fmt.Sprintf("±%.2g", .51*unit)), d.name,
				[]string{"x", "y", "z"}[k], d.want[k], got)
		}
	}
	t.Flush()
	return nil
}
