package run

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// claimFolder locks the output folder and removes the results of an earlier run. All ranks may write to it afterwards.
func (r *runner) claimFolder(ctx context.Context) error {
	err := atomicfile.MakeFolder(r.Dir)
	if err == nil && r.Comm.Rank() == 0 {
		if r.folder, err = r.output.Fence.Claim(r.info(), r.mode()); err == nil {
			if r.Replaced != nil {
				r.folder.Watch(func(line string) { r.warn("%s", line) }, r.Replaced)
			}
			err = r.output.Fence.Publish(r.beginFolder)
		}
	}
	return solvers.Agree(ctx, r.Comm, err)
}

func (r *runner) mode() folder.Mode {
	switch {
	case r.origin.position != nil:
		return folder.Resume
	case r.Force:
		return folder.Replace
	}
	return folder.Fresh
}

// beginFolder initializes the claimed folder for this run.
func (r *runner) beginFolder() error {
	var err error
	if r.origin.position == nil {
		err = r.folder.Begin(r.Case.Output.Mesh)
	} else {
		err = errors.Join(r.folder.Resume(r.Case.Output.Mesh), checkpoint.RemoveLater(r.origin.checkpoint.Path),
			checkpoint.Prune(r.Dir, r.Case.Checkpoint.Keep))
		r.output.Ledger.Resume(r.origin.checkpoint.Info.Files)
	}
	return errors.Join(err, atomicfile.WriteDurably(filepath.Join(r.Dir, folder.CaseFile), func(f *atomicfile.File) error {
		_, err := f.WriteString(r.Case.String())
		return err
	}))
}

func (r *runner) info() folder.Info {
	return folder.Info{
		Solver: r.Case.Solver, Case: r.Case.Name, CaseSHA256: r.Case.Hash(), StartSHA256: r.Case.StartHash(),
		CaseDir: absolute(r.Case.Dir()), Version: summary.Version(),
	}
}

// absolute returns the absolute path, or path itself if it cannot be determined.
func absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}

// releaseFolder writes the summary of a successful run, records the final state of the run in the folder, and unlocks
// it.
func (r *runner) releaseFolder(ctx context.Context, s *summary.Summary, runErr error) error {
	// leave the state at "running", so that the next epoch continues from the last checkpoint
	if errors.Is(runErr, dist.ErrPeerLost) {
		return r.folder.Close()
	}
	err := r.output.Fence.Publish(func() error { return r.recordEnd(ctx, s, runErr) })
	return errors.Join(err, r.folder.Close())
}

// recordEnd writes the summary and the final state of the run.
func (r *runner) recordEnd(ctx context.Context, s *summary.Summary, runErr error) error {
	var writeErr error
	state := folder.Stopped
	switch {
	case runErr == nil:
		path := r.Summary
		if path == "" {
			path = filepath.Join(r.Dir, "summary.json")
		}
		if writeErr = s.Write(path); writeErr == nil {
			state = folder.Done
		}
	case isInvalid(ctx, runErr):
		state = folder.Failed
	}
	return errors.Join(writeErr, r.folder.SetState(state))
}
