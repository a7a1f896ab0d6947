package vof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/grid"
)

// Config is the method and how it is computed.
type Config struct {
	Normal string  // youngs, myc, elvira, lvira or height
	Advect string  // weymouth-yue or ei-le
	CFL    float64 // the longest step: see PerAxis
	// PerAxis tells that CFL bounds dt·|u_d|/h_d along each axis, as most papers have it, and not the sum over the axes.
	PerAxis bool
	// Adaptive makes steps as long as CFL allows at the velocity in their middle, and at most four times as long as at a
	// factor of 1. Without it all steps are as short as the largest factor asks for. Fewer steps tear an interface less.
	Adaptive bool
	// Halo is how ghosts are exchanged: "auto", "staged" through the host, "nccl" between GPUs. In the host's own memory
	// the messages are direct.
	Halo string
	// Exchange is how often ghosts are exchanged: "sweep", before each sweep, or "step", once, with ghosts in which the
	// first sweeps go on beyond the block, or "steps", once in ListSteps steps, for tiles that go over 72 layers of
	// ghosts. The default is what took less time on four ranks, by BenchmarkExchange: in the plane once a step (over gRPC
	// by a fifth), in space, and with heights, before each sweep; by tiles once in many steps, unless a block is thinner
	// than those layers. The state is the same.
	Exchange string
	// Sweep is how a step goes over the grid: by "cells", one sweep after the other; by "tiles", both sweeps in one kernel
	// that leaves alone where no interface is near, in the plane; or what suits the device and the size: in space a GPU
	// goes by bricks of cells, and leaves those alone where no interface is near. The state is the same.
	Sweep string
	// Curvature tells that the field "curvature" will be asked for: heights need three layers of ghosts.
	Curvature bool
}

// heightGhosts is how many layers of ghosts heights of the block's own cells need.
const heightGhosts = 3

// Normals and Advections are the names that Config knows.
var (
	Normals    = []string{"youngs", "myc", "elvira", "lvira", "height"}
	Advections = []string{"weymouth-yue", "ei-le"}
)

// Ghosts is how many layers of ghost cells the solver needs around a block in dim dimensions.
func (c Config) Ghosts(dim int) int {
	along, across := c.reach()
	if c.wide(dim) {
		along += (dim - 1) * across
	}
	if c.Curvature {
		along = max(along, heightGhosts)
	}
	return along
}

// wide tells that ghosts are exchanged once a step or less, in a communication-avoiding halo.
func (c Config) wide(dim int) bool {
	if c.Exchange == "" || c.Exchange == "auto" {
		return dim == 2 && c.Normal != "height"
	}
	return c.Exchange != "sweep"
}

// reach is how many cells away a sweep reads: a donor next to the cell, and what its plane depends on.
func (c Config) reach() (along, across int) {
	if c.Normal == "height" {
		return 4, 3
	}
	return 2, 1
}

// Check refuses what New would refuse on a block.
func (c Config) Check(b *grid.Block) error {
	if err := c.check(b.Grid.Dim); err != nil {
		return err
	}
	_, err := c.choose(b, false)
	return err
}

// check refuses what cannot be run in dim dimensions.
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

// normalMethod is the kernels' number of the normal's method.
func (c Config) normalMethod() int32 { return int32(slices.Index(Normals, c.Normal)) }
