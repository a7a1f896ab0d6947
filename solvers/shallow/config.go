package shallow

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Config holds the constants of a run.
type Config struct {
	Scheme       string  // "roe", "ir-roe" or "pvm-ifcp"
	Order        int     // in space and time, 1 or 2; 0 stands for 1
	Layers       int     // 1 or 2; 0 stands for 2. One is the lower: the upper is absent, and no message speaks of it
	Gravity      float64 // m/s²
	DensityRatio float64 // upper over lower, in (0, 1]
	CFL          float64 // γ of the time step, in (0, 1]
	EntropyFix   float64 // width of Harten's fix as a share of λ4 - λ1; 0 for none
	DryDepth     float64 // m; a thinner layer counts as absent; 0 for what fits the water at the start
	Hyperbolic   bool    // keep cells hyperbolic by friction between the layers
	Lag          bool    // a step's length comes from the waves of the step before last, and no rank waits for another's

	// Boundary gives for each physical group whether water leaves through its edges; Open is for edges of no group.
	Boundary []bool
	Open     bool
	// Given is what is given at the edges of groups, for one layer: nil where nothing is, or for no group at all.
	Given []*Given

	Forcing Forcing
	Keep    Keep

	Sweep Sweep
	Halo  string // how devices exchange ghosts: "staged" through the host, "nccl", or "auto" or "" for the best there is
}

// Forcing is what works on the water besides gravity and the bed. Series that are nil are nothing; what differs from
// place to place is in Initial.
type Forcing struct {
	Rain        []series.Row // m/s, of one layer
	Evaporation []series.Row // m/s, of one layer
	Course      []series.Row // by which the air's pressure is multiplied; nil for 1
	UpliftFrom  float64      // between which times the bed rises, s
	UpliftTo    float64
	WindX       []series.Row // velocity of the air, m/s; with WindY
	WindY       []series.Row
	Drag        float64 // of the air: its coefficient times the ratio of densities, air over water (the lower layer)
}

// Given is what is given at a boundary to one layer, by its characteristics.
type Given struct {
	Kind string // level, discharge or radiation
	// Value is the level of the surface in m, what comes in through each metre in m²/s, or the level that waves leave
	// over in m; a single row where it does not change.
	Value []series.Row
	Wave  []series.Row // height of the wave that comes in, m, of radiation; nil for none
}

// givenKinds are the kinds by their names in case files.
var givenKinds = map[string]int32{
	"level": kernels.Level, "discharge": kernels.Discharge, "radiation": kernels.Radiation,
}

// Sweep is how a step goes over the mesh. The results are the same bits.
type Sweep int

const (
	AutoSweep Sweep = iota // tiles on a GPU, cells elsewhere
	CellSweep              // all fluxes, then all cells: no flux is computed twice
	TileSweep              // piece by piece: fluxes stay in fast memory
)

func (s Sweep) tiled(gpu bool) bool { return s == TileSweep || s == AutoSweep && gpu }

// Initial holds the state at t = 0 for every cell of a part, ghosts too, and what does not change.
type Initial struct {
	Depth                  []float64 // of the bed below the datum, m
	H1, U1, V1, H2, U2, V2 []float64 // thicknesses in m, velocities in m/s
	Manning                []float64 // coefficient in s/m^(1/3); nil for no friction
	Pattern                []float64 // by which rain is multiplied; nil for 1
	Infiltration           []float64 // what the ground takes of one layer, m/s; nil for nothing
	Coriolis               []float64 // parameter, 1/s; nil for no rotation
	Pressure               []float64 // of the air over the density of the lower layer, m²/s²; nil for nothing
	Uplift                 []float64 // by which the bed rises in all, m; nil for a bed that stays
}

func params[F num.Float](c Config, friction bool) (kernels.Params[F], error) {
	p := kernels.Params[F]{
		Gravity: F(c.Gravity), DensityRatio: F(c.DensityRatio), CFL: F(c.CFL), EntropyFix: F(c.EntropyFix),
		DryDepth: F(c.DryDepth), Tolerance: tolerance[F](), Hyperbolic: c.Hyperbolic, Friction: friction, Lag: c.Lag,
	}
	switch {
	case c.Order < 0 || c.Order > 2:
		return p, fmt.Errorf("order %d is not known; choose 1 or 2", c.Order)
	case !(c.Gravity > 0):
		return p, fmt.Errorf("gravity %g must be positive", c.Gravity)
	case !(c.DensityRatio > 0 && c.DensityRatio <= 1):
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

// tolerance is where Newton's iteration may stop: its next step would be below rounding.
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

// settle moves bed and levels to a fixed grid of the given spacing, so that levels, their sums and differences are
// exact: then a lake at rest over any bed is at rest to the last bit. An absent layer stays absent.
func settle(depth, h1, h2 *float64, grid float64) {
	bed := -*depth
	z2 := bed + *h2
	z1 := z2 + *h1
	snap := func(z float64) float64 { return math.RoundToEven(z/grid) * grid }
	bed, z2, z1 = snap(bed), snap(z2), snap(z1)
	if *h2 == 0 {
		z2 = bed
	}
	if *h1 == 0 {
		z1 = z2
	}
	*depth, *h2, *h1 = -bed, max(z2-bed, 0), max(z1-z2, 0)
}

// gridFor is the spacing of that grid: a power of two, of which the largest of depths and thicknesses is a multiple
// with bits to spare in the mantissa.
func gridFor[F num.Float](scale float64) float64 {
	bits := 44
	if single[F]() {
		bits = 20
	}
	_, e := math.Frexp(scale)
	return math.Ldexp(1, e-bits)
}
