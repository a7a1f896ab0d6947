package vof

import (
	"fmt"
	"slices"
	"strings"
)

// Config is what a case says of the method.
type Config struct {
	Normal string  // youngs, myc, elvira, lvira or height
	Advect string  // weymouth-yue or ei-le
	CFL    float64 // the longest step: see PerAxis
	// PerAxis tells that CFL bounds dt·|u_d|/h_d along each axis, as most papers have it, and not the sum over the axes.
	PerAxis bool
	// Adaptive makes steps as long as CFL allows at the velocity in their middle, and at most four times as long as at a
	// factor of 1. Without it all steps are as short as the largest factor asks for. Fewer steps tear an interface less.
	Adaptive bool
}

// Normals and Advections are the names that Config knows.
var (
	Normals    = []string{"youngs", "myc", "elvira", "lvira", "height"}
	Advections = []string{"weymouth-yue", "ei-le"}
)

// Ghosts is how many layers of ghost cells the solver needs around a block.
func (c Config) Ghosts() int {
	if c.Normal == "height" {
		return 4 // a donor in the first layer, and three cells beyond it
	}
	return 2
}

// check refuses what cannot be run in dim dimensions.
func (c Config) check(dim int) error {
	if dim != 2 && dim != 3 {
		return fmt.Errorf("vof works in 2 or 3 dimensions, not %d", dim)
	}
	if !slices.Contains(Normals, c.Normal) {
		return fmt.Errorf("normal %q is not known; choose from %s", c.Normal, strings.Join(Normals, ", "))
	}
	most, name := 0.5, "sum over the axes"
	if c.PerAxis {
		name = "number of each axis"
	}
	switch {
	case c.Advect == "ei-le" && dim == 3:
		return fmt.Errorf("ei-le conserves volume in the plane only; choose weymouth-yue in space")
	case c.Advect == "ei-le":
		most = 0.999
	case c.Advect != "weymouth-yue":
		return fmt.Errorf("advection %q is not known; choose from %s", c.Advect, strings.Join(Advections, ", "))
	}
	if !(c.CFL > 0 && c.CFL <= most) {
		return fmt.Errorf("cfl = %g: %s keeps its bounds for a %s of more than 0 and at most %g", c.CFL, c.Advect, name, most)
	}
	return nil
}

// way is the kernels' number of a normal.
func (c Config) way() int32 { return int32(slices.Index(Normals, c.Normal)) }
