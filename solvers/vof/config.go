package vof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/grid"
)

// Config selects the numerical method, and how it is computed.
type Config struct {
	Normal string  // youngs, myc, elvira, lvira or height
	Advect string  // weymouth-yue or ei-le
	CFL    float64 // limit of the step: see PerAxis
	// With PerAxis the CFL number is the largest dt·|u_d|/h_d along any axis, as in most papers; otherwise it is the
	// sum over the axes.
	PerAxis bool
	// With Adaptive each step is as long as CFL allows for the velocity in its middle, at most four times the step
	// for a time factor of 1 (see flow.Flow). Without it all steps have the length for the largest factor. Fewer steps
	// cause less fragmentation of the interface.
	Adaptive bool
	// Exchange is how often ghosts are exchanged: "sweep", before each sweep; "step", once, with ghosts so wide
	// that the first sweeps are repeated in them; or "steps", once in kernels.ListSteps steps, for tiles with 72
	// layers of ghosts. The default, "" or "auto", was the fastest on four ranks in BenchmarkExchange: in the plane
	// once a step (over gRPC by a fifth), in space and with heights before each sweep; with tiles once in many steps,
	// unless a block is thinner than those layers. The state does not depend on it.
	Exchange string
	// Sweep is how a step traverses the grid: "cells", one sweep after the other; "tiles", in the plane, both
	// sweeps in one kernel that skips tiles without a nearby interface; or "" or "auto", the faster of the two. In
	// space a GPU uses bricks of cells instead, and skips those without a nearby interface. The state does not depend
	// on it.
	Sweep string
	// With Curvature the block has the three layers of ghosts that the field "curvature" needs.
	Curvature bool
}

// heightGhosts is the number of ghost layers that heights in the block's own cells need.
const heightGhosts = 3

// Normals and Advections are the names that Config knows.
var (
	Normals    = []string{"youngs", "myc", "elvira", "lvira", "height"}
	Advections = []string{"weymouth-yue", "ei-le"}
)

// Ghosts returns the number of ghost layers that the solver needs in dim dimensions.
func (c Config) Ghosts(dim int) int {
	along, across := c.reach()
	if c.wideHalo(dim) {
		along += (dim - 1) * across
	}
	if c.Curvature {
		along = max(along, heightGhosts)
	}
	return along
}

// wideHalo reports whether ghosts are exchanged once a step or less often, in a communication-avoiding halo.
func (c Config) wideHalo(dim int) bool {
	if c.Exchange == "" || c.Exchange == "auto" {
		return dim == 2 && c.Normal != "height"
	}
	return c.Exchange != "sweep"
}

// reach returns how many cells away a sweep reads, along and across its axis: the donor cell, and the cells on which
// its plane depends.
func (c Config) reach() (along, across int) {
	if c.Normal == "height" {
		return 4, 3
	}
	return 2, 1
}

// Check returns the error that New would return for a block.
func (c Config) Check(b *grid.Block) error {
	if err := c.check(b.Grid.Dim); err != nil {
		return err
	}
	_, err := c.chooseSchedule(b, false)
	return err
}

// check checks the parameters for dim dimensions.
func (c Config) check(dim int) error {
	if dim != 2 && dim != 3 {
		return fmt.Errorf("vof works in 2 or 3 dimensions, not %d", dim)
	}
	if !slices.Contains(Normals, c.Normal) {
		return fmt.Errorf("normal %q is not known; choose from %s", c.Normal, strings.Join(Normals, ", "))
	}
	if !slices.Contains([]string{"", "auto", "sweep", "step", "steps"}, c.Exchange) {
		return fmt.Errorf("exchange %q is not known; choose auto, sweep, step or steps", c.Exchange)
	}
	if !slices.Contains([]string{"", "auto", "cells", "tiles"}, c.Sweep) {
		return fmt.Errorf("sweep %q is not known; choose auto, cells or tiles", c.Sweep)
	}
	maxCFL, name := 0.5, "sum over the axes"
	if c.PerAxis {
		name = "number of each axis"
	}
	switch {
	case c.Advect == "ei-le" && dim == 3:
		return fmt.Errorf("ei-le conserves volume in the plane only; choose weymouth-yue in space")
	case c.Advect == "ei-le":
		maxCFL = 0.999
	case c.Advect != "weymouth-yue":
		return fmt.Errorf("advection %q is not known; choose from %s", c.Advect, strings.Join(Advections, ", "))
	}
	if !(c.CFL > 0 && c.CFL <= maxCFL) {
		return fmt.Errorf("cfl = %g: %s keeps fractions in [0, 1] only if this %s is above 0 and at most %g", c.CFL,
			c.Advect, name, maxCFL)
	}
	return nil
}

// normalMethod returns the number of the normal's method in the kernels.
func (c Config) normalMethod() int32 { return int32(slices.Index(Normals, c.Normal)) }
