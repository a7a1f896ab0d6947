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
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/solvers"
)

// origin is where a run begins: the initial state, or a checkpoint.
type origin struct {
	*Options
	warn       func(format string, args ...any)
	checkpoint *checkpoint.State  // from which the run continues; nil for none
	position   *recorder.Position // of the output at that checkpoint; nil if the output begins
	previous   folder.State       // of the run that this one continues
}

// find opens the latest complete checkpoint among the candidates, from which the run continues. Without
// candidates the run starts from the initial state.
func (o *origin) find(ctx context.Context) error {
	candidates, err := o.candidates()
	if err := solvers.Agree(ctx, o.Comm, err); err != nil {
		return err
	}
	text, err := json.Marshal(candidates)
	if err != nil {
		return err
	}
	_, chosen, err := dist.FirstText(ctx, o.Comm, string(text)) // the list of rank 0
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(chosen), &candidates); err != nil {
		return err
	}
	var damage error
	lost := time.Duration(math.MaxInt64) // what a start from the beginning would compute again
	for _, path := range candidates {
		found, spent, err := o.try(ctx, path)
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
	case o.Replay == nil && !o.Restart && lost <= o.acceptableLoss():
		if o.Comm.Rank() == 0 {
			o.warn("starting from the beginning, which computes only %v again", lost.Round(time.Second))
		}
		return nil
	case o.Replay != nil:
		return &solvers.BadInput{Err: fmt.Errorf("%s is incomplete or damaged", o.Replay.Checkpoint)}
	}
	return &solvers.BadInput{Err: fmt.Errorf("no checkpoint in %s can be used: %w: restore the file, or start from the "+
		"beginning with --force", o.Dir, damage)}
}

// candidates returns, on rank 0, the checkpoints from which the run may continue, the latest first. There are none with
// --force. Without --restart there are none if the earlier run is done, has failed or was of another case.
func (o *origin) candidates() ([]string, error) {
	if o.Comm.Rank() != 0 {
		return nil, nil
	}
	if o.Replay != nil {
		if o.Replay.Checkpoint == "" {
			return nil, nil
		}
		return []string{o.Replay.Checkpoint}, nil
	}
	if o.Check || o.Report != nil {
		return nil, nil
	}
	if o.FirstEpoch > 0 && o.FirstEpoch < o.Epoch {
		if last, err := folder.Read(o.Dir); err == nil && last.Epoch >= o.FirstEpoch {
			return checkpoint.List(o.Dir) // written by this run in an earlier epoch: use it even with --force
		}
	}
	if o.Force {
		return nil, nil
	}
	last, err := folder.Read(o.Dir)
	o.previous = last.State
	if !o.Restart {
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, err
		case last.StartSHA256 != o.Case.StartHash() || last.State == folder.Done || last.State == folder.Failed:
			return nil, nil
		}
	}
	files, err := checkpoint.List(o.Dir)
	if err == nil && len(files) == 0 && o.Restart {
		err = fmt.Errorf("--restart: %s has no checkpoint", o.Dir)
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
func (o *origin) acceptableLoss() time.Duration {
	if every := o.Case.Checkpoint.Every; every > 0 {
		return time.Duration(every * float64(time.Second))
	}
	return 10 * time.Minute
}

// try verifies a checkpoint and the output that it counts, each rank a part of it. If they are complete and
// undamaged on all ranks, it keeps the checkpoint open and returns nil as damage. Otherwise it returns the time that
// the run had spent until the checkpoint, 0 if that cannot be read. An error that may pass, as of a file system that
// does not answer, is an err: an earlier checkpoint is no remedy for it.
func (o *origin) try(ctx context.Context, path string) (damage error, spent time.Duration, err error) {
	f, err := checkpoint.OpenState(ctx, o.Comm, path)
	at := recorder.NewPosition()
	if err == nil {
		at.Clock = f.Info.Clock()
		if o.Replay == nil {
			if err = json.Unmarshal(f.Info.Run, at); err == nil && len(at.Schedules) == 0 { // the same on all ranks
				err = &solvers.BadInput{Err: fmt.Errorf("%s: an earlier version of atoll has written it, and this one cannot "+
					"continue its output: use that version (%s)", path, f.Info.Version)}
			}
		}
		if err = errors.Join(err, o.verify(ctx, f)); err == nil {
			o.checkpoint = f
			if o.Replay == nil {
				o.position = at
			}
			return nil, 0, o.checkCompatible(&f.Info)
		}
	}
	var damaged *solvers.BadInput
	if !errors.As(err, &damaged) {
		return nil, 0, err
	}
	if o.Comm.Rank() == 0 {
		o.warn("%v", err)
	}
	return damaged.Err, time.Duration(at.Wall * float64(time.Second)), nil
}

// verify returns a BadInput if a checkpoint, or the output that it counts, is damaged.
func (o *origin) verify(ctx context.Context, f *checkpoint.State) error {
	sums, err := f.Read(ctx)
	if err == nil && o.Replay == nil {
		err = o.checkCounted(f)
	}
	if err := solvers.Agree(ctx, o.Comm, err); err != nil {
		return err
	}
	if o.Report != nil { // an audit compares hashes itself
		return nil
	}
	return f.CheckHash(ctx, sums)
}

// checkCounted checks this rank's part of the output that a checkpoint counts. In a later epoch of a run, whose
// launcher lives, files that have not been changed since are not read. With --restart frames may be missing or other
// than they were: they are reported, and not counted any more.
func (o *origin) checkCounted(f *checkpoint.State) error {
	files := f.Info.Files
	if o.Restart {
		for _, err := range files.DropDamaged(o.Dir, o.Comm.Rank() == 0) {
			o.warn("%v; continuing without it", err)
		}
	}
	err := files.Check(o.Dir, o.Comm.Rank(), o.Comm.Size(), o.Epoch > o.FirstEpoch)
	if errors.As(err, new(*ledger.Damaged)) {
		err = fmt.Errorf("%w, but %s counts it", err, f.Path)
	}
	return err
}

// checkCompatible returns an error for the checkpoint of another case or hash version.
func (o *origin) checkCompatible(i *checkpoint.Info) error {
	switch {
	case i.Solver != o.Case.Solver || i.StepKeysSHA256 != o.Case.StepKeysHash():
		return &solvers.BadInput{Err: fmt.Errorf("%s is of another case, %s of solver %s: only output and the end of "+
			"the run may differ", o.checkpoint.Path, i.Case, i.Solver)}
	case i.HashVersion != solvers.HashVersion:
		return &solvers.BadInput{Err: fmt.Errorf("%s has a state hash of version %d, but this program computes version "+
			"%d: use the program that wrote it",
			o.checkpoint.Path, i.HashVersion, solvers.HashVersion)}
	}
	return nil
}

// restore restores the state of the checkpoint, if there is one. It fails if an input file has changed since; inputs
// returns their SHA-256 on rank 0.
func (o *origin) restore(ctx context.Context, s solvers.Solver, inputs func() (map[string]string, error)) error {
	if o.checkpoint == nil {
		return nil
	}
	defer o.checkpoint.Release()
	i := &o.checkpoint.Info
	hashes, err := inputs()
	for file, want := range i.Inputs {
		if o.Comm.Rank() == 0 && hashes[file] != want && err == nil {
			err = fmt.Errorf("%s has changed since the checkpoint %s was written", o.Case.Path(file), o.checkpoint.Path)
		}
	}
	if err := solvers.Agree(ctx, o.Comm, err); err != nil {
		return err
	}
	return solvers.Restore(ctx, s.(solvers.Restarter), i.Clock(), i.ScalarValues(), o.checkpoint)
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
