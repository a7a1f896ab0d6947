package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// roughFan is Ritter's fan behind a dam of some depth with friction at the bed, for short times t: R. F. Dressler's
// expansion (J. Res. Nat. Bur. Stand. 49, 1952), u + 2c = 2C + t ρ₊ and u - 2c = … + t ρ₋ on Ritter's
// characteristics, with c = √(gh) and C that at the dam. Along the first family ρ₊ - ⅔ c dρ₊/dc = -S, and across the
// second 2ρ₋ + ⅓ρ₊ = -S, where S(c) is the deceleration by friction in Ritter's fan, whose velocity is 2(C - c).
// Dressler uses Chézy's law; here S is arbitrary.
type roughFan struct {
	depth        float64                    // of the water behind the dam, m
	deceleration func(h, u float64) float64 // S, m/s²
}

// at returns depth and velocity at x from the dam and time t, as far as there is a fan.
func (f roughFan) at(x, t float64) (h, u float64) {
	still := math.Sqrt(basin.Gravity * f.depth)
	c := (2*still - x/t) / 3
	if c >= still {
		return f.depth, 0
	}
	s := func(c float64) float64 { return f.deceleration(c*c/basin.Gravity, 2*(still-c)) }
	// ρ₊ = -³⁄₂ c^(3/2) ∫ S/c'^(5/2) dc' from c to C, by Simpson's rule.
	const pieces = 400
	step := (still - c) / pieces
	sum := 0.0
	for k := range pieces {
		a := c + float64(k)*step
		for i, weight := range []float64{1, 4, 1} {
			v := a + float64(i)*step/2
			sum += weight * step / 6 * s(v) / math.Pow(v, 2.5)
		}
	}
	first := -1.5 * math.Pow(c, 1.5) * sum
	second := -(s(c) + first/3) / 2
	u = 2*(still-c) + t*(first+second)/2
	c += t * (first - second) / 4
	return c * c / basin.Gravity, u
}

// roughDam is a dam of 6 m that breaks over a dry, rough bed. The expansion is valid where friction has reduced the
// velocity by less than a tenth; near the tip the water is slower than it predicts.
func roughDam(ctx context.Context, p *verify.Page) error {
	const manning, deep, long, wide, end = .02, 6.0, 1000.0, 20.0, 30.0
	cells := 8000
	if p.Options.Quick {
		cells = 1000
	}
	m, err := mesh.Rectangle(0, 0, long, wide, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	p.Progress("rough bed, %d cells", len(m.Cells))
	f := basin.Flow{Mesh: m, Config: basin.SecondOrder("pvm-ifcp", 1, 1e-4), Manning: manning, Initial: func(x,
		_ float64) basin.State {
		if x < long/2 {
			return basin.State{H2: deep}
		}
		return basin.State{}
	}}
	rough := roughFan{deep, func(h, u float64) float64 {
		return basin.Gravity * manning * manning * u * u / math.Pow(h,
			4.0/3)
	}}
	smooth := newDam(deep, 0)
	t := p.Table(fmt.Sprintf("a dam of %g m over a dry bed, n = %g: %d cells, t = %g", deep, manning, len(m.Cells), end),
		"quantity", "reference", "Atoll", "without friction")
	err = basin.Evolve(ctx, p, f, end, func(b *basin.Basin) error {
		var difference, smoothDifference, discharge, area float64
		for i := range b.Part.Owned {
			x, _ := b.Part.Centroid(i)
			x -= long / 2
			h, u := rough.at(x, end)
			_, free := smooth.at(x, end)
			if x < -smooth.frontSpeed/2*end || !(free-u < .1*free) {
				continue
			}
			a := b.Part.Area(i)
			difference += a * math.Abs(b.Value("h2", i)*b.Value("u2", i)-h*u)
			h0, _ := smooth.at(x, end)
			smoothDifference += a * math.Abs(h0*free-h*u)
			discharge, area = discharge+a*h*u, area+a
		}
		t.Row(verify.AtMost(difference/discharge, basin.Bound(p, .006, .02)), "error of the discharge, as a share", 0,
			difference/discharge, smoothDifference/discharge)
		front := frontAt(b, "h2", 1e-2) - long/2
		t.Row(verify.Between(front/(smooth.frontSpeed*end), .4, .75), "the 1 cm line, as a share of the front without", "",
			front/(smooth.frontSpeed*end), 1)
		t.Row(verify.Info, "width of what is compared, m", "", area/wide, "")
		return nil
	})
	t.Flush()
	return err
}
