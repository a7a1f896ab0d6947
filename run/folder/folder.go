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
	"time"

	"github.com/gofrs/flock"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Folder is the output folder of a run, locked until Close.
type Folder struct {
	Dir  string
	Job  string // see Epoch.Job
	lock *flock.Flock
	info Info
}

const (
	lockFile     = ".lock"
	maxOwnerText = 200 // largest length of the owner's description in a lock file
)

// Mode says what a run does with results that are already in its folder.
type Mode int

const (
	Fresh   Mode = iota // replace results of the same case; refuse those of another
	Replace             // replace all results
	Resume              // continue from the results
)

// Check returns the error that Claim would return, without changing the folder.
func Check(dir string, info Info, mode Mode) error {
	f := open(dir, info)
	if _, err := os.Stat(f.lock.Path()); errors.Is(err, os.ErrNotExist) {
		return f.checkResults(mode)
	}
	if err := f.tryLock(); err != nil {
		return err
	}
	return errors.Join(f.checkResults(mode), f.lock.Close())
}

// Claim locks a folder for a run and creates it if necessary. It returns an error if another run holds the folder;
// unless mode is Replace, also if the folder has results of another or an unknown case. It removes nothing: Begin or
// Resume do. The lock ends with the process.
func Claim(dir string, info Info, mode Mode) (*Folder, error) {
	if err := atomicfile.MakeFolder(dir); err != nil {
		return nil, err
	}
	f := open(dir, info)
	if err := f.tryLock(); err != nil {
		return nil, err
	}
	err := f.checkResults(mode)
	if err == nil {
		err = f.writeOwner()
	}
	if err != nil {
		return nil, errors.Join(err, f.lock.Close())
	}
	return f, nil
}

// Lock locks a folder for an elastic run and creates it if necessary. The ranks of that run write through a Fence.
func Lock(dir string) (*Folder, error) {
	if err := atomicfile.MakeFolder(dir); err != nil {
		return nil, err
	}
	f := open(dir, Info{})
	if err := f.tryLock(); err != nil {
		return nil, err
	}
	if err := f.writeOwner(); err != nil {
		return nil, errors.Join(err, f.lock.Close())
	}
	return f, nil
}

func open(dir string, info Info) *Folder {
	return &Folder{Dir: dir, info: info, lock: flock.New(filepath.Join(dir, lockFile))}
}

func (f *Folder) tryLock() error {
	locked, err := f.lock.TryLock()
	if err != nil {
		return fmt.Errorf("%s cannot be locked: %w", f.Dir, err)
	}
	if !locked {
		return fmt.Errorf("%s is in use%s: wait until that run ends, or choose another folder with --out", f.Dir,
			owner(f.lock.Path()))
	}
	return nil
}

// owner returns the owner of a lock, as the end of a sentence; "" if it cannot be read, as on systems where locks
// prevent reading.
func owner(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	text := make([]byte, maxOwnerText)
	n, _ := file.Read(text)
	if n == 0 {
		return ""
	}
	return " by " + string(text[:n])
}

// writeOwner writes this process into the lock file, for messages to other processes.
func (f *Folder) writeOwner() error {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	text := fmt.Sprintf("process %d on %s since %s", os.Getpid(), host, time.Now().Format(time.DateTime))
	return os.WriteFile(f.lock.Path(), []byte(text), 0o666)
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
	if f.lock != nil {
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

// Close unlocks the folder.
func (f *Folder) Close() error {
	if f.lock == nil { // the launcher holds the lock
		return nil
	}
	return errors.Join(os.Truncate(f.lock.Path(), 0), f.lock.Close())
}

// Discard closes a folder in which nothing was written, and removes what Lock and Raise have created.
func (f *Folder) Discard() error {
	for _, name := range []string{fenceFile, epochFile, lockFile} {
		if err := atomicfile.Remove(filepath.Join(f.Dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return errors.Join(err, f.lock.Close())
		}
	}
	_ = atomicfile.Remove(f.Dir) // fails if other files are in it
	return f.lock.Close()
}
