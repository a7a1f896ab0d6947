package vof

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Bytes returns the size of a block's arrays on a device: those of arrays.upload, bands, and the reference field of
// errors. It counts deep ghosts where tiles may use them.
func (c Config) Bytes(b *grid.Block, precision string, separate bool) (int64, error) {
	if precision == "float32" {
		return bytesOf[float32](c, b, separate)
	}
	return bytesOf[float64](c, b, separate)
}

func bytesOf[F num.Float](c Config, b *grid.Block, separate bool) (int64, error) {
	w, err := c.choose(b, separate)
	if err != nil {
		return 0, err
	}
	b = c.withGhosts(b, &w)
	var number F
	dim, perCell := b.Grid.Dim, int64(0) // of a cell with ghosts
	fields := 2
	if dim == 3 && w.traversal != byTiles {
		fields = 3
	}
	perCell += int64(fields+dim) * int64(unsafe.Sizeof(number))
	switch {
	case w.stored && dim == 2:
		perCell += int64(unsafe.Sizeof(geom.Line[F]{}))
	case w.stored:
		perCell += int64(unsafe.Sizeof(geom.Plane[F]{}))
	}
	const ints, float = 4, 8
	tiles := int64(w.count) * 5 * ints
	if !separate && w.traversal == byCells {
		tiles += bandBytes(b)
	}
	return perCell*int64(b.Len()) + 2*ints*int64(b.BoundaryGhostCount()) + float*int64(b.Cells()) + tiles, nil
}

// StateBytes returns the size of the volume fractions of a block on a device with separate memory.
func (c Config) StateBytes(b *grid.Block, precision string) (int64, error) {
	w, err := c.choose(b, true)
	if err != nil {
		return 0, err
	}
	return solvers.Width(precision) * int64(c.withGhosts(b, &w).Len()), nil
}

// withGhosts returns the block with deep ghosts where tiles may use them.
func (c Config) withGhosts(b *grid.Block, w *schedule) *grid.Block {
	if w.traversal == byTiles && c.mayDeepen(b.Grid.Dim) && open(b) {
		if deep, err := b.Grid.Block(b.Lo, b.N, deepGhosts+1); err == nil {
			return deep
		}
	}
	return b
}

// open reports whether a block has neighbours.
func open(b *grid.Block) bool {
	for axis := range b.Grid.Dim {
		if o := b.HasNeighbours(axis); o[0] || o[1] {
			return true
		}
	}
	return false
}
