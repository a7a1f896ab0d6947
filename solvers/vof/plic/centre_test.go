package plic

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCentreOfSimpleParts compares with centres that are known.
func TestCentreOfSimpleParts(t *testing.T) {
	axis, third := 0.0, 1.0/3
	for _, c := range []struct {
		name string
		part part
		want [3]float64
	}{
		{"whole", part{}, [3]float64{.5, .5, .5}},
		{"layer", part{m: [3]float64{0, 1, 0}, alpha: .3}, [3]float64{.5, .15, .5}},
		{"layer from above", part{m: [3]float64{0, 0, -2}, alpha: -1.5}, [3]float64{.5, .5, .875}},
		{"triangle", part{m: [3]float64{1, 1, 0}, alpha: .6}, [3]float64{.2, .2, .5}},
		{"tetrahedron", part{m: [3]float64{1, 1, 1}, alpha: .6}, [3]float64{.15, .15, .15}},
		{"disk", part{inner: &axis}, [3]float64{2 * third, .5}},
		{"cone", part{m: [3]float64{1, 1, 0}, alpha: 1, inner: &axis}, [3]float64{.5, .25}},
	} {
		for d, want := range c.want {
			if c.part.inner != nil && d == 2 {
				continue
			}
			if v := c.part.centre(d); math.Abs(v-want) > 1e-15 {
				t.Errorf("%s: %v along axis %d, %v is exact", c.name, v, d, want)
			}
		}
	}
}

// TestCentreIsThatOfPoints compares random parts with the means of many points.
func TestCentreIsThatOfPoints(t *testing.T) {
	const n = 48
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		p := part{m: [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}}
		dim := 2 + trial%2
		if dim == 2 {
			p.m[2] = 0
		}
		inside := [3]float64{r.Float64(), r.Float64(), r.Float64()}
		p.alpha = p.m[0]*inside[0] + p.m[1]*inside[1] + p.m[2]*inside[2]
		radius := float64(r.IntN(3))
		if dim == 2 && trial%4 == 0 {
			p.inner = &radius
		}
		var sum, moment [3]float64
		for k := range n * n * n {
			at := [3]float64{(float64(k%n) + .5) / n, (float64(k/n%n) + .5) / n, (float64(k/n/n) + .5) / n}
			if p.m[0]*at[0]+p.m[1]*at[1]+p.m[2]*at[2] > p.alpha {
				continue
			}
			weight := 1.0
			if p.inner != nil {
				weight = radius + at[0]
			}
			for d := range dim {
				sum[d], moment[d] = sum[d]+weight, moment[d]+weight*at[d]
			}
		}
		for d := range dim {
			if sum[d] < 1000 {
				continue // too few points
			}
			if v, want := p.centre(d), moment[d]/sum[d]; math.Abs(v-want) > .01 {
				t.Errorf("%+v: %v along axis %d, of points %v", p, v, d, want)
			}
		}
	}
}
