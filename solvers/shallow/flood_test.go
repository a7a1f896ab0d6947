package shallow

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
)

// flood is a case of one layer in a rectangle.
type flood struct {
	width, height float64 // m
	cells         int
	order         int
	precision     string
	dry           float64
	manning       float64
	depth         func(x, y float64) float64 // of the bed below the datum
	level         func(x, y float64) float64 // of the water at the start; nil for a dry bed
	velocity      func(x, y float64) (u, v float64)
	rain          []series.Row
	coriolis      float64
	keep          Keep
	given         map[string]*Given // by the names of edges: left, right, bottom, top
	open          []string          // names of open edges
}

// run advances the case to a time, and calls check with the solver and its part.
func (f flood) run(t *testing.T, end float64, check func(p *mesh.Part, s *Solver)) {
	t.Helper()
	f.follow(t, end, func(*mesh.Part, *Solver) {}, check)
}

// follow does so, and calls step after each step.
func (f flood) follow(t *testing.T, end float64, step, check func(p *mesh.Part, s *Solver)) {
	t.Helper()
	m, err := mesh.Rectangle(0, 0, f.width, f.height, f.cells, 7)
	if err != nil {
		t.Fatal(err)
	}
	d, err := decompose.New(m, decompose.Options{Ranks: 1, Order: "rcm", Method: "hilbert"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	err = d.Each(func(_ int, part *mesh.Part, plan *halo.Plan) error {
		dev, comm := cpu.New(1), local.New(1)[0]
		defer dev.Close()
		s, err := New(ctx, solvers.Env{Comm: comm, Device: dev}, f.precision, f.config(part),
			Setting{Part: part, Plan: plan, Initial: f.initial(part)})
		if err != nil {
			return err
		}
		defer s.Close()
		for err == nil && s.Time() < end {
			_, err = s.Step(ctx, end)
			step(part, s)
		}
		if err == nil {
			check(part, s)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (f flood) config(part *mesh.Part) Config {
	c := Config{Scheme: "pvm-ifcp", Order: f.order, Layers: 1, Gravity: 9.81, DensityRatio: .98, CFL: .9, DryDepth: f.dry,
		Boundary: make([]bool, len(part.Groups)), Given: make([]*Given, len(part.Groups))}
	c.Forcing.Rain, c.Keep = f.rain, f.keep
	for k, g := range part.Groups {
		c.Given[k] = f.given[g.Name]
		for _, name := range f.open {
			c.Boundary[k] = c.Boundary[k] || g.Name == name
		}
	}
	return c
}

func (f flood) initial(part *mesh.Part) Initial {
	in := initialOf(part, func(x, y float64) (depth, h1, h2 float64) {
		depth = f.depth(x, y)
		if f.level != nil {
			h2 = max(0, f.level(x, y)+depth)
		}
		return depth, 0, h2
	})
	in.Coefficients = coefficients.Values{}
	for name, value := range map[string]float64{coefficients.Manning: f.manning, coefficients.Coriolis: f.coriolis} {
		if value != 0 {
			in.Coefficients[name] = slices.Repeat([]float64{value}, len(part.Cells))
		}
	}
	for i := range part.Cells {
		if f.velocity != nil {
			in.U2[i], in.V2[i] = f.velocity(part.Centroid(i))
		}
	}
	return in
}

// TestSheetFlow proves that the flow of rain down a plane carries the rain that falls above, at the depth of uniform
// flow, though the water is far thinner than the bed's step between cells.
func TestSheetFlow(t *testing.T) {
	const rain, n = 2.7778e-5, .03
	for _, slope := range []float64{.01, .1, 1} {
		for _, cells := range []int{100, 200} {
			t.Run(fmt.Sprint(slope, cells), func(t *testing.T) {
				f := flood{width: 100, height: 10, cells: cells, order: 2, precision: "float64", dry: 1e-5, manning: n,
					depth: func(x, _ float64) float64 { return slope * x }, rain: series.Constant(rain), open: []string{"right"}}
				f.run(t, 500/math.Sqrt(slope/.1), func(p *mesh.Part, s *Solver) {
					var flow, depth, area float64
					for i := range p.Owned {
						x, _ := p.Centroid(i)
						if x < 40 || x > 80 {
							continue
						}
						h, u := s.Value("h2", i), s.Value("u2", i)
						want := math.Pow(n*rain*x/math.Sqrt(slope), .6)
						area += p.Area(i)
						flow += p.Area(i) * h * u / (rain * x)
						depth += p.Area(i) * h / want
					}
					if math.Abs(flow/area-1) > .005 || math.Abs(depth/area-1) > .01 {
						t.Errorf("discharge %.4f and depth %.4f of the exact ones", flow/area, depth/area)
					}
				})
			})
		}
	}
}

// roughBed returns a bed of independent heights, from -size to size, at all positions.
func roughBed(size float64) func(x, y float64) float64 {
	return func(x, y float64) float64 { return size * math.Sin(3737*x+11*y) * math.Sin(4141*y+x) }
}

// TestDisturbedLakesStayCalm proves that a disturbance of 1e-8 m of a lake over a rough bed does not grow, with an
// island and with all kinds of boundaries, and that the lake is at rest to the bit without it.
func TestDisturbedLakesStayCalm(t *testing.T) {
	rough := roughBed(.5)
	depth := func(x, y float64) float64 { return 2 - 4*math.Exp(-(x-5)*(x-5)-(y-5)*(y-5)) + rough(x, y) }
	for name, right := range map[string]*Given{"wall": nil, "open": nil,
		"level":     {Kind: "level", Value: series.Constant(0)},
		"radiation": {Kind: "radiation", Value: series.Constant(0)}} {
		for _, size := range []float64{0, 1e-8} {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				f := flood{width: 10, height: 10, cells: 300, order: 2, precision: "float64", dry: 1e-3, depth: depth,
					level: func(x, y float64) float64 { return size * math.Sin(13*x+7*y) },
					given: map[string]*Given{"right": right}}
				if name == "open" {
					f.open = []string{"right"}
				}
				f.run(t, 10, func(p *mesh.Part, s *Solver) {
					fastest := 0.0
					for i := range p.Owned {
						if s.Value("h2", i) > 1e-3 {
							fastest = max(fastest, math.Hypot(s.Value("u2", i), s.Value("v2", i)))
						}
					}
					if fastest > 100*size {
						t.Errorf("%g m/s after %d steps", fastest, s.Steps())
					}
				})
			})
		}
	}
}

// TestFloodsKeepTheirEnergy proves that water runs over steep and rough beds without friction, by rain and from dams,
// in some hundred steps, without a negative depth and not faster than its head allows.
func TestFloodsKeepTheirEnergy(t *testing.T) {
	for _, c := range []struct {
		name    string
		f       flood
		end     float64
		fastest float64 // m/s
		steps   int
	}{
		{"rain on a plane", flood{width: 50, height: 50, cells: 50, dry: 1e-4, rain: series.Constant(2.8e-5),
			depth: func(x, _ float64) float64 { return .1 * x }, open: []string{"right"}}, 200, 9.9, 600},
		{"rain on a rough bed", flood{width: 50, height: 50, cells: 50, dry: 1e-4, rain: series.Constant(2.8e-5),
			depth: func(x, y float64) float64 { return 20 * math.Sin(x*y) }}, 200, 28, 1500},
		{"rain that leaves a rough bed", flood{width: 50, height: 50, cells: 50, dry: 1e-4, rain: series.Constant(2.8e-5),
			depth: func(x, y float64) float64 { return 20 * math.Sin(x*y) }, open: []string{"right"}}, 600, 28, 3000},
		{"dam on a slope", flood{width: 12, height: 1, cells: 600, depth: func(x, _ float64) float64 { return .3 * x },
			level: func(x, _ float64) float64 {
				if x < 3 {
					return 1 - .3*x
				}
				return -9
			}, open: []string{"left", "right"}}, .9, math.Sqrt(2 * 9.81 * (1 + .3*12)), 300},
		{"dam on a rough bed", flood{width: 70, height: 30, cells: 800, depth: func(x, y float64) float64 {
			return .2*x + roughBed(1)(x, y)
		}, level: func(x, _ float64) float64 {
			if x < 8 {
				return 3 - .2*x
			}
			return -99
		}, open: []string{"right"}}, 8, math.Sqrt(2 * 9.81 * (5 + .2*70)), 600},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.f.order, c.f.precision = 2, "float64"
			if c.f.dry == 0 {
				c.f.dry = 1e-5
			}
			c.f.run(t, c.end, func(_ *mesh.Part, s *Solver) {
				d, err := s.Diagnose(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if d.SpeedMax > c.fastest || s.Steps() > c.steps || d.H2Min < 0 {
					t.Errorf("%.1f m/s, %d steps, least depth %g", d.SpeedMax, s.Steps(), d.H2Min)
				}
			})
		})
	}
}

// TestPlaneShocksStayPlane proves that a bore stays even: no water is faster than behind the exact one, and none moves
// across, but for the two cells that the bore is thick.
func TestPlaneShocksStayPlane(t *testing.T) {
	f := flood{width: 30, height: .5, cells: 1200, order: 2, precision: "float64", dry: 1e-6,
		depth: func(x, _ float64) float64 { return 0 }, open: []string{"left", "right"},
		level: func(x, _ float64) float64 {
			if x < 10 {
				return 1
			}
			return .1
		},
		velocity: func(x, _ float64) (u, v float64) {
			if x < 10 {
				return 2.5, 0
			}
			return 0, 0
		}}
	const end, front = 3.5, 26.1 // the bore moves at 4.6 m/s
	f.run(t, end, func(p *mesh.Part, s *Solver) {
		var along, across float64
		for i := range p.Owned {
			along = max(along, s.Value("u2", i))
			if x, _ := p.Centroid(i); x < front-.3 || x > front+.3 {
				across = max(across, math.Abs(s.Value("v2", i)))
			}
		}
		if along > 1.03*3.865 || across > .05 {
			t.Errorf("at most %.3f m/s along and %.3f m/s across, want 3.865 and 0", along, across)
		}
	})
}

// TestFlowOverSteps proves that flow over a step of the bed keeps its head at both orders, and that it becomes critical
// on a sill.
func TestFlowOverSteps(t *testing.T) {
	const q, step = .3244, .5
	critical := 1.5 * math.Cbrt(q*q/9.81)
	for _, c := range []struct {
		name  string
		bed   func(x, _ float64) float64
		level float64 // at the outlet
		head  float64 // upstream

		tolerance float64 // of the head: more where the water becomes critical within two cells
	}{
		{"up", func(x, _ float64) float64 { return rise(x > 10, step) }, step + .4, step + .4 + q*q/(2*9.81*.4*.4), .02},
		{"down", func(x, _ float64) float64 { return rise(x < 10, step) }, .9, .9 + q*q/(2*9.81*.9*.9), .02},
		{"sill", func(x, _ float64) float64 { return rise(x > 10 && x < 12, step) }, 0, step + critical, .03},
	} {
		for order := 1; order <= 2; order++ {
			t.Run(fmt.Sprint(c.name, order), func(t *testing.T) {
				f := flood{width: 20, height: 1, cells: 200, order: order, precision: "float64", dry: 1e-5,
					depth: func(x, y float64) float64 { return -c.bed(x, y) },
					level: func(x, y float64) float64 { return max(c.bed(x, y)+.05, c.head-.05) },
					given: map[string]*Given{"left": {Kind: "discharge", Value: series.Constant(q)},
						"right": {Kind: "level", Value: series.Constant(c.level)}}}
				var head, weight float64 // means over the last two thirds of the time, since a seiche decays slowly
				f.follow(t, 60, func(p *mesh.Part, s *Solver) {
					if s.Time() < 20 {
						return
					}
					for i := range p.Owned {
						if x, _ := p.Centroid(i); x > 3 && x < 8 {
							u, v := s.Value("u2", i), s.Value("v2", i)
							head += p.Area(i) * s.Dt() * (s.Value("z2", i) + (u*u+v*v)/(2*9.81))
							weight += p.Area(i) * s.Dt()
						}
					}
				}, func(*mesh.Part, *Solver) {
					if math.Abs(head/weight/c.head-1) > c.tolerance {
						t.Errorf("a head of %.4f m upstream, want %.4f m", head/weight, c.head)
					}
				})
			})
		}
	}
}

func rise(here bool, height float64) float64 {
	if here {
		return height
	}
	return 0
}
