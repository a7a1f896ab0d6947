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
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
)

// forcedRun advances one layer in a square of side 10 to a time, from water at rest that modify may change, and calls
// check with the solver and the diagnostics at the start and the end.
func forcedRun(t *testing.T, cfg Config, precision string, end float64, water initialWater,
	modify func(*Initial, *mesh.Part), check func(s *Solver, start, now Diagnostics)) {
	t.Helper()
	ctx := context.Background()
	m, err := mesh.Rectangle(-5, -5, 5, 5, 800, 7)
	if err != nil {
		t.Fatal(err)
	}
	d, err := decompose.New(m, decompose.Options{Ranks: 1, Order: partition.RCM, Method: partition.HilbertCut})
	if err != nil {
		t.Fatal(err)
	}
	err = d.Each(func(_ int, part *mesh.Part, plan *halo.Plan) error {
		in := initialOf(part, water)
		delete(in.Coefficients, coefficients.Manning)
		modify(&in, part)
		dev, comm := cpu.New(1), local.New(1)[0]
		defer dev.Close()
		s, err := New(ctx, solvers.Env{Comm: comm, Device: dev}, precision, cfg,
			Setting{Part: part, Plan: plan, Initial: in})
		if err != nil {
			return err
		}
		defer s.Close()
		start, err := s.Diagnose(ctx)
		for err == nil && s.Time() < end {
			_, err = s.Step(ctx, end)
		}
		if err != nil {
			return err
		}
		now, err := s.Diagnose(ctx)
		check(s, start, now)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func pond(x, y float64) (depth, h1, h2 float64) {
	depth = 1 - 1.5*math.Exp(-x*x-y*y)
	return depth, 0, math.Max(0, depth)
}

// setUniform sets coefficients to the same value in all cells.
func setUniform(in *Initial, values map[string]float64) {
	for name, value := range values {
		in.Coefficients[name] = slices.Repeat([]float64{value}, len(in.Depth))
	}
}

// greenAmptSoil are the coefficients of a soil with a conductivity in m/s and a product of suction and deficit in m.
func greenAmptSoil(conductivity, suction float64) map[string]float64 {
	return map[string]float64{coefficients.Conductivity: conductivity, coefficients.Suction: suction,
		coefficients.Deficit: 1}
}

// hortonSoil are the coefficients of a soil with a first and a last rate in m/s and a decay in 1/s.
func hortonSoil(first, last, decay float64) map[string]float64 {
	return map[string]float64{coefficients.InitialRate: first, coefficients.FinalRate: last, coefficients.Decay: decay}
}

// TestForcingIsInTheBudget proves that rain, evaporation and infiltration explain the change of mass to round-off,
// and that the volume of rain is right.
func TestForcingIsInTheBudget(t *testing.T) {
	for order := 1; order <= 2; order++ {
		for precision, tolerance := range map[string]float64{"float64": 1e-13, "float32": 1e-6} {
			t.Run(fmt.Sprint(order, precision), func(t *testing.T) {
				cfg := config("pvm-ifcp")
				cfg.Order = order
				cfg.Forcing = Forcing{Rain: []series.Row{{T: 0, Value: .01}, {T: 2, Value: .03}},
					Evaporation: series.Constant(.004)}
				addLosses := func(in *Initial, part *mesh.Part) {
					pattern := make([]float64, len(part.Cells))
					for i := range pattern {
						x, _ := part.Centroid(i)
						pattern[i] = 1 + x/10
					}
					in.Coefficients[coefficients.RainPattern] = pattern
					setUniform(in, map[string]float64{"infiltration": .2})
				}
				forcedRun(t, cfg, precision, 2, pond, addLosses, func(_ *Solver, start, now Diagnostics) {
					change := now.Mass2 - start.Mass2
					by := map[string]float64{}
					for _, s := range now.Sources {
						change -= s.Volume2
						by[s.Name] = s.Volume2
					}
					if math.Abs(change) > tolerance*start.Mass2 {
						t.Errorf("%g m³ of %g are unexplained: %v", change, start.Mass2, by)
					}
					// 0.02 m/s on average over 100 m²; the mean of the pattern is 1, to the rounding of centroids.
					if math.Abs(by["rain"]-4) > 1e-3 {
						t.Errorf("it rained %g m³, not 4", by["rain"])
					}
					if by["evaporation"] >= 0 || by["infiltration"] >= 0 || now.H2Min < 0 ||
						by["infiltration"] < -.2*2*100 {
						t.Errorf("lost %v, least thickness %g", by, now.H2Min)
					}
				})
			})
		}
	}
}

// TestRainIsIntegratedExactly proves that the volume of rain is the integral of its series, however short the rain and
// whatever the steps, for the first row at or after the start.
func TestRainIsIntegratedExactly(t *testing.T) {
	for name, c := range map[string]struct {
		rows []series.Row
		want float64 // m in 10 s
	}{
		"constant":        {[]series.Row{{T: 0, Value: 2e-4}}, 2e-3},
		"burst":           {[]series.Row{{T: 0}, {T: 3}, {T: 3.001, Value: 1e-2}, {T: 3.003, Value: 1e-2}, {T: 3.004}}, 3e-5},
		"steps":           {[]series.Row{{T: 0, Value: 1e-4}, {T: 4, Value: 1e-4}, {T: 4, Value: 3e-4}}, 4e-4 + 18e-4},
		"held":            {[]series.Row{{T: 2, Value: 1e-4}, {T: 4, Value: 3e-4}}, 2e-4 + 4e-4 + 18e-4},
		"begins late":     {[]series.Row{{T: 0}, {T: 9.5}, {T: 9.5, Value: 1e-3}}, 5e-4},
		"over at the end": {[]series.Row{{T: 0, Value: 1e-3}, {T: 20}}, 1e-2 - 2.5e-3},
	} {
		for order := 1; order <= 2; order++ {
			for precision, tolerance := range map[string]float64{"float64": 1e-12, "float32": 1e-6} {
				cfg := config("pvm-ifcp")
				cfg.Order, cfg.Layers, cfg.Forcing = order, 1, Forcing{Rain: c.rows}
				flat := func(_, _ float64) (depth, h1, h2 float64) { return 0, 0, .1 }
				forcedRun(t, cfg, precision, 10, flat, func(*Initial, *mesh.Part) {}, func(s *Solver, start, now Diagnostics) {
					if got := now.Sources[0].Volume2 / 100; math.Abs(got-c.want) > tolerance*c.want {
						t.Errorf("%s, order %d, %s: %g m of rain in %d steps, want %g", name, order, precision, got, s.Steps(), c.want)
					}
					if precision == "float64" {
						if off := now.Mass2 - start.Mass2 - now.Sources[0].Volume2; math.Abs(off) > 1e-13*now.Mass2 {
							t.Errorf("%s, order %d: %g m³ unexplained", name, order, off)
						}
					}
				})
			}
		}
	}
}

// TestLossesTakeTheLastFilm proves that losses that last long enough leave nothing, and take what there was.
func TestLossesTakeTheLastFilm(t *testing.T) {
	for name, losses := range map[string]map[string]float64{
		"evaporation":  nil,
		"infiltration": {"infiltration": 2e-3},
		"green-ampt":   greenAmptSoil(1e-3, .1),
	} {
		for order := 1; order <= 2; order++ {
			for _, precision := range []string{"float64", "float32"} {
				cfg := config("pvm-ifcp")
				cfg.Order, cfg.Layers = order, 1
				if name == "evaporation" {
					cfg.Forcing.Evaporation = series.Constant(2e-3)
				}
				flat := func(x, _ float64) (depth, h1, h2 float64) { return -.003 * x, 0, .01 }
				forcedRun(t, cfg, precision, 20, flat, func(in *Initial, _ *mesh.Part) { setUniform(in, losses) },
					func(_ *Solver, start, now Diagnostics) {
						lost := 0.0
						for _, s := range now.Sources {
							lost -= s.Volume2
						}
						if now.Mass2 != 0 || math.Abs(lost-start.Mass2) > 1e-6*start.Mass2 {
							t.Errorf("%s, order %d, %s: %g m³ left, %g lost of %g", name, order, precision, now.Mass2, lost, start.Mass2)
						}
					})
			}
		}
	}
}

// TestSoilModels proves that infiltration in a flat basin follows its laws: Green and Ampt's under ponded water and
// under rain, and so Horton's, an initial and a continuing loss, and the curve number.
func TestSoilModels(t *testing.T) {
	const rain, end = 2e-5, 600.0
	fallen := rain * end
	// ponded returns Green and Ampt's F with K = 5e-6 m/s and M = .02 m after a time, from taken on.
	ponded := func(taken, time float64) float64 {
		const m = .02
		f := taken + .1
		for range 60 {
			f -= (f - taken - m*math.Log((m+f)/(m+taken)) - 5e-6*time) / (f / (f + m))
		}
		return f
	}
	// Under rain all is taken until K (1 + M/F) = rain.
	ponding := 5e-6 * .02 / (rain - 5e-6)
	excess := fallen - .004
	// horton returns what Horton's soil takes in a time that begins at a time of the formula.
	horton := func(from, time float64) float64 {
		return 3e-6*time + 2.7e-5/2e-3*(math.Exp(-2e-3*from)-math.Exp(-2e-3*(from+time)))
	}
	pond := math.Log(2.7e-5/(rain-3e-6)) / 2e-3 // when its rate is the rain
	for name, c := range map[string]struct {
		soil  map[string]float64
		water float64 // at the start, m
		want  float64 // m
	}{
		"green-ampt ponded": {greenAmptSoil(5e-6, .02), .1, ponded(0, end)},
		"green-ampt rain":   {greenAmptSoil(5e-6, .02), 0, ponded(ponding, end-ponding/rain)},
		"horton ponded":     {hortonSoil(3e-5, 3e-6, 2e-3), .1, horton(0, end)},
		"horton rain":       {hortonSoil(3e-5, 3e-6, 2e-3), 0, horton(0, pond) + horton(pond, end-horton(0, pond)/rain)},
		"initial-continuing": {map[string]float64{coefficients.InitialLoss: .004, coefficients.ContinuingLoss: 6e-6}, 0,
			.004 + 6e-6*(end-.004/rain)},
		"curve-number": {map[string]float64{coefficients.CurveNumber: 1000 / (10 + .02/.0254)}, 0,
			fallen - excess*excess/(excess+.02)},
	} {
		for order := 1; order <= 2; order++ {
			for _, precision := range []string{"float64", "float32"} {
				cfg := config("pvm-ifcp")
				cfg.Order, cfg.Layers, cfg.DryDepth, cfg.Forcing = order, 1, 1e-5, Forcing{Rain: series.Constant(rain)}
				flat := func(_, _ float64) (depth, h1, h2 float64) { return 0, 0, c.water }
				cfg.Forcing.Soil.Abstraction = .2
				setSoil := func(in *Initial, _ *mesh.Part) { setUniform(in, c.soil) }
				forcedRun(t, cfg, precision, end, flat, setSoil, func(_ *Solver, start, now Diagnostics) {
					got := (start.Mass2 + fallen*100 - now.Mass2) / 100
					if math.Abs(got-c.want) > 2e-3*c.want {
						t.Errorf("%s, order %d, %s: %g m infiltrated, want %g", name, order, precision, got, c.want)
					}
					if sunk := -now.Sources[1].Volume2 / 100; math.Abs(sunk-got) > 1e-3*got {
						t.Errorf("%s, order %d, %s: the budget has %g m, %g m are missing", name, order, precision, sunk, got)
					}
				})
			}
		}
	}
}

// TestRotationMakesNoEnergy proves that a uniform flow far from walls rotates with the Coriolis parameter and keeps
// its speed to round-off.
func TestRotationMakesNoEnergy(t *testing.T) {
	for order := 1; order <= 2; order++ {
		cfg := config("pvm-ifcp")
		cfg.Order = order
		uniform := func(in *Initial, part *mesh.Part) {
			setUniform(in, map[string]float64{coefficients.Coriolis: 2})
			for i := range part.Cells {
				in.U2[i], in.V2[i] = .03, .04
			}
		}
		deep := func(_, _ float64) (depth, h1, h2 float64) { return 1e-2, 0, 1e-2 }
		forcedRun(t, cfg, "float64", 1, deep, uniform, func(s *Solver, _, _ Diagnostics) {
			part := s.part
			for i := range part.Owned {
				if x, y := part.Centroid(i); math.Hypot(x, y) > 1 {
					continue
				}
				u, v := s.Value("u2", i), s.Value("v2", i)
				angle := math.Remainder(math.Atan2(.04, .03)-math.Atan2(v, u), 2*math.Pi)
				if math.Abs(math.Hypot(u, v)-.05) > 1e-12 || math.Abs(angle-2) > .05 {
					t.Fatalf("order %d: speed %g, turned by %g", order, math.Hypot(u, v), angle)
				}
			}
		})
	}
}

// TestWindPushesTheUpperLayer proves that the upper layer, or the only one, gains the momentum of the wind in a short
// time.
func TestWindPushesTheUpperLayer(t *testing.T) {
	for _, layers := range []int{1, 2} {
		cfg := config("pvm-ifcp")
		cfg.Forcing = Forcing{WindX: series.Constant(6), WindY: series.Constant(-8), Drag: air.Constant(1e-5)}
		water := func(_, _ float64) (depth, h1, h2 float64) { return 2, float64(layers - 1), float64(3 - layers) }
		forcedRun(t, cfg, "float64", .05, water, func(*Initial, *mesh.Part) {}, func(s *Solver, _, _ Diagnostics) {
			part := s.part
			for i := range part.Owned {
				if x, y := part.Centroid(i); math.Hypot(x, y) > 1 {
					continue
				}
				name, deep, dense := "u2", 2.0, 1.0
				if layers == 2 {
					name, deep, dense = "u1", 1, cfg.DensityRatio
				}
				want := .05 * 1e-5 * 10 * 6 / deep / dense
				if u := s.Value(name, i); math.Abs(u-want) > 1e-3*want {
					t.Fatalf("%d layers: %s = %g, want %g", layers, name, u, want)
				}
			}
		})
	}
}

// TestRainOnDryGroundTakesManySteps proves that rain bounds the first step, when there are no waves.
func TestRainOnDryGroundTakesManySteps(t *testing.T) {
	cfg := config("pvm-ifcp")
	cfg.Forcing = Forcing{Rain: series.Constant(1e-5)}
	slope := func(x, _ float64) (depth, h1, h2 float64) { return x / 100, 0, 0 }
	forcedRun(t, cfg, "float64", 600, slope, func(*Initial, *mesh.Part) {}, func(s *Solver, _, now Diagnostics) {
		if s.Steps() < 40 || math.Abs(now.Mass2-.6) > 1e-12 {
			t.Errorf("%d steps; %g m³ of rain, want 0.6", s.Steps(), now.Mass2)
		}
	})
}
