package run

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// claimFolder locks the output folder and removes the results of an earlier run. All ranks may write to it afterwards.
func (r *runner) claimFolder(ctx context.Context) error {
	err := atomicfile.MakeFolder(r.Dir)
	if err == nil && r.Comm.Rank() == 0 {
		if r.folder, err = r.fence.Claim(r.info(), r.mode()); err == nil {
			err = r.fence.Publish(r.beginFolder)
		}
	}
	return solvers.Agree(ctx, r.Comm, err)
}

func (r *runner) mode() folder.Mode {
	switch {
	case r.resumeFrom != nil:
		return folder.Resume
	case r.Force:
		return folder.Replace
	}
	return folder.Fresh
}

// beginFolder initializes the claimed folder for this run.
func (r *runner) beginFolder() error {
	var err error
	if r.resumeFrom == nil {
		err = r.folder.Begin(r.Case.Output.Mesh)
	} else {
		err = r.folder.Resume(r.Case.Output.Mesh)
	}
	return errors.Join(err, atomicfile.Write(filepath.Join(r.Dir, folder.CaseFile), func(f *atomicfile.File) error {
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
	err := r.fence.Publish(func() error { return r.recordEnd(ctx, s, runErr) })
	return errors.Join(err, r.folder.Close())
}

// recordEnd writes the summary and the final state of the run.
func (r *runner) recordEnd(ctx context.Context, s *summary.Summary, runErr error) error {
	var errs []error
	state := folder.Done
	switch {
	case runErr == nil:
		path := r.Summary
		if path == "" {
			path = filepath.Join(r.Dir, "summary.json")
		}
		if err := s.Write(path); err != nil {
			errs, state = append(errs, err), folder.Failed
		}
	case ctx.Err() != nil || errors.As(runErr, new(*Stopped)):
		state = folder.Stopped
	default:
		state = folder.Failed
	}
	return errors.Join(append(errs, r.folder.SetState(state))...)
}

// saveMesh writes the final mesh. In an elastic run it gets its name only when it is complete.
func (r *runner) saveMesh(ctx context.Context, d solvers.Saver, path string) error {
	if r.Epoch == 0 {
		return d.Save(ctx, path)
	}
	part := r.fence.PartialMeshPath(path)
	if err := d.Save(ctx, part); err != nil || r.Comm.Rank() != 0 {
		return err
	}
	return r.fence.Publish(func() error { return atomicfile.Rename(part, path) })
}
