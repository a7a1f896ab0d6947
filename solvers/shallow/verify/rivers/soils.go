package rivers

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

// greenAmpt returns the infiltration after a time in s on a soil of conductivity k, m/s, and suction times deficit m,
// in m, under a rain: all of it until ponding, where k (1 + m/F) is the rain, then the root of F - m ln(1 + F/m) = k t
// (R. Mein, C. Larson, Water Resour. Res. 9, 1973). Without ponding at any time rain may be +Inf.
func greenAmpt(k, m, rain, time float64) float64 {
	start, taken := 0.0, 0.0
	if !math.IsInf(rain, 1) {
		taken = k * m / (rain - k)
		start = taken / rain
		if rain <= k || start >= time {
			return rain * time
		}
	}
	f := taken + k*(time-start) + math.Sqrt(2*k*m*(time-start))
	for range 100 {
		f -= (f - taken - m*math.Log((m+f)/(m+taken)) - k*(time-start)) / (f / (f + m))
	}
	return f
}

// horton returns the infiltration after a time in s on a soil with a first and a last rate in m/s and a decay in 1/s,
// in m, under a rain: all of it until the rate has fallen to the rain, then by the formula F(t) from the time at which
// that has the same rate. Without ponding at any time rain may be +Inf.
func horton(first, last, decay, rain, time float64) float64 {
	formula := func(t float64) float64 { return last*t - (first-last)/decay*math.Expm1(-decay*t) }
	switch {
	case rain >= first:
		return formula(time)
	case rain <= last:
		return rain * time
	}
	pond := math.Log((first-last)/(rain-last)) / decay // the time of the formula
	start := formula(pond) / rain
	if start >= time {
		return rain * time
	}
	return formula(pond + time - start)
}

// hortonSoil are the coefficients of such a soil.
func hortonSoil(first, last, decay float64) map[string]float64 {
	return map[string]float64{coefficients.InitialRate: first, coefficients.FinalRate: last, coefficients.Decay: decay}
}

// greenAmptSoil are the coefficients of a soil: conductivity in m/s, suction in m, deficit of moisture as a share.
func greenAmptSoil(conductivity, suction, deficit float64) map[string]float64 {
	return map[string]float64{coefficients.Conductivity: conductivity, coefficients.Suction: suction,
		coefficients.Deficit: deficit}
}

// Infiltration compares the infiltration of the models in a flat basin with their laws: Green and Ampt's for soils of
// W. Rawls et al. (J. Hydraul. Eng. 109, 1983) under ponded water and under rain of 50 mm/h, Horton's, an initial
// and a continuing loss, and the curve number.
func Infiltration(ctx context.Context, p *verify.Page) error {
	const rain, end = 50e-3 / 3600, 3600.0
	m, err := mesh.Rectangle(0, 0, 100, 100, 50, basin.MeshSeed)
	if err != nil {
		return err
	}
	t := p.Table(fmt.Sprintf("infiltration in %g s", end), "soil", "reference, m", "Atoll, m")
	for _, c := range []struct {
		name   string
		soil   map[string]float64
		ponded bool
		want   float64
	}{
		{"sandy loam, ponded", greenAmptSoil(3e-6, .11, .3), true, greenAmpt(3e-6, .11*.3, math.Inf(1), end)},
		{"sandy loam, rain", greenAmptSoil(3e-6, .11, .3), false, greenAmpt(3e-6, .11*.3, rain, end)},
		{"sand, rain", greenAmptSoil(3.3e-5, .05, .35), false, rain * end},
		{"clay, ponded", greenAmptSoil(1.8e-7, .31, .2), true, greenAmpt(1.8e-7, .31*.2, math.Inf(1), end)},
		{"clay, rain", greenAmptSoil(1.8e-7, .31, .2), false, greenAmpt(1.8e-7, .31*.2, rain, end)},
		{"Horton 100 to 10 mm/h, ponded", hortonSoil(100e-3/3600, 10e-3/3600, 1e-3), true,
			horton(100e-3/3600, 10e-3/3600, 1e-3, math.Inf(1), end)},
		{"Horton 100 to 10 mm/h, rain", hortonSoil(100e-3/3600, 10e-3/3600, 1e-3), false,
			horton(100e-3/3600, 10e-3/3600, 1e-3, rain, end)},
		{"Horton 100 to 0 mm/h, rain", hortonSoil(100e-3/3600, 0, 1e-3), false, horton(100e-3/3600, 0, 1e-3, rain, end)},
		{"Horton 30 to 5 mm/h, rain", hortonSoil(30e-3/3600, 5e-3/3600, 5e-4), false,
			horton(30e-3/3600, 5e-3/3600, 5e-4, rain, end)},
		{"initial 10 mm, continuing 10 mm/h", map[string]float64{coefficients.InitialLoss: .01,
			coefficients.ContinuingLoss: 10e-3 / 3600}, false, .01 + 10e-3/3600*(end-.01/rain)},
		{"curve number 80", map[string]float64{coefficients.CurveNumber: 80}, false,
			rain*end - math.Pow(rain*end-.2*.0635, 2)/(rain*end+.8*.0635)},
	} {
		p.Progress("%s", c.name)
		cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-5)
		cfg.Layers, cfg.Forcing.Soil.Abstraction = 1, .2
		water := .2
		if !c.ponded {
			water, cfg.Forcing.Rain = 0, series.Constant(rain)
		}
		f := basin.Flow{Mesh: m, Config: cfg, Initial: func(_, _ float64) basin.State { return basin.State{H2: water} },
			Coefficients: c.soil, Ranks: moreRanks}
		err := basin.Evolve(ctx, p, f, end, func(b *basin.Basin) error {
			d, err := b.Diagnose(ctx)
			taken := -basin.InflowFrom(d, "infiltration") / 1e4
			t.Row(verify.Near(taken, c.want, .005), c.name, c.want, taken)
			return err
		})
		if err != nil {
			return err
		}
	}
	t.Flush()
	return nil
}
