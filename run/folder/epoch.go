package folder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Epoch is the current epoch of a folder whose run is elastic: its ranks can be lost and replaced. It is stored in
// epoch.json.
type Epoch struct {
	Format  int          `json:"format"`
	Epoch   uint64       `json:"epoch"` // never decreases, even over several runs in the folder
	Ranks   int          `json:"ranks"`
	Members []Assignment `json:"places"`
	Raised  time.Time    `json:"raised"`
	Job     string       `json:"job,omitempty"` // UID of the Kubernetes Job of the run; "" for others
}

// Assignment says that a member runs the ranks First to First+Ranks-1.
type Assignment struct {
	Member string `json:"place"`
	First  int    `json:"first"`
	Ranks  int    `json:"ranks"`
}

const (
	epochFile = "epoch.json"
	fenceFile = ".fence"
)

// publishTimeout is how long Raise waits for a file that is being published. A process that takes longer is
// considered frozen.
const publishTimeout = 3 * time.Second

// ReadEpoch returns the epoch of a folder; the zero Epoch if no run had one.
func ReadEpoch(dir string) (Epoch, error) {
	var e Epoch
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
		return e, fmt.Errorf("%s is of format %d; this program reads formats up to %d: use a newer version", path,
			e.Format, Format)
	}
	return e, nil
}

// Raise increments the epoch of a folder on disk and returns it. Afterwards no rank of an earlier epoch can publish a
// file, and the temporary files of earlier epochs are removed. The caller must hold the folder.
func (f *Folder) Raise(members []Assignment) (uint64, error) {
	e, err := ReadEpoch(f.Dir)
	if err != nil {
		return 0, err
	}
	e = Epoch{Format: Format, Epoch: e.Epoch + 1, Members: members, Raised: time.Now().Round(time.Second), Job: f.Job}
	for _, m := range members {
		e.Ranks += m.Ranks
	}
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return 0, err
	}
	unlock, err := f.lockFence()
	if err != nil {
		return 0, err
	}
	err = atomicfile.WriteDurably(filepath.Join(f.Dir, epochFile), func(file *atomicfile.File) error {
		_, err := file.Write(append(text, '\n'))
		return err
	})
	if err == nil {
		err = removeTemporaries(f.Dir)
	}
	return e.Epoch, errors.Join(err, unlock())
}

// lockFence prevents all ranks from publishing until unlock is called. It does not wait longer than publishTimeout for
// a process that is publishing: it replaces the lock file instead. Should that process wake up, it can complete only
// the file that it had begun.
func (f *Folder) lockFence() (unlock func() error, err error) {
	path := filepath.Join(f.Dir, fenceFile)
	for {
		fence := flock.New(path)
		ctx, stop := context.WithTimeout(context.Background(), publishTimeout)
		got, err := fence.TryLockContext(ctx, 5*time.Millisecond)
		stop()
		if got {
			return fence.Close, nil
		}
		_ = fence.Close() // not locked
		if !errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("%s cannot be locked: %w", path, err)
		}
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
	lock, err := f.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	now, err := ReadEpoch(f.Dir)
	if err != nil {
		return err
	}
	if now.Epoch != f.Epoch {
		return &EpochOver{f.Dir, f.Epoch, now.Epoch}
	}
	return write()
}

// lock locks the fence file. If the file was replaced while lock waited, it tries again with the new file.
func (f Fence) lock() (*flock.Flock, error) {
	path := filepath.Join(f.Dir, fenceFile)
	for {
		lock := flock.New(path)
		if err := lock.RLock(); err != nil {
			return nil, fmt.Errorf("%s cannot be locked: %w", path, err)
		}
		current, err := os.Stat(path)
		if err == nil {
			var locked os.FileInfo
			if locked, err = lock.Stat(); err == nil && os.SameFile(current, locked) {
				return lock, nil
			}
		}
		if err := lock.Close(); err != nil {
			return nil, err
		}
	}
}
