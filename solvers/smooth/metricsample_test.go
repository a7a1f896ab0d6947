package smooth

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// TestStretch compares the closed form with the tensors of package metric: along the frame of one relative to the
// other.
func TestStretch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func() metric.Tensor {
			a, b := rapid.Float64Range(.01, 100).Draw(t, "a"), rapid.Float64Range(.01, 100).Draw(t, "b")
			s, c := math.Sincos(rapid.Float64Range(0, math.Pi).Draw(t, "angle"))
			return metric.Tensor{a*c*c + b*s*s, (a - b) * s * c, a*s*s + b*c*c}
		}
		a, b := draw(), draw()
		want := 0.0
		for k := range 20_000 {
			s, c := math.Sincos(math.Pi * float64(k) / 20_000)
			la, lb := a.Length(2, [3]float64{c, s}), b.Length(2, [3]float64{c, s})
			want = max(want, la/lb-1, lb/la-1)
		}
		if got := stretch(a[0], a[1], a[2], b[0], b[1], b[2]); !(math.Abs(got-want) <= 1e-3*(1+want)) {
			t.Fatalf("%v and %v differ by %g, want %g", a[:3], b[:3], got, want)
		}
	})
}

// TestSampled: the error that is told falls as the square of the spacing, bounds that at other places, and stays at a
// jump.
func TestSampled(t *testing.T) {
	turning := func(x, y float64) (m11, m12, m22 float64) {
		s, c := math.Sincos(3 * x * y)
		h := .1 + .05*math.Sin(4*x)
		return c*c/(h*h) + s*s*25, s * c * (1/(h*h) - 25), s*s/(h*h) + c*c*25
	}
	last := math.Inf(1)
	for _, n := range []int{16, 32, 64, 128} {
		m, worst, err := Sampled(unit, n, turning)
		if err != nil {
			t.Fatal(err)
		}
		if !(worst < .3*last && worst > 0) {
			t.Errorf("%d nodes: an error of %g, after %g", n, worst, last)
		}
		last = worst
		for x := 0.0; x <= 1; x += .013 {
			for y := 0.0; y <= 1; y += .017 {
				a, b, c := turning(x, y)
				d, e, f := m.At(x, y)
				if got := stretch(a, b, c, d, e, f); got > 1.2*worst {
					t.Fatalf("%d nodes, (%g, %g): an error of %g, where %g is told", n, x, y, got, worst)
				}
			}
		}
	}
	jump := func(x, _ float64) (m11, m12, m22 float64) {
		if x > .5 {
			return 100, 0, 100
		}
		return 1, 0, 1
	}
	if _, worst, err := Sampled(unit, 64, jump); err != nil || worst < .4 {
		t.Errorf("at a jump an error of %g is told: %v", worst, err)
	}
	bad := func(x, _ float64) (m11, m12, m22 float64) { return (x - 1./6) * (x - 1./6), 0, 1 }
	if _, _, err := Sampled(unit, 4, bad); err == nil || !strings.Contains(err.Error(), "is not positive definite") {
		t.Error(err)
	}
}

// TestRescaleKinds: of each kind of metric the mesh's area, after scaling, is worth as many triangles as it has, and
// the factor makes up for any other.
func TestRescaleKinds(t *testing.T) {
	m := rectangle(t, 2000, 3)
	at := func(factor float64) func(x, y float64) (m11, m12, m22 float64) {
		return func(x, y float64) (m11, m12, m22 float64) {
			a, b, c := 1+x, .3*y, 2+x*y
			return factor * a, factor * b, factor * c
		}
	}
	kinds := map[string]func(factor float64) (*Metric, error){
		"grid": func(k float64) (*Metric, error) { return Discrete(unit, 64, at(k)) },
		"mesh": func(k float64) (*Metric, error) { return OnMesh(m, fieldOf(t, m, at(k))) },
		"sizes": func(k float64) (*Metric, error) {
			return Linear(unit, .5/math.Sqrt(k), .05/math.Sqrt(k))
		},
	}
	for name, make := range kinds {
		var scales [2]float64
		for k, factor := range []float64{1, 1e4} {
			of, err := make(factor)
			if err != nil {
				t.Fatal(err)
			}
			s := plain()
			cfg := Config{Smoother: "pain", Guard: "halve", Rescale: true}
			err = s.on(t, m, of, cfg, func(_ dist.Comm, p *Part, solver Solver) error {
				scales[k] = solver.Scale()
				sum := 0.0
				for _, c := range m.Cells {
					var t [3]float64
					for _, v := range c {
						a, b, d := of.At(m.X[v], m.Y[v])
						t[0], t[1], t[2] = t[0]+a/3, t[1]+b/3, t[2]+d/3
					}
					a, b, d := c[0], c[1], c[2]
					area := (m.X[b]-m.X[a])*(m.Y[d]-m.Y[a]) - (m.X[d]-m.X[a])*(m.Y[b]-m.Y[a])
					sum += area / 2 * solver.Scale() * math.Sqrt(t[0]*t[2]-t[1]*t[1])
				}
				if want := math.Sqrt(3) / 4 * float64(len(m.Cells)); math.Abs(sum-want) > 1e-9*want {
					t.Errorf("%s: the area in the metric is %g, want %g", name, sum, want)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if r := scales[0] / scales[1]; math.Abs(r-1e4) > 1e-6 {
			t.Errorf("%s: factors %v", name, scales)
		}
	}
}
