package vof

import (
	"unsafe"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Bytes returns the size of a block's arrays on a device: those of arrays.upload, the narrow band, and the reference
// field of errors. If the block may get deep ghosts, it includes them.
func (c Config) Bytes(b *grid.Block, precision string, separate bool) (int64, error) {
	if precision == "float32" {
		return bytesOf[float32](c, b, separate)
	}
	return bytesOf[float64](c, b, separate)
}

func bytesOf[F num.Float](c Config, b *grid.Block, separate bool) (int64, error) {
	w, err := c.chooseSchedule(b, separate)
	if err != nil {
		return 0, err
	}
	b = c.withGhosts(b, &w)
	var number F
	dim, perCell := b.Grid.Dim, int64(0) // bytes for a cell of an array with ghosts
	fields := 2
	if dim == 3 && w.traversal != byTiles {
		fields = 3
	}
	perCell += int64(fields+dim) * int64(unsafe.Sizeof(number))
	switch {
	case w.costlyNormals && dim == 2:
		perCell += int64(unsafe.Sizeof(geom.Line[F]{}))
	case w.costlyNormals:
		perCell += int64(unsafe.Sizeof(geom.Plane[F]{}))
	}
	const intBytes, floatBytes = 4, 8
	const tileArrays = 5 // kinds (two), allTiles, activeTiles, marks
	tiles := int64(w.count) * tileArrays * intBytes
	if w.wallsByBrick {
		tiles += int64(w.count+1) * intBytes // brickWalls
	}
	if !separate && w.traversal == byCells {
		tiles += narrowBandBytes(b)
	}
	return perCell*int64(b.Len()) + 2*intBytes*int64(b.BoundaryGhostCount()) + floatBytes*int64(b.Cells()) + tiles, nil
}

// StateBytes returns the size of the volume fractions of a block on a device with separate memory.
func (c Config) StateBytes(b *grid.Block, precision string) (int64, error) {
	w, err := c.chooseSchedule(b, true)
	if err != nil {
		return 0, err
	}
	return solvers.Width(precision) * int64(c.withGhosts(b, &w).Len()), nil
}

// withGhosts returns the block with deep ghosts if its tiles may use them.
func (c Config) withGhosts(b *grid.Block, w *schedule) *grid.Block {
	if w.traversal == byTiles && c.mayDeepen(b.Grid.Dim) && hasNeighbours(b) {
		if deep, err := b.Grid.Block(b.Lo, b.N, c.deepLayers()); err == nil {
			return deep
		}
	}
	return b
}

// hasNeighbours reports whether a block has neighbours: other blocks, or itself across a periodic boundary.
func hasNeighbours(b *grid.Block) bool {
	for axis := range b.Grid.Dim {
		if o := b.HasNeighbours(axis); o[0] || o[1] {
			return true
		}
	}
	return false
}
