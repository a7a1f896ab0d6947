package metric

import (
	"fmt"
	"math"
	"strings"

	"github.com/atoll-hpc/atoll/internal/portable"
)

// Analytic metrics of the unit square and the unit cube, with which mesh adaptation programs are compared, as defined
// by the acceptance tests of refine (NASA, https://github.com/nasa/refine) and the Unstructured Grid Adaptation
// Working Group (https://github.com/UGAWG/adapt-benchmarks).
var analytic = []struct {
	name string
	dim  int
	at   func(x, y, z float64) Tensor
}{
	{"linear-01", 2, func(_, y, _ float64) Tensor { return sizes(.1, slab(.01, y), 0) }},
	{"linear-0001", 2, func(_, y, _ float64) Tensor { return sizes(.1, slab(.0001, y), 0) }},
	{"side", 2, func(_, y, _ float64) Tensor { return sizes(.1, .01+.09*y, 0) }},
	{"polar-1", 2, func(x, y, _ float64) Tensor { return polar(x, y, ring(x, y), .1, 0) }},
	{"polar-2", 2, func(x, y, _ float64) Tensor { return polar(x, y, ring(x, y), tangential(x, y), 0) }},
	{"radial-1", 2, func(x, y, _ float64) Tensor { return polar(x+.5, y-.5, .01, .1, 0) }},
	{"circle-1", 2, func(x, y, _ float64) Tensor {
		r := math.Hypot(x+.5, y-.5)
		off := 1.5 * math.Abs(1-r)
		return polar(x+.5, y-.5, .0005+off, .1*r+off, 0)
	}},
	{"masabl-1", 2, func(x, y, _ float64) Tensor {
		return sizes(.01+.2*math.Cos(math.Pi*(x-.5)), .001*portable.Exp(6*y), 0)
	}},
	{"cube-linear", 3, func(_, _, z float64) Tensor { return sizes(.1, .1, slab(.001, z)) }},
	{"cube-polar-1", 3, func(x, y, _ float64) Tensor { return polar(x, y, ring(x, y), .1, .1) }},
	{"cube-polar-2", 3, func(x, y, _ float64) Tensor { return polar(x, y, ring(x, y), tangential(x, y), .1) }},
}

// Analytic returns an analytic metric by its name, and its dimension.
func Analytic(name string) (tensorAt func(x, y, z float64) Tensor, dim int, err error) {
	var names []string
	for _, a := range analytic {
		if a.name == name {
			return a.at, a.dim, nil
		}
		names = append(names, a.name)
	}
	return nil, 0, fmt.Errorf("metric %q is not known; choose one of %s", name, strings.Join(names, ", "))
}

// sizes is a metric with principal directions along the axes; in the plane hz is 0.
func sizes(hx, hy, hz float64) Tensor {
	t := Tensor{1 / (hx * hx), 0, 1 / (hy * hy)}
	if hz > 0 {
		t[5] = 1 / (hz * hz)
	}
	return t
}

// slab is a size that grows linearly from h at s = 1/2 to 0.1 at s = 0 and s = 1.
func slab(h, s float64) float64 { return h + (.1-h)*math.Abs(s-.5)/.5 }

// polar is a metric with a radial size, and a size along circles around the origin.
func polar(x, y, radial, along, hz float64) Tensor {
	r := math.Hypot(x, y)
	c, s := 1.0, 0.0
	if r > 0 {
		c, s = x/r, y/r
	}
	a, b := 1/(radial*radial), 1/(along*along)
	t := Tensor{a*c*c + b*s*s, (a - b) * s * c, a*s*s + b*c*c}
	if hz > 0 {
		t[5] = 1 / (hz * hz)
	}
	return t
}

// ring is a radial size of 0.001 on the circle of radius 1/2 that grows away from it.
func ring(x, y float64) float64 { return .001 + 2*(.1-.001)*math.Abs(math.Hypot(x, y)-.5) }

// tangential is the size along circles in polar-2, which falls from 0.1 to 0.025 near the circle of radius 1/2.
func tangential(x, y float64) float64 {
	d := min(10*math.Abs(math.Hypot(x, y)-.5), 1)
	return .1*d + .025*(1-d)
}
