package problem

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo/division"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/faults"
)

// smoothing is a mesh that is being smoothed, on one rank.
type smoothing struct {
	rankShare
	round
	initialMesh wholeMesh // the initial mesh, on rank 0

	untangled smooth.Untangling
}

// layoutTag is the message tag of ranks that arrange their local meshes.
const layoutTag = 3

// newSmoothing sets up the solver of a case, and reports the stages. Rank 0 loads the mesh and cuts it; ranks
// decide together which vertices move in which set, or rank 0 alone does. Every rank makes the metric itself, from
// the case and the bounds of the mesh, unless it is given at the vertices of a mesh: see makeMetric.
func newSmoothing(ctx context.Context, env solvers.Env, c *config.Case) (_ *smoothing, err error) {
	comm := env.Comm
	w := c.Sections.(*Sections)
	s := &smoothing{}
	stages := newStageLog(env.Log)
	var share func(rank int) rankShare
	var divideErr error
	if comm.Rank() == 0 {
		share, divideErr = s.divide(ctx, env, c, w, stages)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := solvers.Agree(ctx, comm, divideErr); err != nil {
		return nil, err
	}
	own, err := decompose.Share(ctx, comm, func(rank int) (*rankShare, error) {
		of := share(rank)
		return &of, nil
	})
	if err != nil {
		return nil, err
	}
	s.rankShare = *own
	if err := stages.end(ctx, "parts sent"); err != nil {
		return nil, err
	}
	if s.Local != nil || s.LocalSolid != nil {
		if err := s.makePart(ctx, comm); err != nil {
			return nil, err
		}
		if err := stages.end(ctx, "vertices coloured and put in order"); err != nil {
			return nil, err
		}
	}
	metric, err := s.makeMetric(ctx, c, &w.Metric, s.initialMesh, comm)
	if err != nil {
		return nil, err
	}
	s.adjusted = metric.Adjusted
	if err := stages.end(ctx, "metric made"); err != nil {
		return nil, err
	}
	if err := env.CheckMemory(ctx, c, s.counts()); err != nil {
		return nil, err
	}
	if s.solver, err = s.setUpSolver(ctx, w, metric, env); err != nil {
		return nil, asBadInput(err)
	}
	if s.untangled, err = s.begin(ctx, w); err != nil {
		s.solver.Close()
		return nil, err
	}
	s.logSizes(env.Log, w.Metric.Field)
	return s, nil
}

// makePart makes the part of this rank from its local mesh.
func (s *rankShare) makePart(ctx context.Context, comm dist.Comm) (err error) {
	if s.Local != nil {
		s.Part, s.Crowded, err = s.Local.Part(ctx, s.Layout, comm, layoutTag)
	} else {
		s.Solid, err = s.LocalSolid.Part(ctx, s.Layout, comm, layoutTag)
	}
	s.Local, s.LocalSolid = nil, nil
	return err
}

// divide makes or reads the mesh, on rank 0, and cuts it into the ranks' shares.
func (s *smoothing) divide(ctx context.Context, env solvers.Env, c *config.Case, w *Sections, stages *stageLog) (
	share func(rank int) rankShare, err error) {
	if s.initialMesh, err = loadMesh(c, w.Mesh); err != nil {
		return nil, err
	}
	if err := checkDimension(w, c.Output.Fields, s.initialMesh.dim()); err != nil {
		return nil, err
	}
	if err := stages.end(ctx, "mesh made or read"); err != nil {
		return nil, err
	}
	_, separate := env.Device.(backend.Memory)
	if plane, ok := s.initialMesh.(planeMesh); ok {
		division.Tell(env.Comm, plane.rule(w))
	}
	return s.initialMesh.cut(ctx, w, env.Comm.Size(), separate, stages)
}

// logSizes warns before the sweeps of sizes that the mesh cannot reach, and of those that a uniform metric would
// destroy.
func (s *smoothing) logSizes(log io.Writer, field string) {
	if log == nil {
		return
	}
	if fraction := misfitFraction(&s.before, 4); fraction > 0.01 {
		fmt.Fprintf(log, "%-16s %.3g%% of edges are more than 4 times too long or too short in the metric: moving "+
			"vertices may not follow it there\n", "sizes", 100*fraction)
	}
	if fraction := misfitFraction(&s.before, 2); fraction > 0.01 && field == "uniform" {
		fmt.Fprintf(log, "%-16s %.3g%% of edges are more than twice too long or too short for one size everywhere: where "+
			"the mesh is graded on purpose, --metric implied (field = \"implied\") keeps its sizes\n", "sizes", 100*fraction)
	}
}

// asBadInput converts a Refusal of the solver to BadInput, and returns other errors as they are.
func asBadInput(err error) error {
	var refusal *faults.Refusal
	if errors.As(err, &refusal) {
		return &solvers.BadInput{Err: err}
	}
	return err
}
