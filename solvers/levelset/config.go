package levelset

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Config is the method and how it is computed.
type Config struct {
	Advect     string  // semi-lagrangian or weno
	Reinit     string  // sweep, weno or none
	Iterations int     // of reinitialisation by weno in each step, of half a cell each
	Band       float64 // cells from the interface to which φ is a distance
	CFL        float64 // dt·|u|/h of an axis at most
	// Particles is how many of each sign are sown in a cell next to the interface; 0 for a level set alone.
	Particles int
	Escape    float64 // how many radii on the wrong side a particle corrects φ
	Correct   string  // fused, by atomic minima and maxima, or sorted by cell; the state is the same
	Reseed    int     // steps between reseedings; 0 for none
	Sort      int     // steps between sorts of particles by cell; 0 for none
	Halo      string  // how devices exchange ghosts: auto, staged or nccl
}

// Advections, Reinits and Corrections are the names that Config knows.
var (
	Advections  = []string{"semi-lagrangian", "weno"}
	Reinits     = []string{"sweep", "weno", "none"}
	Corrections = []string{"fused", "sorted"}
)

// The papers' values, in cells: the band that is seeded, and the least and the greatest radius.
const (
	sownBand    = 3
	leastRadius = 0.1
	mostRadius  = 0.5
)

// wenoGhosts is how far differences of fifth order reach.
const wenoGhosts = 3

// particleGhosts is how many layers of ghosts seeding needs: particles are attracted from so far, less one cell.
const particleGhosts = 6

// mostCFL bounds the steps of each way of advection.
var mostCFL = map[string]float64{"semi-lagrangian": 4.9, "weno": 0.5}

// Ghosts is how many layers of ghost cells the solver needs around a block: what a step of so many cells reads, and
// what else the method reads. It does not depend on ranks, since attraction goes as far as it allows.
func (c Config) Ghosts() int {
	n := max(wenoGhosts, int(math.Ceil(c.CFL))+1)
	if c.Particles > 0 {
		n = max(n, particleGhosts)
	}
	return n
}

// Check refuses what cannot be run.
func (c Config) Check() error {
	for _, name := range []struct {
		what, is string
		of       []string
	}{
		{"advection", c.Advect, Advections},
		{"reinitialisation", c.Reinit, Reinits},
		{"correction", c.Correct, Corrections},
	} {
		if !slices.Contains(name.of, name.is) {
			return fmt.Errorf("%s %q is not known; choose from %s", name.what, name.is, strings.Join(name.of, ", "))
		}
	}
	switch most := mostCFL[c.Advect]; {
	case !(c.CFL > 0 && c.CFL <= most):
		return fmt.Errorf("cfl = %g: %s takes more than 0 and at most %g", c.CFL, c.Advect, most)
	case !(c.Band >= sownBand+1 && c.Band <= 100):
		return fmt.Errorf("band = %g cells: give %d to 100", c.Band, sownBand+1)
	case c.Reinit == "weno" && !(c.Iterations >= 1 && c.Iterations <= 1000):
		return fmt.Errorf("iterations = %d: give 1 to 1000", c.Iterations)
	case c.Particles < 0 || c.Particles > 4096:
		return fmt.Errorf("particles = %d: give 0 to 4096 of each sign a cell", c.Particles)
	case c.Particles > 0 && !(c.Escape >= 0 && c.Escape <= 10):
		return fmt.Errorf("escape = %g: give 0 to 10 radii", c.Escape)
	case c.Reseed < 0 || c.Sort < 0:
		return fmt.Errorf("reseed = %d, sort = %d: give numbers of steps, or 0", c.Reseed, c.Sort)
	}
	return nil
}

// sweeps is how many passes bring distances to the edge of the band up to 1e-5 of a cell: a solution depends on
// neighbours that are nearer to the interface, along the diagonal by 1/√dim of a cell. The number is even, so that the
// result is in the array where they began.
func (c Config) sweeps(dim int) int {
	n := int(math.Ceil(c.Band*math.Sqrt(float64(dim)))) + 4
	return n + n%2
}
