// Package folder manages the output folder of a run. A Folder is locked by one run at a time and holds the results of
// one case. Its Info, in run.json, says which case and how the run ended.
//
// Ranks of an elastic run, which can be lost and replaced, write through a Fence: it rejects files of ranks whose epoch
// has been replaced. A ResizeRequest asks such a run for another number of ranks.
package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Folder is the output folder of a run, locked until Close.
type Folder struct {
	Dir    string
	Job    string  // see Epoch.Job
	keeper *keeper // nil if the launcher holds the lock
	info   Info
}

const lockFile = ".lock"

// Mode says what a run does with results that are already in its folder.
type Mode int

const (
	Fresh   Mode = iota // replace results of the same case; refuse those of another
	Replace             // replace all results
	Resume              // continue from the results
)

// ownFiles are the files of a folder that a run reads before it has claimed the folder.
var ownFiles = []string{lockFile, fenceFile, epochFile, infoFile, summaryFile, CaseFile}

// Check returns the error that Claim would return, without changing the folder.
func Check(dir string, info Info, mode Mode) error {
	f := &Folder{Dir: dir, info: info}
	if err := checkFiles(dir, ownFiles...); err != nil {
		return err
	}
	if _, err := os.Stat(lockPath(dir)); errors.Is(err, os.ErrNotExist) {
		return f.checkResults(mode)
	}
	lock, err := acquire(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.checkResults(mode), closeLock(lock))
}

// Claim locks a folder for a run and creates it if necessary. It returns an error if another run holds the folder;
// unless mode is Replace, also if the folder has results of another or an unknown case. It removes nothing: Begin or
// Resume do. The lock ends with the process.
func Claim(dir string, info Info, mode Mode) (*Folder, error) {
	f := &Folder{Dir: dir, info: info}
	return f, f.hold(func() error { return f.checkResults(mode) })
}

// Lock locks a folder for an elastic run and creates it if necessary. The ranks of that run write through a Fence. It
// removes requests for another number of ranks, which the run before has not answered.
func Lock(dir string) (*Folder, error) {
	f := &Folder{Dir: dir}
	return f, f.hold(func() error { return removeRequests(dir) })
}

// hold creates and locks the folder, and holds it if check returns nil.
func (f *Folder) hold(check func() error) error {
	if err := os.MkdirAll(f.Dir, 0o777); err != nil {
		return err
	}
	if err := checkFiles(f.Dir, ownFiles...); err != nil {
		return err
	}
	lock, err := acquire(f.Dir)
	if err != nil {
		return err
	}
	if err := check(); err != nil {
		return errors.Join(err, closeLock(lock))
	}
	f.keeper, err = keep(f.Dir, lock)
	return err
}

// checkFiles returns an error if something else than a file has the name of a file of the folder: a run would wait for
// ever for what a named pipe says.
func checkFiles(dir string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a file: remove it, or choose another folder with --out", path)
		}
	}
	return nil
}

// Watch sets what is called with a line about files of the folder that others have removed or locked, and with a
// ReplacedError if another run takes the folder, as it can where file locks hold on one machine only. The process must
// then write nothing more.
func (f *Folder) Watch(notify func(line string), lost func(err error)) {
	if f.keeper != nil {
		f.keeper.watch(notify, lost)
	}
}

// checkResults returns an error if the folder has results of another case, unless they are to be replaced.
func (f *Folder) checkResults(mode Mode) error {
	if mode == Replace {
		return nil
	}
	const remedy = "choose another folder with --out, or replace them with --force"
	old, err := Read(f.Dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		files, err := results(f.Dir)
		if err == nil && len(files) > 0 {
			err = fmt.Errorf("%s has results of an unknown case, such as %s, since run.json is missing: restore it, %s", f.Dir,
				files[0], remedy)
		}
		return err
	case err != nil:
		return err
	case mode == Resume && old.StartSHA256 == f.info.StartSHA256: // the same case, possibly with another end time
	case old.CaseSHA256 != f.info.CaseSHA256:
		return fmt.Errorf("%s has the results of another case, %s of solver %s: %s", f.Dir, old.Case, old.Solver, remedy)
	}
	return nil
}

// Begin removes the results and temporary files of an earlier run, the summary and the checkpoints first, and records
// that this run is running. Then no checkpoint of the earlier run can return, not even when the power fails. others are
// further files that this run will write; those inside the folder are removed too.
func (f *Folder) Begin(others ...string) error {
	files, err := results(f.Dir)
	if err != nil {
		return err
	}
	folders := map[string]bool{}
	for _, name := range append(files, local(others)...) {
		path := filepath.Join(f.Dir, name)
		err := atomicfile.Remove(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		folders[filepath.Dir(path)] = true
	}
	for path := range folders {
		if err := atomicfile.Sync(path); err != nil {
			return err
		}
	}
	return f.start(others)
}

// Resume removes the summary and the temporary files of the run that is continued, and records that it is running
// again. others are as for Begin, but only their temporary files are removed.
func (f *Folder) Resume(others ...string) error {
	if err := atomicfile.Remove(filepath.Join(f.Dir, summaryFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return f.start(others)
}

// start records that the run is running. It removes temporary files unless Raise has done that: in an elastic run a
// rank of an earlier epoch, suspended here, would remove those of the current one.
func (f *Folder) start(others []string) error {
	if f.keeper != nil {
		if err := removeTemporaries(f.Dir, local(others)...); err != nil {
			return err
		}
	}
	return f.SetState(Running)
}

// local returns those of the paths that are inside a folder to which they are relative.
func local(paths []string) (inside []string) {
	for _, p := range paths {
		if p != "" && filepath.IsLocal(p) {
			inside = append(inside, p)
		}
	}
	return inside
}

// SetState records the state of the run.
func (f *Folder) SetState(s State) error {
	f.info.State = s
	return f.info.write(f.Dir)
}

// Close removes the temporary files that a failed run has left, unless another run holds the folder, and unlocks it.
func (f *Folder) Close() error {
	if f.keeper == nil { // the launcher holds the lock
		return nil
	}
	return f.keeper.release()
}

// Discard closes a folder in which nothing was written, and removes what Lock and Raise have created.
func (f *Folder) Discard() error {
	f.keeper.end()
	for _, name := range []string{fenceFile, epochFile, lockFile} {
		if err := os.Remove(filepath.Join(f.Dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return errors.Join(err, f.keeper.closeFiles())
		}
	}
	_ = os.Remove(f.Dir) // fails if other files are in it
	return f.keeper.closeFiles()
}
