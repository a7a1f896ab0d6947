// Package folder keeps the output folder of a run: it belongs to one run at a time, and holds the results of one case.
package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Folder is the output folder of a run, which holds it until Close.
type Folder struct {
	Dir  string
	Job  string // see Epoch
	lock *flock.Flock
	info Info
}

const (
	lockFile     = ".lock"
	maxOwnerText = 200 // bytes that are read of a lock's owner
)

// Mode is what a run does with the results that are in a folder.
type Mode int

const (
	Fresh   Mode = iota // replaces those of the same case, and refuses those of another
	Replace             // replaces all
	Resume              // continues from them
)

// Check refuses what Claim would refuse, and leaves no trace.
func Check(dir string, run Info, mode Mode) error {
	f := open(dir, run)
	if _, err := os.Stat(f.lock.Path()); errors.Is(err, os.ErrNotExist) {
		return f.checkResults(mode)
	}
	if err := f.tryLock(); err != nil {
		return err
	}
	return errors.Join(f.checkResults(mode), f.lock.Close())
}

// Claim takes a folder for a run, and makes it if it is not there. It refuses a folder that another run holds, and,
// unless they are to be replaced, one with the results of another case, or with results of which nothing tells the
// case. What is there stays until Begin or Resume. A lock ends with the process that holds it.
func Claim(dir string, run Info, mode Mode) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f := open(dir, run)
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

// Lock takes a folder, and makes it if it is not there, for a run whose ranks come and go: they have it by their Fence.
func Lock(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
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

func open(dir string, run Info) *Folder {
	return &Folder{Dir: dir, info: run, lock: flock.New(filepath.Join(dir, lockFile))}
}

func (f *Folder) tryLock() error {
	taken, err := f.lock.TryLock()
	if err != nil {
		return fmt.Errorf("%s cannot be locked: %w", f.Dir, err)
	}
	if !taken {
		return fmt.Errorf("%s is in use%s: wait for it to end, or choose another folder with --out", f.Dir,
			owner(f.lock.Path()))
	}
	return nil
}

// owner tells who holds a lock, as far as that can be read: on some systems nobody else may.
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

// writeOwner writes who holds the folder.
func (f *Folder) writeOwner() error {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	text := fmt.Sprintf("process %d on %s since %s", os.Getpid(), host, time.Now().Format(time.DateTime))
	return os.WriteFile(f.lock.Path(), []byte(text), 0o666)
}

// checkResults refuses results of another case, unless they are to be replaced.
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
			err = fmt.Errorf("%s has results of a run that tells no case, such as %s: %s", f.Dir, files[0], remedy)
		}
		return err
	case err != nil:
		return err
	case mode == Resume && old.StartSHA256 == f.info.StartSHA256: // it may end at another time
	case old.CaseSHA256 != f.info.CaseSHA256:
		return fmt.Errorf("%s has the results of another case, %s of solver %s: %s", f.Dir, old.Case, old.Solver, remedy)
	}
	return nil
}

// Begin removes the results of an earlier run, the summary first, and tells that this one is under way. others are
// files that this run will write besides, where they lie in the folder.
func (f *Folder) Begin(others ...string) error {
	if err := removePartial(f.Dir); err != nil {
		return err
	}
	files, err := results(f.Dir)
	if err != nil {
		return err
	}
	for _, name := range others {
		if name != "" && filepath.IsLocal(name) {
			files = append(files, name)
		}
	}
	for _, name := range files {
		if err := os.Remove(filepath.Join(f.Dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return f.SetState(Running)
}

// Resume removes the summary of the run that is continued from, and tells that it is under way again.
func (f *Folder) Resume() error {
	if err := removePartial(f.Dir); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(f.Dir, summaryFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return f.SetState(Running)
}

// SetState writes what has become of the run.
func (f *Folder) SetState(s State) error {
	f.info.State = s
	return f.info.write(f.Dir)
}

// Close lets other runs have the folder.
func (f *Folder) Close() error {
	if f.lock == nil { // its launcher has it
		return nil
	}
	return errors.Join(os.Truncate(f.lock.Path(), 0), f.lock.Close())
}

// Discard is Close of a folder in which nothing was written: what Hold and Raise made goes.
func (f *Folder) Discard() error {
	for _, name := range []string{fenceFile, epochFile, lockFile} {
		if err := os.Remove(filepath.Join(f.Dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return errors.Join(err, f.lock.Close())
		}
	}
	_ = os.Remove(f.Dir) // unless there is something in it
	return f.lock.Close()
}
