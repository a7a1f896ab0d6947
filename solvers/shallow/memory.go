package shallow

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Inputs are the parts of a case that need arrays of their own.
type Inputs struct {
	Coefficients coefficients.Given

	Evaporation, RainField, WindField, PressureField bool

	Gauges int // number of points
}

func (in *Inputs) losesWater() bool {
	return in.Evaporation || in.Coefficients.Has(coefficients.Drains)
}

// NeedEqualSteps reports whether local time steps do not work with the case: with a bed that moves, and fields over
// time, which a step as long as many short ones could leave.
func (in *Inputs) NeedEqualSteps() bool {
	return in.Coefficients[coefficients.Uplift] || in.RainField || in.WindField || in.PressureField
}

// Bytes returns the size of a rank's arrays, given the numbers of owned cells and of all cells including ghosts.
func (c Config) Bytes(owned, held int, precision string, in Inputs, separate bool) int64 {
	t, n := engine.NewTable(nil), c.estimatedSizes(owned, held, in, separate)
	if precision == "float32" {
		declareAll[float32](t, n, separate)
	} else {
		declareAll[float64](t, n, separate)
	}
	return t.Bytes()
}

func declareAll[F num.Float](t *engine.Table, n *sizes, separate bool) {
	declare(t, n, new(hosted[F]))
	if separate && n.Gauges > 0 {
		declareRing[F](t, make([]int32, n.Gauges))
	}
}

// estimatedSizes returns the sizes of a part of which only the numbers of cells are known.
func (c Config) estimatedSizes(owned, held int, in Inputs, separate bool) *sizes {
	n := &sizes{Inputs: in, owned: owned, held: held, edges: owned*3/2 + (held-owned)/2, order: c.Order, layers: c.Layers,
		tiled: c.Sweep.usesTiles(separate), exchanged: held > owned, maxima: c.Keep.Maxima,
		localSteps: c.LocalSteps}
	if n.tiled {
		n.edges += n.edges / 7 // about a seventh of the edges lie between tiles, which both have them
		n.tiles = owned / kernels.TileCells
	}
	return n
}

// StateBytes returns the size of a rank's current state, and that of the records that a checkpoint has of its owned
// cells besides: extremes, losses and limits of steps.
func (c Config) StateBytes(owned, held int, precision string, in Inputs) (state, records int64) {
	if precision == "float32" {
		return stateBytes[float32](c.estimatedSizes(owned, held, in, true))
	}
	return stateBytes[float64](c.estimatedSizes(owned, held, in, true))
}

func stateBytes[F num.Float](n *sizes) (state, records int64) {
	s, r := engine.NewTable(nil), engine.NewTable(nil)
	engine.Add[kernels.State[F]](s, "state", n.held)
	new(arrays[F]).declarePeaks(r, n, kernels.Peaks{})
	engine.Add[kernels.Lost](r, "losses", given(n.losesWater(), n.owned))
	engine.Add[F](r, "local steps", given(n.localSteps > 1, n.owned))
	return s.Bytes(), r.Bytes()
}
