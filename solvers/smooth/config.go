package smooth

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/dist/onmachine"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// Smoothers are the names for Config.Smoother.
var Smoothers = []string{"pain", "pain-exact", "smart", "fjp", "hybrid", "barrier"}

// Guards are the names for Config.Guard: no guard; halve a step until it inverts no cell; or clip it before it
// would invert one. Smoothers other than pain and pain-exact need no guard.
var Guards = []string{"none", "halve", "clip"}

// Sweeps are the names for Config.Sweep: "sets", one kernel for each set; "tiles", one kernel for a sweep, in which
// a block of a GPU moves a tile of the mesh, set after set; "auto" or "" for the faster one. The results have the
// same bits.
var Sweeps = []string{"auto", "sets", "tiles"}

// Halos are the names for solvers.Env.Halo.
var Halos = []string{"auto", "staged", "p2p", "nccl"}

// Config selects the method, and how it is computed.
type Config struct {
	Smoother  string  // one of Smoothers
	Relax     float64 // over-relaxation ω; 0 for the default: 0.5 for pain, of the mesh for barrier, 1 for others
	Guard     string  // one of Guards
	Cull      bool    // visit only vertices with a neighbour that has moved by more than Settled
	Settled   float64 // length of a move, in the metric, below which it is ignored
	Gain      float64 // least gain of the worst quality for which a vertex is moved
	Floor     float64 // hybrid optimises below this worst quality; 0 for the mean before each sweep, half of it in space
	Sweep     string  // one of Sweeps
	Untangle  bool    // accept inverted or flat cells, for Solver.Untangle, which also rescales
	KeepShape bool    // no step of barrier gives a cell a worse shape than the worst of the mesh at the start
	Rescale   bool    // scale the metric so that the mesh's area in it is that of as many ideal triangles as it has

	Shared *onmachine.Copy // has arrays of the metric, or nil; the solver closes it
}

// parameters checks a configuration and returns the kernels' constants (kernels.Params). Flat and Margin are a few
// units of round-off in the precision F, and an excess of 1% keeps Pain's damped matrix from being singular.
func parameters[F num.Float](c Config) (kernels.Params[F], error) {
	p := kernels.Params[F]{Relax: F(c.Relax), Excess: 0.01, Tolerance: F(c.Settled * c.Settled), Gain: F(c.Gain),
		Climbs: 60, Cull: c.Cull, Guard: int32(slices.Index(Guards, c.Guard)), Flat: 4 * 0x1p-53, Shortest: 1e-10,
		Margin: 0x1p-43}
	if isFloat32[F]() {
		p.Flat, p.Shortest, p.Margin = 4*0x1p-24, 1e-5, 0x1p-14
	} else if c.Smoother == "barrier" {
		p.Shortest = 1e-16 // its first steps from a sliver are as short as the sliver is flat
	}
	if c.Relax == 0 {
		p.Relax = 1
		if c.Smoother == "pain" {
			p.Relax = 0.5
		}
	}
	switch {
	case !slices.Contains(Smoothers, c.Smoother):
		return p, fmt.Errorf("smoother %q is not known; choose one of %s", c.Smoother, strings.Join(Smoothers, ", "))
	case c.Sweep != "" && !slices.Contains(Sweeps, c.Sweep):
		return p, fmt.Errorf("sweep %q is not known; choose one of %s", c.Sweep, strings.Join(Sweeps, ", "))
	case c.Sweep == "tiles" && !hasTileKernel(&c):
		return p, fmt.Errorf("sweeps by tiles are for the smoother pain without guard or cull, not for %s with guard %q and "+
			"cull = %v: choose sets", c.Smoother, c.Guard, c.Cull)
	case c.Cull && c.Smoother == "barrier":
		return p, errors.New("the smoother barrier needs cull = false: its objective changes between stages")
	case p.Guard < 0:
		return p, fmt.Errorf("guard %q is not known; choose one of %s", c.Guard, strings.Join(Guards, ", "))
	case !(c.Relax >= 0 && c.Relax < 2):
		return p, fmt.Errorf("a relaxation of %g does not converge; give one above 0 and below 2", c.Relax)
	case !(c.Settled >= 0 && c.Settled < 1) || !(c.Gain >= 0 && c.Gain < 1) || !(c.Floor >= 0 && c.Floor <= 1):
		return p, fmt.Errorf("settled = %g and gain = %g must lie in [0, 1), and floor = %g in [0, 1]", c.Settled,
			c.Gain, c.Floor)
	}
	return p, nil
}

// checkCurves refuses curved boundaries for smoothers that assume straight ones.
func checkCurves(p *layout.Subdomain, c *Config) error {
	if p.OnCurves > 0 && (c.Smoother != "barrier" || c.Untangle) {
		return errors.New("vertices slide on curved boundaries with the smoother barrier alone, and not before untangling: " +
			"set layout.Options.Ridge to 0")
	}
	return nil
}

// Batch returns the number of sweeps between exchanges on devices with separate memory, for layout.Options: a message
// takes longer than moving some layers of copies.
func (c *Config) Batch() int {
	if c.Sweep != "sets" && hasTileKernel(c) {
		return layout.MaxBatch
	}
	return 1
}

// hasTileKernel reports whether there is a kernel for whole sweeps of a tile.
func hasTileKernel(c *Config) bool { return c.Smoother == "pain" && c.Guard == "none" && !c.Cull }

// isFloat32 reports whether F is float32.
func isFloat32[F num.Float]() bool { return F(1)/3 == F(float32(1)/3) }
