package solvers

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/internal/words"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
)

// Counts are the sizes of a rank's share of a case, from which memory is estimated.
type Counts struct {
	Dim            int         // 2 in the plane, 3 in space
	Owned          int         // entities (cells or vertices) that a step updates
	Held           int         // Owned and the copies of other ranks' entities
	Cells          int         // cells whose quality is measured, if a step updates vertices
	Block          *grid.Block // the rank's block of a grid; nil for a mesh
	InterfaceCells int         // cells near an interface, in which particles are; 0 if they are not counted
	SeparateMemory bool        // the device has separate memory
}

// Estimate is an estimate of the resources that a case needs, made before the mesh is read and arrays are allocated.
type Estimate struct {
	Entities     int64  // approximate number that a step updates, over all ranks
	LargestShare Counts // the largest share of a rank

	// Upper bounds of host memory in bytes, without the arrays of the device and without frames: of a rank at all times,
	// in addition at the start and at the end, and of rank 0 during set-up, while it holds the whole mesh.
	Host, StartHost, EndHost, SetUpHost int64

	// Of the other ranks, if they need less than the one with the largest share: as if each had the mean of all shares.
	Others *Estimate
}

// Copies are the bytes of a rank's arrays of which its device makes copies for output, and of arrays on the host for
// shapes.
type Copies struct {
	Frame      int64 // for a frame in one format with the values of all cells
	Surface    int64 // for a frame in one format of an interface
	Checkpoint int64 // for a checkpoint

	// On the host of any device: of the field from which an interface is made; of a frame of another shape, such as
	// particles, until it is written; and in addition, of what such a shape is made of.
	HostSurface, HostShape, HostShapeSource int64
}

// SurfaceBytes returns the bytes on the host of a field of a number of bytes on the device, from which an interface is
// made: read in float64 and then converted to the precision of the solver.
func SurfaceBytes(bytes int64, precision string) int64 {
	const float64Width = 8
	width := Width(precision)
	if width == float64Width {
		return bytes
	}
	return bytes/width*float64Width + bytes
}

// CheckMemory refuses a case, on all ranks, if the memory of any rank's device is too small for it. All ranks call it
// before they allocate.
func (e *Env) CheckMemory(ctx context.Context, c *config.Case, share Counts) error {
	kind, ok := Find(c.Solver)
	if !ok {
		return fmt.Errorf("solver %q is not registered", c.Solver)
	}
	_, share.SeparateMemory = e.Device.(backend.Memory)
	return Agree(ctx, e.Comm, CheckDeviceMemory(e.Device, kind.Needs(c, share), max(1, e.RanksOnDevice)))
}

// CheckDeviceMemory returns an error if a device reports less free memory than `ranks` ranks need, each `need` bytes.
func CheckDeviceMemory(dev backend.Device, need int64, ranks int) error {
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
	others := ""
	if ranks > 1 {
		others = fmt.Sprintf(" (and so does each of %d other ranks)", ranks-1)
	}
	return fmt.Errorf("a rank's share of the case needs at least %s%s on device %s, which has %s free of %s; "+
		"use fewer cells, precision float32, or more ranks with memory of their own", words.Bytes(need), others, dev.Name(),
		words.Bytes(int64(free)), words.Bytes(int64(total)))
}

// Width returns the size in bytes of a number of a precision, float32 or float64.
func Width(precision string) int64 {
	if precision == "float32" {
		return 4
	}
	return 8
}
