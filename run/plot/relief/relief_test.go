package relief

import (
	"math"
	"testing"
)

// square returns a square of n x n squares of two triangles each, and the heights of its cells.
func square(n int, height func(x, y float64) float64) (x, y []float64, cells [][3]int32, ground []float64) {
	for j := range n + 1 {
		for i := range n + 1 {
			x, y = append(x, float64(i)), append(y, float64(j))
		}
	}
	for j := range n {
		for i := range n {
			p := int32(j*(n+1) + i)
			for _, c := range [][3]int32{{p, p + 1, p + int32(n) + 2}, {p, p + int32(n) + 2, p + int32(n) + 1}} {
				cells = append(cells, c)
				mx, my := (x[c[0]]+x[c[1]]+x[c[2]])/3, (y[c[0]]+y[c[1]]+y[c[2]])/3
				ground = append(ground, height(mx, my))
			}
		}
	}
	return x, y, cells, ground
}

// TestPlanesAreShadedEvenly: a plane has the same brightness everywhere, also at its sides.
func TestPlanesAreShadedEvenly(t *testing.T) {
	x, y, cells, ground := square(9, func(x, y float64) float64 { return 50 + .1*x - .05*y })
	for i := range x {
		x[i], y[i] = 3*x[i]+4e5, 3*y[i]+5.6e6
	}
	shade := Shade(x, y, cells, ground)
	for i, s := range shade {
		if math.Abs(s-shade[0]) > 1e-6 || !(s > 1) {
			t.Fatalf("brightness %g of cell %d, %g of cell 0", s, i, shade[0])
		}
	}
}

// TestLightComesFromTheNorthWest: slopes that face it are brighter than level ground, those that face the south-east
// darker, whatever the relief is; level ground has no relief, and cells without a height are level.
func TestLightComesFromTheNorthWest(t *testing.T) {
	for _, height := range []float64{.1, 1, 10} {
		x, y, cells, ground := square(20, func(x, y float64) float64 {
			return height * math.Exp(-((x-10)*(x-10)+(y-10)*(y-10))/20)
		})
		ground[3] = math.NaN()
		shade := Shade(x, y, cells, ground)
		at := func(i, j int) float64 { return shade[2*(20*j+i)] }
		if !(at(7, 12) > 1.1 && at(12, 7) < .8 && math.Abs(at(0, 0)-1) < .1) {
			t.Errorf("a hill of %g m: north-west %g, south-east %g, level %g", height, at(7, 12), at(12, 7), at(0, 0))
		}
		for i, s := range shade {
			if !(s >= darkest && s <= lights) {
				t.Fatalf("brightness %g of cell %d", s, i)
			}
		}
	}
	x, y, cells, ground := square(5, func(_, _ float64) float64 { return 7 })
	if shade := Shade(x, y, cells, ground); shade != nil {
		t.Errorf("level ground: %v", shade)
	}
	if shade := Shade(nil, nil, nil, nil); shade != nil {
		t.Errorf("no ground: %v", shade)
	}
}
