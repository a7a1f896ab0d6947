package estimate

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
)

// wholeFormats are the formats of frames with the values of all cells.
var wholeFormats = []string{"vtu", "vti", "vdb", "nc"}

// surfaceFormats are those of an interface.
var surfaceFormats = []string{"vtp", "stl", "obj"}

// FramesOnDevice is the largest number of frames of a series of which a device with separate memory has copies at a
// time, while they are being written. Ranks then have the data of all of them on the host, too.
const FramesOnDevice = 3

// copiesOf returns the bytes of the copies for FramesOnDevice frames in each format and for a checkpoint, which may be
// written after the same step.
func copiesOf(copies *solvers.Copies, c *config.Case) (bytes int64) {
	for _, format := range c.Output.Format {
		switch {
		case slices.Contains(wholeFormats, format):
			bytes += FramesOnDevice * copies.Frame
		case slices.Contains(surfaceFormats, format):
			bytes += FramesOnDevice * copies.Surface
		}
	}
	if c.Checkpoint.Every > 0 || c.Checkpoint.Steps > 0 {
		bytes += copies.Checkpoint
	}
	return bytes
}

// Bytes of the arrays of a frame.
const (
	number  = 8 // a component of a field, a coordinate, a key, or an index of a mesh
	rankID  = 4 // of each cell
	cellTag = 1 // the type of a cell of a mesh
)

// hostFrames returns the bytes on the host for the frames that a rank writes at a time: in each format one, or
// FramesOnDevice if the device has separate memory. joined are those that only rank 0 needs in addition, to join the
// files of ranks. The points and polygons of an interface are left out: their number is not known in advance.
func hostFrames(fields []solvers.Field, c *config.Case, share *solvers.Counts, copies *solvers.Copies) (bytes,
	joined int64) {
	pending := int64(1)
	if share.SeparateMemory {
		pending = FramesOnDevice
	}
	cells := int64(share.Owned)
	if share.Cells > 0 {
		cells = int64(share.Cells)
	}
	read, written := numbersOf(solvers.Named(fields, c.Output.Fields), share.Dim)
	data := cells * number * written
	mesh, moving := meshBytes(share, cells)
	for _, format := range c.Output.Format {
		frame := int64(0)
		switch {
		case format == "vti" || format == "vtu":
			constants := cells * rankID // held for all frames
			if format == "vtu" {
				constants += cells*number + mesh // keys
			}
			bytes += constants
			frame = data + moving
			if c.Output.Compress || c.Output.Files == "rank" {
				frame += frame + constants // compressed arrays, which may be as large
			}
		case format == "vdb": // written as compressed images, which rank 0 reads
			bytes += cells * rankID
			frame = 2*data + cells*rankID
			if share.Block != nil {
				whole := int64(share.Block.Grid.Cells())
				joined += pending * 2 * whole * (number*written + rankID)
			}
		case format == "nc":
			// The record is exchanged from its arrays through messages to others. One record is exchanged at a time.
			frame = number * read * cells
			bytes += mesh + 4*frame
		case slices.Contains(surfaceFormats, format):
			frame = copies.HostSurface
		default:
			frame = copies.HostShape
			bytes += copies.HostShapeSource // of one frame at a time, between steps
		}
		bytes += pending * frame
	}
	return bytes, joined
}

// numbersOf returns how many numbers of a cell fields have, and how many the arrays for frames hold. Files hold vectors
// in the plane with a third component, in arrays besides those that were read.
func numbersOf(fields []solvers.Field, dim int) (read, held int64) {
	for _, f := range fields {
		n := int64(len(f.Numbers()))
		if dim == 2 {
			n = min(n, 2)
		}
		read, held = read+n, held+n
		if n == 2 {
			held += 3
		}
	}
	return read, held
}

// meshBytes returns the bytes of the mesh of frames, of which there is one, and those that each frame adds if its
// vertices move: numbers read and coordinates of points. Both are 0 for grids.
func meshBytes(share *solvers.Counts, cells int64) (mesh, moving int64) {
	if share.Block != nil {
		return 0, 0
	}
	const points = 3 * number // coordinates in files
	corners := int64(share.Dim + 1)
	mesh = cells * ((corners+1)*number + cellTag)
	if share.Cells > 0 {
		return mesh, int64(share.Owned) * (int64(share.Dim)*number + points)
	}
	return mesh + cells/2*points, 0 // a mesh of triangles has half as many vertices
}

// FrameBytes returns about how many bytes a rank writes of a frame, in all formats with the values of all cells.
func FrameBytes(fields []solvers.Field, c *config.Case, dim int, cells int64) (bytes int64) {
	_, written := numbersOf(solvers.Named(fields, c.Output.Fields), dim)
	for _, format := range c.Output.Format {
		switch {
		case format == "vtu":
			mesh, _ := meshBytes(&solvers.Counts{Dim: dim}, cells)
			bytes += mesh + cells*(number*(written+1)+rankID) // with keys
		case slices.Contains(wholeFormats, format):
			bytes += cells * (number*written + rankID)
		}
	}
	return bytes
}
