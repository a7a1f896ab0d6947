package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
)

// memory returns the bytes of a block's arrays on the device, 0 for a case that cannot be run.
func memory(c *config.Case, share solvers.Counts) int64 {
	w := c.Sections.(*Sections)
	bytes, err := methodOf(c).Bytes(share.Block, w.Method.Precision, share.SeparateMemory)
	if err != nil {
		return 0
	}
	return bytes
}

// copies returns the bytes for output: of the volume fractions on the device and, for the interface, on the host.
// Frames of planes read the fields of all cells one after the other, of which the normal is the largest.
func copies(c *config.Case, share solvers.Counts) (n solvers.Copies) {
	precision := c.Sections.(*Sections).Method.Precision
	bytes, err := methodOf(c).StateBytes(share.Block, precision)
	if err != nil {
		return n
	}
	n.Checkpoint, n.Surface = bytes, bytes
	n.HostSurface = solvers.SurfaceBytes(bytes, precision)
	n.HostShapeSource = numberBytes * int64(1+share.Dim) * int64(share.Owned)
	if slices.Contains(c.Output.Fields, "f") {
		n.Frame = bytes
	}
	return n
}

// numberBytes is the size of a float64.
const numberBytes = 8

// estimate estimates the largest block. At the start the host holds velocities and fractions in float64, in addition to
// the arrays unless these are in the host's memory in float64. Later it holds a copy of the fractions of a device with
// separate memory; and at the end, for the errors of normals and curvatures, these of all cells.
func estimate(c *config.Case, ranks int, separate bool) (solvers.Estimate, error) {
	w := c.Sections.(*Sections)
	cfg := methodOf(c)
	f, err := domain.Estimate(&w.Grid, cfg.Ghosts(w.Grid.Dim), ranks, separate)
	if err != nil {
		return f, err
	}
	dim, held := int64(w.Grid.Dim), int64(f.LargestShare.Held)
	if separate {
		f.Host = solvers.Width(w.Method.Precision) * held
	}
	if separate || w.Method.Precision == "float32" {
		f.StartHost = numberBytes * dim * held
	}
	if !separate || w.Method.Precision == "float32" {
		f.StartHost += numberBytes * held
	}
	if w.Exact != nil {
		f.StartHost += numberBytes * held
	}
	numbers := 1 + dim + 1 // distance and normal of the plane; the error
	if cfg.Curvature {
		numbers++
	}
	if moves(w, ranks, separate) {
		f.Host += memory(c, f.LargestShare) // of what a block has sent, while the arrays of the next are filled
	}
	f.EndHost = numberBytes * numbers * int64(f.LargestShare.Owned)
	return f, nil
}
