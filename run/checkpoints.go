package run

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// checkpoints is the recorder of the state of the solver, from which the run can continue. It writes in the background.
type checkpoints struct {
	recorder.Base
	run       *recorder.Run
	output    *recorder.List                    // what a checkpoint counts; this recorder is one of them
	inputs    func() (map[string]string, error) // SHA-256 of the input files of the case; on rank 0
	heartbeat func()
	log, warn func(format string, args ...any)
	wall      func() time.Duration // wall-clock time of the loop over steps

	begun     time.Time          // start of the checkpoint in progress
	writeTime time.Duration      // duration of the last checkpoint
	writer    *checkpoint.Writer // of the checkpoint in progress; nil for none
	// encoded keys of the cells and vertices, made for the first checkpoint and used again by later ones
	layouts     checkpoint.Layouts
	path        string     // of the checkpoint in progress
	unsaved     string     // why the last checkpoint was not written; "" if it was
	pruneResult chan error // receives the result of removing earlier checkpoints; nil if that is not in progress
}

// newCheckpoints returns the recorder of the checkpoints of a run.
func (r *runner) newCheckpoints() *checkpoints {
	c := r.Case.Checkpoint
	return &checkpoints{run: &r.output, output: r.list, inputs: r.inputs, heartbeat: r.heartbeat, log: r.Watch.Log,
		warn: r.warn, wall: r.loopWall, Base: recorder.NewBase("checkpoints", recorder.Schedule{Steps: c.Steps,
			Wall: time.Duration(c.Every * float64(time.Second)), AtPolls: true})}
}

// Write implements recorder.Recorder. It starts to write a checkpoint; none may be in progress.
func (c *checkpoints) Write(ctx context.Context, _ solvers.Clock, _ bool) error {
	c.begun, c.unsaved = time.Now(), ""
	c.Schedule().StartWall(c.begun)
	defer c.run.Timed()()
	if err := c.output.Settle(ctx); err != nil { // the checkpoint counts only what is complete
		return err
	}
	c.heartbeat()
	position, err := c.output.Position(ctx, c.wall().Seconds())
	if err != nil {
		return err
	}
	output := c.run.Ledger.Mark()
	snapshot, err := solvers.Save(ctx, c.run.Solver.(solvers.Restarter))
	if err != nil {
		return err
	}
	c.heartbeat()
	inputs, err := c.inputs()
	if err != nil {
		return errors.Join(err, snapshot.Close())
	}
	info := checkpoint.Info{Solver: c.run.Case.Solver, Case: c.run.Case.Name, StepKeysSHA256: c.run.Case.StepKeysHash(),
		Inputs: inputs, Version: summary.Version(), Run: position}
	c.path = checkpoint.Path(c.run.Dir, snapshot.Clock.Steps)
	c.writer, err = checkpoint.Begin(ctx, c.run.Comm, c.run.Fence, info, snapshot, &c.layouts, output)
	return c.tolerateUnwritten(err)
}

// written reports whether this rank has written its part of the checkpoint in progress, or there is none.
func (c *checkpoints) written() bool { return c.writer == nil || c.writer.Written() }

// Settle implements recorder.Recorder. It completes the checkpoint in progress, if there is one.
func (c *checkpoints) Settle(ctx context.Context) error {
	if c.writer == nil {
		return nil
	}
	c.waitForPrune()
	err := c.writer.Finish(ctx)
	c.writer = nil
	c.writeTime = time.Since(c.begun)
	if err == nil && c.run.Comm.Rank() == 0 {
		c.log("checkpoint %s, in %v", filepath.Base(c.path), c.writeTime.Round(time.Millisecond))
		c.prune()
	}
	// Without the files that it counts there is no checkpoint, and there will be none.
	return errors.Join(c.tolerateUnwritten(err), c.run.Ledger.Err())
}

// prune removes earlier checkpoints in the background, because removing large files can take long.
func (c *checkpoints) prune() {
	result := make(chan error, 1)
	c.pruneResult = result
	go func() {
		result <- c.run.Fence.Publish(func() error { return checkpoint.Prune(c.run.Dir, c.run.Case.Checkpoint.Keep) })
	}()
}

func (c *checkpoints) waitForPrune() {
	if c.pruneResult != nil {
		if err := <-c.pruneResult; err != nil {
			c.warn("earlier checkpoints could not be removed: %v", err)
		}
		c.pruneResult = nil
	}
}

// Close implements recorder.Recorder. It must be called before the device is closed, since a checkpoint may still be
// read from it.
func (c *checkpoints) Close() error {
	c.waitForPrune()
	if c.writer == nil {
		return nil
	}
	return c.writer.Abandon()
}

// tolerateUnwritten turns a failure to write a checkpoint into a warning: the run goes on.
func (c *checkpoints) tolerateUnwritten(err error) error {
	var failed *checkpoint.NotWrittenError
	if !errors.As(err, &failed) {
		return err
	}
	c.unsaved = failed.Why
	if c.run.Comm.Rank() == 0 {
		c.warn("checkpoint not written: %s", failed.Why)
	}
	return nil
}
