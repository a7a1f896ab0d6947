package shallow

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
)

// outlines are the regions that were ever wet, if the case records extremes.
func (s *extremes[F]) outlines() []solvers.Outline {
	if !s.cfg.Keep.Maxima {
		return nil
	}
	outline := func(name, doc string, initiallyDryOnly bool) solvers.Outline {
		return solvers.Outline{Name: name, Doc: doc, Space: s.cells, Inside: func(context.Context) ([]bool, error) {
			inside := make([]bool, s.cells.Owned)
			return inside, s.wetted(func(cell int, _ float64, dry bool) { inside[cell] = dry || !initiallyDryOnly })
		}}
	}
	return []solvers.Outline{
		outline("wet", "where the water was deeper than [maxima] threshold at any time", false),
		outline("flooded", "the same, of what was dry at the start", true),
	}
}

// conclude returns the flooded area of initially dry ground, and the height and the place of the run-up, by name.
func (s *extremes[F]) conclude(ctx context.Context) ([]solvers.Quantity, error) {
	if !s.cfg.Keep.Maxima {
		return nil, nil
	}
	var area dist.Accumulator
	highest, highestCell := math.Inf(-1), -1
	err := s.wetted(func(cell int, level float64, dry bool) {
		if !dry {
			return
		}
		area.Add(s.cells.Size(cell))
		if level > highest || level == highest && s.cells.Key(cell) < s.cells.Key(highestCell) {
			highest, highestCell = level, cell
		}
	})
	if err != nil {
		return nil, err
	}
	if err := dist.AllreduceSum(ctx, s.Env().Comm, &area); err != nil {
		return nil, err
	}
	list := []solvers.Quantity{{Name: "flooded_area", Value: area.Float64()}}
	top := []float64{highest}
	if err := s.Env().Comm.AllreduceFloat64(ctx, dist.Max, top); err != nil || math.IsInf(top[0], -1) {
		return list, err
	}
	key := []int64{math.MaxInt64}
	if highest == top[0] {
		key[0] = s.cells.Key(highestCell)
	}
	mine := key[0]
	if err := s.Env().Comm.AllreduceInt64(ctx, dist.Min, key); err != nil {
		return nil, err
	}
	position := []float64{math.Inf(-1), math.Inf(-1)}
	if mine == key[0] && highestCell >= 0 {
		copy(position, s.cells.Position(highestCell))
	}
	if err := s.Env().Comm.AllreduceFloat64(ctx, dist.Max, position); err != nil {
		return nil, err
	}
	return append(list, solvers.Quantity{Name: "runup", Value: top[0]},
		solvers.Quantity{Name: "runup_x", Value: position[0]}, solvers.Quantity{Name: "runup_y", Value: position[1]}), nil
}
