package levelset

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Config holds the parameters of the numerical method and of its implementation.
type Config struct {
	Advect     string  // semi-lagrangian or weno
	Reinit     string  // sweep, weno or none
	Iterations int     // pseudo-time steps in each reinitialisation by weno, of 0.6 cells in the plane, 0.5 in space
	Band       float64 // half-width in cells of the band around the interface in which φ is a distance
	CFL        float64 // largest dt·|u|/h along any axis
	// Particles is the number of particles of each sign that are seeded in a cell near the interface; 0 for a level
	// set without particles.
	Particles int
	// Escape: a particle on the wrong side of the interface by more than this multiple of its radius counts as escaped,
	// and corrects φ.
	Escape  float64
	Correct string // fused: by atomic minima and maxima; sorted: by sorting particles by cell; the results are the same
	Reseed  int    // steps between reseedings; 0 for none
	Sort    int    // steps between sorts of particles by cell; 0 for none
	Halo    string // how devices exchange ghosts: auto, staged or nccl
}

// Advections, Reinits and Corrections are the values of Config's Advect, Reinit and Correct.
var (
	Advections  = []string{"semi-lagrangian", "weno"}
	Reinits     = []string{"sweep", "weno", "none"}
	Corrections = []string{"fused", "sorted"}
)

// Lengths in cells from the papers (see the package's comment): the half-width of the seeded band, and the smallest
// and the largest radius of particles.
const (
	seededBand = 3
	minRadius  = 0.1
	maxRadius  = 0.5
)

// wenoGhosts is the number of ghost layers that fifth-order differences need.
const wenoGhosts = 3

// particleGhosts is the number of ghost layers that seeding needs: particles are attracted to the interface over at
// most one cell less.
const particleGhosts = 6

// MaxCFL returns the largest CFL number of an advection scheme in dim dimensions: for the semi-Lagrangian one the
// largest for which particleGhosts layers are enough; for WENO one with which RK3 is stable, which limits the sum over
// the axes to 1.43 (Motamed, Macdonald and Ruuth, J. Sci. Comput. 47, 2011).
func MaxCFL(advect string, dim int) float64 {
	switch {
	case advect != "weno":
		return 4.9
	case dim == 2:
		return 0.7
	}
	return 0.5
}

// Ghosts returns the number of ghost layers that the method needs. It does not depend on the number of ranks, so that
// the attraction of particles, which it limits, does not either.
func (c Config) Ghosts() int {
	n := max(wenoGhosts, int(math.Ceil(c.CFL))+1)
	if c.Particles > 0 {
		n = max(n, particleGhosts)
	}
	return n
}

// Check returns an error for parameters out of range in dim dimensions.
func (c Config) Check(dim int) error {
	for _, choice := range []struct {
		name, value string
		options     []string
	}{
		{"advection", c.Advect, Advections},
		{"reinitialisation", c.Reinit, Reinits},
		{"correction", c.Correct, Corrections},
	} {
		if !slices.Contains(choice.options, choice.value) {
			return fmt.Errorf("%s %q is not known; choose from %s", choice.name, choice.value,
				strings.Join(choice.options, ", "))
		}
	}
	switch largestCFL := MaxCFL(c.Advect, dim); {
	case !(c.CFL > 0 && c.CFL <= largestCFL):
		return fmt.Errorf("cfl = %g: %s takes more than 0 and at most %g", c.CFL, c.Advect, largestCFL)
	case !(c.Band >= seededBand+1 && c.Band <= 100):
		return fmt.Errorf("band = %g cells: give %d to 100", c.Band, seededBand+1)
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

// sweeps returns the number of passes that propagate distances to the edge of the band with an error below 1e-5 of a
// cell: a value depends on neighbours nearer to the interface, which along a diagonal are 1/√dim of a cell nearer.
// The number is even, so that the result is in the array where the sweeps began.
func (c Config) sweeps(dim int) int {
	n := int(math.Ceil(c.Band*math.Sqrt(float64(dim)))) + 4
	return n + n%2
}
