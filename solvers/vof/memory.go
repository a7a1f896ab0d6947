package vof

import (
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// Bytes returns the size of a block's arrays on a device. If the block may get deep ghosts, it includes them.
func (c Config) Bytes(b *grid.Block, precision string, separate bool) (int64, error) {
	b, w, err := c.deepestBlock(b, separate)
	if err != nil {
		return 0, err
	}
	t := engine.NewTable(nil)
	if precision == "float32" {
		declare(t, b, &w, (*initial[float32])(nil))
	} else {
		declare(t, b, &w, (*initial[float64])(nil))
	}
	return t.Bytes(), nil
}

// StateBytes returns the size of the volume fractions of a block on a device with separate memory.
func (c Config) StateBytes(b *grid.Block, precision string) (int64, error) {
	b, _, err := c.deepestBlock(b, true)
	if err != nil {
		return 0, err
	}
	return solvers.Width(precision) * int64(b.Len()), nil
}

// deepestBlock returns the block with deep ghosts if its tiles may use them, and its schedule.
func (c Config) deepestBlock(b *grid.Block, separate bool) (*grid.Block, schedule, error) {
	w, err := c.chooseSchedule(b, separate)
	if err != nil || w.traversal != byTiles || !c.mayDeepen(b.Grid.Dim) || !hasNeighbours(b) {
		return b, w, err
	}
	deep, tiledBox, err := c.deepBlock(b)
	if err != nil {
		return b, w, nil // too large: it cannot be run with them
	}
	w.period = byCycle
	w.coverWithTiles(tiledBox)
	return deep, w, nil
}
