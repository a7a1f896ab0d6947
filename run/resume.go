package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/ledger"
	"github.com/atoll-hpc/atoll/solvers"
)

// findCheckpoint opens the latest complete checkpoint among the candidates, from which the run continues. Without
// candidates the run starts from the initial state.
func (r *runner) findCheckpoint(ctx context.Context) error {
	candidates, err := r.candidates()
	if err := solvers.Agree(ctx, r.Comm, err); err != nil {
		return err
	}
	text, err := json.Marshal(candidates)
	if err != nil {
		return err
	}
	_, chosen, err := dist.FirstText(ctx, r.Comm, string(text)) // the list of rank 0
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(chosen), &candidates); err != nil {
		return err
	}
	var damage error
	lost := time.Duration(math.MaxInt64) // what a start from the beginning would compute again
	for _, path := range candidates {
		found, spent, err := r.tryCheckpoint(ctx, path)
		if err != nil || found == nil {
			return err
		}
		damage = cmp.Or(damage, found)
		if spent > 0 && lost == math.MaxInt64 {
			lost = spent
		}
	}
	switch {
	case len(candidates) == 0:
		return nil
	case r.Replay == nil && !r.Restart && lost <= r.acceptableLoss():
		if r.Comm.Rank() == 0 {
			r.warn("starting from the beginning, which computes only %v again", lost.Round(time.Second))
		}
		return nil
	case r.Replay != nil:
		return &solvers.BadInput{Err: fmt.Errorf("%s is incomplete or damaged", r.Replay.Checkpoint)}
	}
	return &solvers.BadInput{Err: fmt.Errorf("no checkpoint in %s can be used: %w: restore the file, or start from the "+
		"beginning with --force", r.Dir, damage)}
}

// candidates returns, on rank 0, the checkpoints from which the run may continue, the latest first. There are none with
// --force. Without --restart there are none if the earlier run is done, has failed or was of another case.
func (r *runner) candidates() ([]string, error) {
	if r.Comm.Rank() != 0 {
		return nil, nil
	}
	if r.Replay != nil {
		if r.Replay.Checkpoint == "" {
			return nil, nil
		}
		return []string{r.Replay.Checkpoint}, nil
	}
	if r.Check || r.Report != nil {
		return nil, nil
	}
	if r.FirstEpoch > 0 && r.FirstEpoch < r.Epoch {
		if last, err := folder.Read(r.Dir); err == nil && last.Epoch >= r.FirstEpoch {
			return checkpoint.List(r.Dir) // written by this run in an earlier epoch: use it even with --force
		}
	}
	if r.Force {
		return nil, nil
	}
	last, err := folder.Read(r.Dir)
	r.monitor.previousState = last.State
	if !r.Restart {
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, err
		case last.StartSHA256 != r.Case.StartHash() || last.State == folder.Done || last.State == folder.Failed:
			return nil, nil
		}
	}
	files, err := checkpoint.List(r.Dir)
	if err == nil && len(files) == 0 && r.Restart {
		err = fmt.Errorf("--restart: %s has no checkpoint", r.Dir)
	}
	return files, err
}

// Continues reports whether the same command would continue a run of the case from a checkpoint. dir is its folder, ""
// for the one that the case names.
func Continues(c *config.Case, dir string) bool {
	dir = cmp.Or(dir, c.Output.Dir)
	last, err := folder.Read(dir)
	if err != nil || last.StartSHA256 != c.StartHash() || last.State == folder.Done || last.State == folder.Failed {
		return false
	}
	steps, err := checkpoint.LatestStep(dir)
	return err == nil && steps >= 0
}

// acceptableLoss is how long a run computes again, after its output was damaged, without being asked to: as long as
// after any other failure, the time between checkpoints.
func (r *runner) acceptableLoss() time.Duration {
	if every := r.Case.Checkpoint.Every; every > 0 {
		return time.Duration(every * float64(time.Second))
	}
	return 10 * time.Minute
}

// tryCheckpoint verifies a checkpoint and the output that it counts, each rank a part of it. If they are complete and
// undamaged on all ranks, it keeps the checkpoint open and returns nil as damage. Otherwise it returns the time that
// the run had spent until the checkpoint, 0 if that cannot be read. An error that may pass, as of a file system that
// does not answer, is an err: an earlier checkpoint is no remedy for it.
func (r *runner) tryCheckpoint(ctx context.Context, path string) (damage error, spent time.Duration, err error) {
	f, err := checkpoint.Open(path)
	err = solvers.Agree(ctx, r.Comm, err)
	at := &position{}
	if err == nil {
		at.time = f.Info().Clock().Time
		if r.Replay == nil {
			err = json.Unmarshal(f.Info().Run, at) // the same on all ranks
		}
		if err = errors.Join(err, r.verifyCheckpoint(ctx, f)); err == nil {
			r.checkpoint = f
			if r.Replay == nil {
				r.resumeFrom = at
			}
			return nil, 0, r.checkCompatible(f.Info())
		}
	}
	var damaged *solvers.BadInput
	if !errors.As(err, &damaged) {
		return nil, 0, err
	}
	if r.Comm.Rank() == 0 {
		r.warn("%v", err)
	}
	if f != nil {
		_ = f.Close() // only read: nothing can be lost
	}
	return damaged.Err, time.Duration(at.Wall * float64(time.Second)), nil
}

// verifyCheckpoint returns a BadInput if a checkpoint, or the output that it counts, is damaged.
func (r *runner) verifyCheckpoint(ctx context.Context, f *checkpoint.File) error {
	sums, err := f.Verify(r.Comm.Rank(), r.Comm.Size())
	if err == nil && r.Replay == nil {
		err = r.checkCounted(f)
	}
	if err := solvers.Agree(ctx, r.Comm, err); err != nil {
		return err
	}
	message, err := json.Marshal(sums)
	if err != nil {
		return err
	}
	messages, err := r.Comm.Allgatherv(ctx, message)
	if err != nil {
		return err
	}
	parts := make([][]solvers.Digests, len(messages))
	for k, text := range messages {
		if err := json.Unmarshal(text, &parts[k]); err != nil {
			return err
		}
	}
	if r.Report != nil { // an audit compares hashes itself
		return nil
	}
	if err := f.CheckHash(parts...); err != nil { // the same on all ranks
		return &solvers.BadInput{Err: err}
	}
	return nil
}

// checkCounted checks this rank's part of the output that a checkpoint counts. In a later epoch of a run, whose
// launcher lives, files that have not been changed since are not read. With --restart frames may be missing or other
// than they were: they are reported, and not counted any more.
func (r *runner) checkCounted(f *checkpoint.File) error {
	files := f.Info().Files
	if r.Restart {
		for _, err := range files.DropDamaged(r.Dir, r.Comm.Rank() == 0) {
			r.warn("%v; continuing without it", err)
		}
	}
	err := files.Check(r.Dir, r.Comm.Rank(), r.Comm.Size(), r.Epoch > r.FirstEpoch)
	if errors.As(err, new(*ledger.Damaged)) {
		err = fmt.Errorf("%w, but %s counts it", err, f.Path)
	}
	return err
}

// checkCompatible returns an error for the checkpoint of another case or hash version.
func (r *runner) checkCompatible(i *checkpoint.Info) error {
	switch {
	case i.Solver != r.Case.Solver || i.StepKeysSHA256 != r.Case.StepKeysHash():
		return &solvers.BadInput{Err: fmt.Errorf("%s is of another case, %s of solver %s: only output and the end of "+
			"the run may differ", r.checkpoint.Path, i.Case, i.Solver)}
	case i.HashVersion != solvers.HashVersion:
		return &solvers.BadInput{Err: fmt.Errorf("%s has a state hash of version %d, but this program computes version "+
			"%d: use the program that wrote it",
			r.checkpoint.Path, i.HashVersion, solvers.HashVersion)}
	}
	return nil
}

// resume restores the state of the checkpoint. It fails if an input file has changed since.
func (r *runner) resume(ctx context.Context) error {
	defer r.checkpoint.Close()
	i := r.checkpoint.Info()
	inputs, err := r.inputs()
	for file, want := range i.Inputs {
		if r.Comm.Rank() == 0 && inputs[file] != want && err == nil {
			err = fmt.Errorf("%s has changed since the checkpoint %s was written", r.Case.Path(file), r.checkpoint.Path)
		}
	}
	if err := solvers.Agree(ctx, r.Comm, err); err != nil {
		return err
	}
	return solvers.Restore(ctx, r.solver.(solvers.Restarter), i.Clock(), i.ScalarValues(), r.checkpoint)
}

// digests returns the SHA-256 of input files, by their names in the case. path resolves a name.
func digests(files []string, path func(string) string) (map[string]string, error) {
	hashes := map[string]string{}
	for _, name := range files {
		f, err := os.Open(path(name))
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		hashes[name] = hex.EncodeToString(h.Sum(nil))
	}
	return hashes, nil
}
