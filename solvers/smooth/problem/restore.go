package problem

import (
	"context"

	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
)

// The metric of a round is recovered on the mesh at the round's start. So a restart needs, besides the current
// positions, those at the start of this round, and at the start and the end of the best previous round.

// savedPositions has the positions of all vertices of the part at these three times; in the first round they are the
// initial positions.
type savedPositions struct{ begun, bestBegun, bestEnded [][3]float64 }

// savedFields returns the saved positions as fields of a checkpoint, if the metric has several rounds.
func (d *caseSolver) savedFields(on *solvers.Space) []solvers.Field {
	if !d.severalRounds() {
		return nil
	}
	field := func(name, doc string, positions *[][3]float64) solvers.Field {
		return solvers.Field{Name: name, Doc: doc, Space: on, Saved: true, Components: []string{"x", "y", "z"}[:d.dim()],
			View: func() solvers.View { return solvers.ViewOf[float64](nil, *positions, 0) }}
	}
	return []solvers.Field{
		field("round begun", "position at the start of this round", &d.saved.begun),
		field("best begun", "position at the start of the best previous round", &d.saved.bestBegun),
		field("best ended", "position at the end of the best previous round", &d.saved.bestEnded),
	}
}

func (d *caseSolver) severalRounds() bool { return d.sections.Metric.Rounds > 1 }

// keepStart saves the positions at the start of the run.
func (d *caseSolver) keepStart() (err error) {
	if !d.severalRounds() {
		return nil
	}
	for _, positions := range []*[][3]float64{&d.saved.begun, &d.saved.bestBegun, &d.saved.bestEnded} {
		if *positions, err = positionsOf(d.solver); err != nil {
			return err
		}
	}
	return nil
}

// keepBest saves the positions at the start and the end of the best round so far.
func (d *caseSolver) keepBest() (err error) {
	if d.best.begun != nil {
		d.saved.bestBegun = d.best.begun
	}
	d.saved.bestEnded, err = positionsOf(d.best.solver)
	return err
}

// positionsOf returns the positions of all vertices of the part.
func positionsOf(s *smooth.Solver) ([][3]float64, error) {
	coordinates, err := s.Positions()
	if err != nil {
		return nil, err
	}
	positions := make([][3]float64, len(coordinates[0]))
	for k := range coordinates {
		for i, x := range coordinates[k] {
			positions[i][k] = x
		}
	}
	return positions, nil
}

// Quiesce has nothing to wait for: reading a view waits for the device.
func (d *caseSolver) Quiesce(context.Context) error { return nil }

// Scalars returns those of the solver, the last check of the stopping rules, the number of the round and its
// sweeps, the number of the best previous round, -1 for none, and those of its diagnostics that its positions do
// not determine.
func (d *caseSolver) Scalars(ctx context.Context) (map[string]float64, error) {
	scalars, err := d.solver.Scalars(ctx)
	if err != nil {
		return nil, err
	}
	scalars["rule_mean"], scalars["rule_worst"] = d.rules.lastCheck.QualityMean, d.rules.lastCheck.QualityMin
	scalars["round"], scalars["round_sweeps"] = float64(d.number), float64(d.solver.Sweeps())
	scalars["best"] = -1
	if b := d.best; b != nil {
		scalars["best"], scalars["best_active"] = float64(b.number), float64(b.after.Active)
		scalars["best_limited"], scalars["best_refused"] = float64(b.after.Limited), float64(b.after.Refused)
	}
	return scalars, nil
}

func (d *caseSolver) Restore(ctx context.Context, at solvers.Clock, scalars map[string]float64,
	fill func() error) error {
	if scalars["best"] >= 0 {
		if err := d.restoreRounds(ctx, scalars, fill); err != nil {
			return err
		}
	}
	d.rules.lastCheck.QualityMean, d.rules.lastCheck.QualityMin = scalars["rule_mean"], scalars["rule_worst"]
	d.positions, d.sweepsMade = nil, at.Steps
	at.Steps = int(scalars["round_sweeps"])
	return d.solver.Restore(ctx, at, scalars, fill)
}

// restoreRounds sets up the round of the saved state, and the best previous one with its vertices at its end.
func (d *caseSolver) restoreRounds(ctx context.Context, scalars map[string]float64, fill func() error) error {
	if err := fill(); err != nil { // the positions of the rounds; the fields are filled again for this round's solver
		return err
	}
	best := d.round
	if number := int(scalars["best"]); number > 0 {
		var err error
		if best, err = d.resumeRound(ctx, d.saved.bestBegun, number); err != nil {
			return err
		}
	}
	d.best = &best
	next, err := d.resumeRound(ctx, d.saved.begun, int(scalars["round"]))
	if err != nil {
		return err
	}
	if best.number > 0 {
		d.solver.Close()
	}
	d.round = next
	d.rules = newStopRules(d.sections.Stop, &d.before)
	if err := best.solver.SetPositions(ctx, d.saved.bestEnded); err != nil {
		return err
	}
	after, err := best.solver.Diagnose(ctx)
	if err != nil {
		return err
	}
	after.Active, after.Limited, after.Refused = int64(scalars["best_active"]), int64(scalars["best_limited"]),
		int64(scalars["best_refused"])
	best.after = &after
	ended, err := d.gather(ctx, d.env.Comm, best.solver)
	if err != nil {
		return err
	}
	return d.measureError(ctx, ended, &best)
}

// resumeRound sets up a round again, which began at given positions.
func (d *caseSolver) resumeRound(ctx context.Context, begun [][3]float64, number int) (round, error) {
	part := d.subdomain()
	columns := make([][]float64, d.dim())
	for k := range columns {
		for i := range part.Owned {
			columns[k] = append(columns[k], begun[i][k])
		}
	}
	positions, err := gatherByID(ctx, d.env.Comm, part.Global[:part.Owned], int(d.Vertices), columns...)
	if err != nil {
		return round{}, err
	}
	var mesh wholeMesh
	if positions != nil {
		mesh = d.initialMesh.moved(positions, nil)
	}
	r, err := d.setUpRound(ctx, mesh, number)
	r.begun = begun
	return r, err
}
