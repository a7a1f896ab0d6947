package problem

import (
	"context"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/remesh"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/coordinates"
)

// model makes the solver of a case on this rank's part of a mesh: once, or on one mesh after the other.
type model struct {
	env      solvers.Env
	c        *config.Case
	w        *Sections
	warnings []string
	ledger   *ledger // of the first solver

	// What was prepared last.
	part    *mesh.Part
	cfg     shallow.Config
	initial shallow.Initial
	markers domain.Markers

	// Of a case whose mesh changes.
	spacing, dry float64             // of levels, and the dry depth, of the first solver, m; 0 before there is one
	base         []shallow.Source    // what has come in on earlier meshes
	measured     shallow.Diagnostics // last, with base
}

// Prepare implements remesh.Problem. It evaluates the sections of the case, and returns the depths of the bed
// at a time.
func (m *model) Prepare(ctx context.Context, part *mesh.Part, at solvers.Clock) (depths []float64, err error) {
	m.part, m.markers = part, domain.Markers{}
	if m.cfg, m.initial, err = setUp(ctx, m.c, part, &m.markers); err != nil {
		return nil, err
	}
	if m.dry > 0 {
		m.cfg.DryDepth = m.dry
	}
	return m.depthsAt(at.Time), nil
}

// Build implements remesh.Problem.
func (m *model) Build(ctx context.Context, part *mesh.Part, plan *halo.Plan, at solvers.Clock, state *solvers.Rows) (
	remesh.Inner, error) {
	env, w, layers := m.env, m.w, m.w.Physics.Layers
	first := m.ledger == nil
	if first {
		if err := checkFiles(ctx, env.Comm, m.c, &m.markers); err != nil {
			return nil, err
		}
		if err := m.noteSides(ctx); err != nil {
			return nil, err
		}
		note, err := coordinates.NoteDegrees(ctx, env.Comm, m.c, part, m.initial.Depth)
		if m.c.Note(note); err != nil {
			return nil, err
		}
	}
	share := solvers.Counts{Dim: 2, Owned: part.Owned, Held: len(part.Cells)}
	if err := env.CheckMemory(ctx, m.c, share); err != nil {
		return nil, err
	}
	cells := []int64{int64(part.Owned)}
	if err := env.Comm.AllreduceInt64(ctx, dist.Sum, cells); err != nil {
		return nil, err
	}
	to := shallow.Setting{Part: part, Plan: plan, Initial: m.initial, Flows: flowsOfTwo, LevelSpacing: m.spacing,
		Time: at.Time, Quantities: m.quantities}
	if to.Fields, to.Names = fieldsOf(layers); layers == 1 {
		to.Flows = flowsOfOne
	}
	to.Size = solvers.Size{Unit: "cell", Dim: 2, Entities: cells[0], Precision: w.Physics.Precision, End: m.c.Time.End,
		MaxSteps: m.c.Time.MaxSteps, Warnings: append(m.warnings, part.Notes...)}
	if state != nil {
		m.continueFrom(state, &to)
	}
	// The input is valid. If the solver fails on this rank alone, the others are in collective calls by then, so errors
	// are not agreed on here.
	s, err := shallow.New(ctx, env, w.Physics.Precision, m.cfg, to)
	if err != nil || !first {
		return engineOf(s, err)
	}
	start, err := s.Diagnose(ctx)
	if err != nil {
		s.Close()
		return nil, err
	}
	s.Warn(absentLayers(&start, layers)...)
	m.spacing, m.dry = s.LevelSpacing(), s.DryDepth()
	return s.Engine, nil
}

// engineOf returns the engine of a solver.
func engineOf(s *shallow.Solver, err error) (remesh.Inner, error) {
	if err != nil {
		return nil, err
	}
	return s.Engine, nil
}

// quantities converts diagnostics of the solver to the quantities of the case.
func (m *model) quantities(d *shallow.Diagnostics) []solvers.Quantity {
	for k := range m.base {
		d.Sources[k].Volume1 += m.base[k].Volume1
		d.Sources[k].Volume2 += m.base[k].Volume2
	}
	if m.ledger == nil { // the state at the start
		m.ledger = newLedger(*d, m.w.Physics.Layers)
	}
	m.measured = *d
	return m.ledger.quantities(d)
}
