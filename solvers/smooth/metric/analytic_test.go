package metric

import (
	"math"
	"strings"
	"testing"
)

// TestAnalytic compares sizes with the definitions at some positions, and proves that metrics are positive definite.
func TestAnalytic(t *testing.T) {
	for _, c := range []struct {
		name     string
		p, along [3]float64
		size     float64
	}{
		{"linear-01", [3]float64{.2, .5}, [3]float64{0, 1}, .01}, {"linear-01", [3]float64{.2, 1}, [3]float64{0, 1}, .1},
		{"linear-0001", [3]float64{.2, .75}, [3]float64{0, 1}, .05005},
		{"linear-0001", [3]float64{.2, .5}, [3]float64{1, 0}, .1},
		{"polar-1", [3]float64{.3, .4}, [3]float64{.6, .8}, .001}, {"polar-1", [3]float64{.3, .4}, [3]float64{-.8, .6}, .1},
		{"polar-2", [3]float64{.3, .4}, [3]float64{-.8, .6}, .025}, {"polar-2", [3]float64{.6, .8}, [3]float64{-.8, .6}, .1},
		{"polar-2", [3]float64{}, [3]float64{1, 0}, .1}, {"masabl-1", [3]float64{.5, 0}, [3]float64{1, 0}, .21},
		{"masabl-1", [3]float64{.5, .5}, [3]float64{0, 1}, .001 * math.Exp(3)},
		{"side", [3]float64{.5, 1}, [3]float64{0, 1}, .1}, {"side", [3]float64{.5, 0}, [3]float64{0, 1}, .01},
		{"radial-1", [3]float64{.1, 1.3}, [3]float64{.6, .8}, .01},
		{"radial-1", [3]float64{.1, 1.3}, [3]float64{-.8, .6}, .1},
		{"circle-1", [3]float64{.1, 1.3}, [3]float64{.6, .8}, .0005},
		{"circle-1", [3]float64{1.5, .5}, [3]float64{0, 1}, 1.7},
		{"cube-linear", [3]float64{.1, .9, .5}, [3]float64{0, 0, 1}, .001},
		{"cube-linear", [3]float64{.1, .9, .5}, [3]float64{0, 1, 0}, .1},
		{"cube-polar-1", [3]float64{.3, .4, .7}, [3]float64{.6, .8, 0}, .001},
		{"cube-polar-2", [3]float64{.3, .4, .7}, [3]float64{0, 0, 1}, .1},
	} {
		at, dim, err := Analytic(c.name)
		if err != nil {
			t.Fatal(err)
		}
		m := at(c.p[0], c.p[1], c.p[2])
		if h := 1 / m.Length(dim, c.along); math.Abs(h-c.size) > 1e-9*c.size {
			t.Errorf("%s at %v along %v: size %g, want %g", c.name, c.p, c.along, h, c.size)
		}
	}
	for _, a := range analytic {
		if _, err := Sample(box(a.dim, 8, 1, .2), a.at); err != nil {
			t.Errorf("%s: %v", a.name, err)
		}
	}
	if _, _, err := Analytic("round"); err == nil || !strings.Contains(err.Error(),
		"choose one of linear-01, linear-0001,") {
		t.Error(err)
	}
}
