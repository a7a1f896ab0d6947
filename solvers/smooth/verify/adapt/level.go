package adapt

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/isovalue"
	"github.com/atoll-hpc/atoll/run/verify"
)

// radius of the circle and sphere of the check "level".
const radius = .3

// level cuts a square along a circle and a cube along a sphere, after and before an adaptation to one size, and
// compares the area or volume inside with the exact one, for two sizes.
func level(ctx context.Context, p *verify.Page) error {
	t := p.Table("area in a circle and volume in a sphere", "mesh", "size", "vertices", "inside", "relative error",
		"order", "worst quality")
	for _, c := range []struct {
		name  string
		exact float64
		sizes []float64
		cut   func(ctx context.Context, size float64) (inside float64, s adapt.Statistics, err error)
	}{
		{"circle", math.Pi * radius * radius, []float64{.08, .02}, inCircle},
		{"sphere", 4. / 3 * math.Pi * radius * radius * radius, []float64{.16, .08}, inSphere},
	} {
		var last, before float64
		if p.Options.Quick {
			c.sizes = c.sizes[:1]
		}
		for _, size := range c.sizes {
			p.Progress("%s, %g", c.name, size)
			inside, s, err := c.cut(ctx, size)
			if err != nil {
				return err
			}
			e, order, v := math.Abs(inside/c.exact-1), any("–"), verify.AtLeast(s.QualityWorst, .3)
			if last > 0 {
				order = math.Log(last/e) / math.Log(before/size)
				v = verify.AtLeast(order.(float64), 1.7)
			}
			t.Row(v, c.name, size, s.Vertices, inside, e, order, s.QualityWorst)
			last, before = e, size
		}
	}
	t.Flush()
	return nil
}

// fromRound is positive outside of the circle or sphere.
func fromRound(x, y, z float64) (float64, error) {
	return math.Sqrt((x-.5)*(x-.5)+(y-.5)*(y-.5)+z*z) - radius, nil
}

func inCircle(ctx context.Context, size float64) (inside float64, s adapt.Statistics, err error) {
	a, err := adapt.Triangles(square(10), adapt.Options{Ridge: 45})
	if err == nil {
		err = a.Run(ctx, uniform(2, size))
	}
	if err != nil {
		return 0, s, err
	}
	m, cut, err := isovalue.Triangles(a.Mesh(), fromRound)
	if err != nil {
		return 0, s, err
	}
	if a, err = adapt.Triangles(m, adapt.Options{Ridge: 45}); err == nil {
		err = a.Run(ctx, uniform(2, size))
	}
	if err != nil {
		return 0, s, err
	}
	m = a.Mesh()
	for c, g := range m.CellGroup {
		if cut.Below[g] {
			inside += m.Area(c)
		}
	}
	return inside, a.Measure(uniform(2, size)), nil
}

func inSphere(ctx context.Context, size float64) (inside float64, s adapt.Statistics, err error) {
	box, err := cube(5, 0)
	if err != nil {
		return 0, s, err
	}
	a, err := adapt.Tetrahedra(box, adapt.Options{Ridge: 45})
	if err == nil {
		err = a.Run(ctx, uniform(3, size))
	}
	if err != nil {
		return 0, s, err
	}
	to, cut, err := isovalue.Tetrahedra(a.Solid(), func(x, y, z float64) (float64, error) { return fromRound(x, y, z-.5) })
	if err != nil {
		return 0, s, err
	}
	if a, err = adapt.Tetrahedra(to, adapt.Options{Ridge: 45}); err == nil {
		err = a.Run(ctx, uniform(3, size))
	}
	if err != nil {
		return 0, s, err
	}
	to = a.Solid()
	for c, tag := range to.CellTag {
		if cut.Below[tag] {
			inside += to.Volume(c)
		}
	}
	return inside, a.Measure(uniform(3, size)), nil
}
