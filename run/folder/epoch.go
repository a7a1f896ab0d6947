package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Epoch is the current epoch of a folder whose run is elastic: its ranks can be lost and replaced. It is stored in
// epoch.json.
type Epoch struct {
	Format  int          `json:"format"`
	Epoch   uint64       `json:"epoch"` // never decreases, even over several runs in the folder
	Ranks   int          `json:"ranks"`
	Members []Assignment `json:"places"`
	Raised  time.Time    `json:"raised"`
	Job     string       `json:"job,omitempty"`    // UID of the Kubernetes Job of the run; "" for others
	Holder  string       `json:"holder,omitempty"` // identifies the launcher that has stored the epoch
	By      string       `json:"by,omitempty"`     // describes it
}

// Assignment says that a member runs the ranks First to First+Ranks-1.
type Assignment struct {
	Member string `json:"place"`
	First  int    `json:"first"`
	Ranks  int    `json:"ranks"`
}

// maxEpoch is the largest epoch that a file may have: a larger one, which could not be incremented often, is damage.
const maxEpoch = 1 << 48

const (
	epochFile = "epoch.json"
	fenceFile = ".fence"
)

// publishTimeout is how long Raise waits for a file that is being published. A process that takes longer is
// considered frozen.
const publishTimeout = 3 * time.Second

const (
	lockPause     = 5 * time.Millisecond // between two attempts to lock a file
	repairTimeout = 5 * time.Second      // until the launcher has repaired epoch.json
)

// ReadEpoch returns the epoch of a folder; the zero Epoch if no run had one.
func ReadEpoch(dir string) (Epoch, error) {
	var e Epoch
	if err := checkFiles(dir, epochFile); err != nil {
		return e, err
	}
	path := filepath.Join(dir, epochFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return e, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err != nil {
		return e, fmt.Errorf("%s: %w", path, err)
	}
	if e.Format > Format {
		return e, &newerFormat{path, e.Format}
	}
	if e.Epoch > maxEpoch {
		err = fmt.Errorf("%s: epoch %d is more than any run has", path, e.Epoch)
		e.Epoch = 0
	}
	return e, err
}

// newerFormat: a file is of a later format than this program knows.
type newerFormat struct {
	path   string
	format int
}

func (e *newerFormat) Error() string {
	return fmt.Sprintf("%s is of format %d; this program reads formats up to %d: use a newer version", e.path, e.format,
		Format)
}

// Raise increments the epoch of a folder on disk and returns it: one more than the largest that the folder or this
// process knows, so that epochs never go back if epoch.json is removed or damaged. Afterwards no rank of an earlier
// epoch can publish a file, and the temporary files of earlier epochs are removed. The caller must hold the folder.
func (f *Folder) Raise(members []Assignment) (uint64, error) {
	k := f.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lost == nil {
		k.lost = k.look()
	}
	if k.lost != nil {
		return 0, k.lost
	}
	file, err := ReadEpoch(f.Dir)
	if errors.As(err, new(*newerFormat)) {
		return 0, err
	}
	e := Epoch{Format: Format, Epoch: max(file.Epoch, k.own.Epoch) + 1, Members: members,
		Raised: time.Now().Round(time.Second), Job: f.Job, Holder: k.own.ID, By: k.own.Holder}
	if err != nil {
		k.notify(fmt.Sprintf("%v; continuing with epoch %d", err, e.Epoch))
	}
	for _, m := range members {
		e.Ranks += m.Ranks
	}
	unlock, err := f.lockFence()
	if err != nil {
		return 0, err
	}
	if err = e.write(f.Dir); err == nil {
		k.own.Epoch, k.epoch = e.Epoch, &e
		err = removeTemporaries(f.Dir)
	}
	_ = k.renew() // with the epoch; if it fails, the keeper tells
	if there, err := os.Stat(filepath.Join(f.Dir, fenceFile)); err == nil {
		k.fence = fenceWatch{file: there}
	}
	return e.Epoch, errors.Join(err, unlock())
}

// lockFence prevents all ranks from publishing until unlock is called. It does not wait longer than publishTimeout for
// a process that is publishing: it replaces the lock file instead. Should that process wake up, it can complete only
// the file that it had begun; so can one that is publishing on a file system without locks.
func (f *Folder) lockFence() (unlock func() error, err error) {
	path := filepath.Join(f.Dir, fenceFile)
	for {
		fence, got := flock.New(path), false
		for began := time.Now(); time.Since(began) < publishTimeout; time.Sleep(lockPause) {
			if got, err = tryLock(fence); got || err != nil {
				break
			}
		}
		switch {
		case got:
			return fence.Close, nil
		case withoutLocks(err):
			return fence.Close, nil
		case err != nil:
			return nil, errors.Join(fmt.Errorf("%s cannot be locked: %w", path, err), fence.Close())
		}
		_ = fence.Close() // not locked
		f.keeper.notify(fmt.Sprintf("%s was locked by another process for %v; replaced", path, publishTimeout))
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
}

// Fence lets the ranks of one epoch publish files in a folder, and rejects those of earlier epochs. Epoch 0 means no
// fencing.
type Fence struct {
	Dir   string
	Epoch uint64
}

// EpochOver is the error of a rank whose epoch has been replaced.
type EpochOver struct {
	Dir          string
	Own, Current uint64
}

func (e *EpochOver) Error() string {
	return fmt.Sprintf("%s is in epoch %d, this rank belongs to epoch %d: other ranks have replaced it", e.Dir, e.Current,
		e.Own)
}

// Check is like the function Check. With an epoch, the launcher holds the lock, so only the results are checked.
func (f Fence) Check(info Info, mode Mode) error {
	if f.Epoch == 0 {
		return Check(f.Dir, info, mode)
	}
	return (&Folder{Dir: f.Dir, info: info}).checkResults(mode)
}

// Claim is like the function Claim. With an epoch, the launcher holds the lock, so only the results are checked.
func (f Fence) Claim(info Info, mode Mode) (*Folder, error) {
	if f.Epoch == 0 {
		return Claim(f.Dir, info, mode)
	}
	info.Epoch = f.Epoch
	claimed := &Folder{Dir: f.Dir, info: info}
	return claimed, f.Publish(func() error { return claimed.checkResults(mode) })
}

// Publish calls write, which creates or changes files in the folder. It returns EpochOver without calling write if
// another epoch has begun; no epoch can begin during the call.
func (f Fence) Publish(write func() error) (err error) {
	if f.Epoch == 0 {
		return write()
	}
	unlock, err := f.lockCurrent()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return write()
}

// lockCurrent locks the fence in the epoch of f. It returns EpochOver in a later one. If epoch.json is missing, damaged
// or of an earlier epoch, lockCurrent waits for the launcher, which stores it again.
func (f Fence) lockCurrent() (unlock func() error, err error) {
	for began := time.Now(); ; time.Sleep(lockPause) {
		unlock, err := f.lock()
		if err != nil {
			return nil, err
		}
		now, err := ReadEpoch(f.Dir)
		switch {
		case err == nil && now.Epoch == f.Epoch:
			return unlock, nil
		case err == nil && now.Epoch > f.Epoch:
			err = &EpochOver{f.Dir, f.Epoch, now.Epoch}
		case time.Since(began) < repairTimeout && !errors.As(err, new(*newerFormat)):
			if err := unlock(); err != nil {
				return nil, err
			}
			continue
		case err == nil:
			err = fmt.Errorf("%s is in epoch %d, and this rank belongs to epoch %d: epoch.json was removed or replaced", f.Dir,
				now.Epoch, f.Epoch)
		}
		return nil, errors.Join(err, unlock())
	}
}

// lock locks the fence file, in common with other ranks. If the file was replaced while lock waited, it tries again
// with the new file: the launcher replaces a file that another process has locked.
func (f Fence) lock() (unlock func() error, err error) {
	path := filepath.Join(f.Dir, fenceFile)
	for {
		lock := flock.New(path)
		got, err := tryRLock(lock)
		if err != nil && !withoutLocks(err) {
			return nil, errors.Join(fmt.Errorf("%s cannot be locked: %w", path, err), lock.Close())
		}
		if err != nil || got && isCurrent(path, lock) {
			return lock.Close, nil
		}
		if err := lock.Close(); err != nil {
			return nil, err
		}
		if !got {
			time.Sleep(lockPause)
		}
	}
}

// isCurrent reports whether the locked file is the one at the path.
func isCurrent(path string, lock *flock.Flock) bool {
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	locked, err := lock.Stat()
	return err == nil && os.SameFile(there, locked)
}
