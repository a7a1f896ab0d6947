package smooth

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// TestSolidBoundary proves that vertices stay exactly on their sides and edges, that corners are fixed, and that
// volume and surface are conserved to round-off, also for oblique sides.
func TestSolidBoundary(t *testing.T) {
	for _, smoother := range Smoothers {
		for _, oblique := range []bool{false, true} {
			m := cube(t, 5, .1)
			back := func(x, y, z float64) [3]float64 { return [3]float64{x, y, z} }
			if oblique {
				for v := range m.X {
					x, z := m.X[v], m.Z[v]
					m.X[v], m.Z[v] = .6*x-.8*z, .8*x+.6*z
				}
				back = func(x, y, z float64) [3]float64 { return [3]float64{.6*x + .8*z, y, .6*z - .8*x} }
			}
			tolerance := 0.
			if oblique {
				tolerance = 4e-16
			}
			err := defaultSetting().onSolid(m, nil, twist(t), Config{Smoother: smoother, Guard: "halve", Gain: 1e-9},
				func(_ dist.Comm, p *layout.SolidPart, s *Solver) error {
					if _, err := s.Sweep(t.Context(), 5); err != nil {
						return err
					}
					d, err := s.Diagnose(t.Context())
					if err != nil {
						return err
					}
					if math.Abs(d.Area-1) > 1e-14 || math.Abs(d.AreaDrift) > 1e-14 || math.Abs(d.Perimeter-6) > 1e-13 ||
						math.Abs(d.PerimeterDrift) > 1e-14 || d.Inverted != 0 || d.Moved < 150 {
						t.Errorf("%s, leaning %v: %+v", smoother, oblique, d)
					}
					x, err := s.Coordinates()
					for i, v := range p.Global[:p.Owned] {
						was, is := back(m.X[v], m.Y[v], m.Z[v]), back(x[0][i], x[1][i], x[2][i])
						for k := range 3 {
							if min(math.Abs(was[k]), math.Abs(was[k]-1)) < 1e-12 && math.Abs(is[k]-was[k]) > tolerance {
								t.Fatalf("%s, leaning %v: vertex %d went from %v to %v", smoother, oblique, v, was, is)
							}
						}
					}
					return err
				})
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestSolidConverges proves that pain-exact reaches the least objective from any start.
func TestSolidConverges(t *testing.T) {
	metric, err := sizing.SolidSizes(unitBox, [3][]sizing.Ends{{ends(.2, .3, .1, .1)}, {ends(.25, .25, 0, 0)}, {ends(.3,
		.15, -.15, -.15)}})
	if err != nil {
		t.Fatal(err)
	}
	var ends []float64
	for _, shift := range []float64{0, .15} {
		err := defaultSetting().onSolid(cube(t, 4, shift), nil, metric, Config{Smoother: "pain-exact", Relax: 1.3,
			Guard: "halve"},
			func(_ dist.Comm, _ *layout.SolidPart, s *Solver) error {
				for move := 1.; move > 1e-12; {
					var err error
					if move, err = s.Sweep(t.Context(), 10); err != nil {
						return err
					}
					if s.Sweeps() > 4000 {
						t.Fatalf("from a shift of %g: vertices still move by %g", shift, move)
					}
				}
				d, err := s.Diagnose(t.Context())
				ends = append(ends, d.Objective)
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	if math.Abs(ends[0]-ends[1]) > 1e-9*ends[0] {
		t.Errorf("objectives of %v", ends)
	}
}

// TestSolidScales proves that a mesh scaled by 2²⁰ or 2⁻²⁰, in the corresponding metric, moves to the scaled
// positions, to the last bit, with the same measures.
func TestSolidScales(t *testing.T) {
	m := cube(t, 5, .1)
	base := twist(t)
	run := func(scale float64, smoother string) (x [][]float64, d quality.Diagnostics) {
		s := &mesh.Solid{Cells: m.Cells, Faces: m.Faces}
		for v := range m.X {
			s.X, s.Y, s.Z = append(s.X, scale*m.X[v]), append(s.Y, scale*m.Y[v]), append(s.Z, scale*m.Z[v])
		}
		box := sizing.Box{High: [3]float64{scale, scale, scale}}
		metric, err := sizing.SolidDiscrete(box, 8, func(x, y, z float64) sizing.Six {
			at := base.At(x/scale, y/scale, z/scale)
			for k := range at {
				at[k] /= scale * scale
			}
			return at
		})
		if err != nil {
			t.Fatal(err)
		}
		err = defaultSetting().onSolid(s, nil, metric, Config{Smoother: smoother, Guard: "halve", Gain: 1e-9},
			func(_ dist.Comm, _ *layout.SolidPart, s *Solver) error {
				if _, err := s.Sweep(t.Context(), 3); err != nil {
					return err
				}
				var err error
				if x, err = s.Coordinates(); err == nil {
					d, err = s.Diagnose(t.Context())
				}
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
		return x, d
	}
	for _, smoother := range Smoothers {
		want, measures := run(1, smoother)
		for _, scale := range []float64{0x1p20, 0x1p-20} {
			got, d := run(scale, smoother)
			for axis := range want {
				for i, x := range want[axis] {
					if got[axis][i] != scale*x {
						t.Fatalf("%s, scale %g: vertex %d at %g along axis %d, want %g", smoother, scale, i, got[axis][i], axis, scale*x)
					}
				}
			}
			if d.QualityMin != measures.QualityMin || d.Objective != measures.Objective || d.Moved != measures.Moved {
				t.Errorf("%s, scale %g: %+v, want %+v", smoother, scale, d, measures)
			}
		}
	}
}

// TestSolidNeverWorse proves that the smoothers that consider quality never lower the worst quality of the mesh.
func TestSolidNeverWorse(t *testing.T) {
	m, metric := cube(t, 6, .16), twist(t)
	for _, smoother := range []string{"smart", "fjp", "hybrid"} {
		first, last := 0., 0.
		err := defaultSetting().onSolid(m, nil, metric, Config{Smoother: smoother, Guard: "none", Gain: 1e-9},
			func(_ dist.Comm, _ *layout.SolidPart, s *Solver) error {
				for k := range 12 {
					d, err := s.Diagnose(t.Context())
					if err != nil {
						return err
					}
					if k == 0 {
						first = d.QualityMin
					}
					if d.QualityMin < last {
						t.Errorf("%s: the worst quality fell from %g to %g in sweep %d", smoother, last, d.QualityMin, k)
					}
					last = d.QualityMin
					if _, err := s.Sweep(t.Context(), 1); err != nil {
						return err
					}
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		if !(last > first) {
			t.Errorf("%s: the worst quality is %g, and was %g", smoother, last, first)
		}
	}
}
