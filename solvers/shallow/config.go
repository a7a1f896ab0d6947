package shallow

import (
	"fmt"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
	"github.com/atoll-hpc/atoll/solvers/shallow/soils"
	"github.com/atoll-hpc/atoll/solvers/shallow/weather"
)

// Config holds the parameters of a run.
type Config struct {
	Scheme       string  // "roe", "ir-roe" or "pvm-ifcp"
	Order        int     // in space and time, 1 or 2; 0 stands for 1
	Layers       int     // 1 or 2; 0 stands for 2, or for 1 with Given. A single layer is the lower one
	Gravity      float64 // m/s²
	DensityRatio float64 // upper over lower, in (0, 1], of two layers
	CFL          float64 // γ of the time step, in (0, 1]
	EntropyFix   float64 // width of Harten's fix as a share of λ4 - λ1; 0 for none
	DryDepth     float64 // m; a thinner layer counts as absent; 0 for the default of package dryness
	Hyperbolic   bool    // restore hyperbolicity of cells by friction between the layers
	// With Lag the length of a step is computed from the waves of the step before last, so that no rank waits for the
	// reduction of these.
	Lag bool
	// LocalSteps is the number of lengths of local time steps, each twice the one before; 0 or 1: all cells take the same
	// step. See package tiers.
	LocalSteps int

	// Boundary tells for each physical group whether its edges are open; Open is for edges without a group.
	Boundary []bool
	Open     bool
	// Given is the condition prescribed at the edges of each group, for one layer: nil for none; the list may be nil.
	Given []*Given

	Forcing    Forcing
	Structures []hydraulics.Structure // of one layer
	Note       func(text string)      // gets what of them is hardly possible; may be nil
	Keep       Keep                   // which extremes are recorded

	Sweep Sweep // order in which a step visits the mesh
}

// Forcing has the time series of what acts on the water besides gravity and the bed; a nil series is absent. What has a
// value per cell is in Initial.Coefficients.
type Forcing struct {
	Rain           []series.Row   // m/s, for one layer
	OverTime       weather.Fields // instead of Rain, of one layer, of WindX and WindY, and of the pressure
	Evaporation    []series.Row   // m/s, of one layer
	PressureFactor []series.Row   // factor of the air pressure; nil for 1
	UpliftFrom     float64        // time in s at which the bed begins to rise, and at which it ends
	UpliftTo       float64
	WindX          []series.Row // velocity of the air, m/s; with WindY
	WindY          []series.Row
	Drag           air.Drag[float64]
	Soil           soils.Options // of a model of the soil, which coefficients tell
}

// Given is a boundary condition for one layer, imposed by characteristics.
type Given struct {
	Kind string // open, level, discharge, inflow, radiation, normal, critical or rating
	// Value is the level of the surface in m, the inflow per metre in m²/s (discharge) or through the group in m³/s
	// (inflow), the level at rest in m (radiation), or the slope of uniform flow (normal); a single row if it is constant.
	Value   []series.Row
	Wave    []series.Row // of radiation: height of the incoming wave in m; nil for none
	Depth   []series.Row // of a supercritical discharge or inflow, m; nil for a subcritical one
	Curve   []series.Row // of rating: levels in m as T, and discharges in m³/s
	Ambient *float64     // pressure of the air over the density, m²/s², that the level or radiation goes with; may be nil
}

// givenKinds are the kinds by their names in case files.
var givenKinds = map[string]int32{"open": kernels.Transmissive,
	"level": kernels.Level, "discharge": kernels.Discharge, "radiation": kernels.Radiation, "normal": kernels.NormalDepth,
	"critical": kernels.Critical, "rating": kernels.Rating, "inflow": kernels.TotalDischarge,
}

// givenUnits are the units of the values of kinds.
var givenUnits = map[string]string{"level": "m", "radiation": "m", "discharge": "m²/s", "inflow": "m³/s"}

// Sweep is the order in which a step visits the mesh. The results have the same bits.
type Sweep int

const (
	AutoSweep Sweep = iota // tiles on a GPU, cells elsewhere
	CellSweep              // all fluxes, then all cells: no flux is computed twice
	TileSweep              // tile by tile: fluxes stay in shared memory
)

func (s Sweep) usesTiles(gpu bool) bool { return s == TileSweep || s == AutoSweep && gpu }

// Initial is the state at t = 0 of every cell of a part, ghosts included, and fields that are constant in time.
type Initial struct {
	Depth                  []float64 // of the bed below the datum, m
	H1, U1, V1, H2, U2, V2 []float64 // thicknesses in m, velocities in m/s
	Coefficients           coefficients.Values
}

func params[F num.Float](c Config, friction bool) (kernels.Params[F], error) {
	p := kernels.Params[F]{
		Gravity: F(c.Gravity), DensityRatio: F(c.DensityRatio), CFL: F(c.CFL), EntropyFix: F(c.EntropyFix),
		DryDepth: F(c.DryDepth), Tolerance: tolerance[F](), Hyperbolic: c.Hyperbolic, Friction: friction, Lag: c.Lag,
	}
	if c.Layers == 1 {
		// Formulas that weight the two levels by the density ratio then give the level of the only layer.
		p.DensityRatio = 1
	}
	switch {
	case c.Order < 0 || c.Order > 2:
		return p, fmt.Errorf("order %d is not known; choose 1 or 2", c.Order)
	case !(c.Gravity > 0):
		return p, fmt.Errorf("gravity %g must be positive", c.Gravity)
	case !(p.DensityRatio > 0 && p.DensityRatio <= 1):
		return p, fmt.Errorf("density ratio %g must be in (0, 1]", c.DensityRatio)
	case !(c.CFL > 0 && c.CFL <= 1):
		return p, fmt.Errorf("CFL number %g must be in (0, 1]", c.CFL)
	case !(c.EntropyFix >= 0 && c.EntropyFix <= 1):
		return p, fmt.Errorf("entropy fix %g must be in [0, 1]", c.EntropyFix)
	case !(c.DryDepth > 0):
		return p, fmt.Errorf("dry depth %g must be positive", c.DryDepth)
	case single[F]() && c.DryDepth < 1e-8:
		return p, fmt.Errorf("dry depth %g is too small for float32: products of thicknesses vanish below 1e-8", c.DryDepth)
	}
	return p, nil
}

// tolerance is the relative change at which Newton's iteration stops: the next step would be below round-off.
func tolerance[F num.Float]() F {
	if single[F]() {
		return F(3e-4)
	}
	return F(1e-8)
}

func single[F num.Float]() bool {
	third := F(1) / 3
	return float64(third) != 1.0/3
}
