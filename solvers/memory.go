package solvers

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/internal/words"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
)

// Counts are how much of a case a rank holds.
type Counts struct {
	Dim     int         // of the plane 2, of space 3
	Owned   int         // of what a step updates
	Held    int         // of that, with copies of other ranks' and ghosts
	Cells   int         // that are measured, where a step updates vertices
	Block   *grid.Block // of a grid; nil of a mesh
	Crossed int         // edges between neighbouring cells that a surface crosses, where work lies there
	Apart   bool        // the device has memory of its own
}

// Foreseen is what a case will take, from counts alone.
type Foreseen struct {
	Entities int64  // that a step updates, of all ranks, about
	Held     Counts // of the fullest rank
	Host     int64  // bytes of a rank's host, besides its arrays, at most
	First    int64  // bytes of the host of rank 0 before there are arrays: a whole mesh that is read, checked and cut
}

// Room refuses a case, on all ranks alike, if the device of one has no room for what it needs there. All ranks call it
// before they take any.
func (e *Env) Room(ctx context.Context, c *config.Case, held Counts) error {
	kind, ok := Find(c.Solver)
	if !ok {
		return fmt.Errorf("solver %q is not registered", c.Solver)
	}
	_, held.Apart = e.Device.(backend.Memory)
	return Agree(ctx, e.Comm, Fits(e.Device, kind.Needs(c, held), max(1, e.Beside)))
}

// Fits refuses arrays of so many bytes, of each of so many ranks, that a device has no room for, if it tells how much
// it has.
func Fits(dev backend.Device, need int64, ranks int) error {
	d, ok := dev.(interface {
		MemoryInfo() (free, total uint64, err error)
	})
	if !ok {
		return nil
	}
	free, total, err := d.MemoryInfo()
	if err != nil {
		return fmt.Errorf("memory of device %s: %w", dev.Name(), err)
	}
	if float64(need)*float64(ranks) <= float64(free) {
		return nil
	}
	of := ""
	if ranks > 1 {
		of = fmt.Sprintf(", as those of %d others there do,", ranks-1)
	}
	return fmt.Errorf("a rank's share of the case takes at least %s%s on device %s, which has %s free of %s; "+
		"use fewer cells, precision float32, or more ranks with memory of their own", words.Bytes(need), of, dev.Name(),
		words.Bytes(int64(free)), words.Bytes(int64(total)))
}

// Width is how many bytes a number of a precision takes, float32 or float64.
func Width(precision string) int64 {
	if precision == "float32" {
		return 4
	}
	return 8
}
