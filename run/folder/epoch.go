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

// Epoch is what a folder tells of a run whose ranks come and go.
type Epoch struct {
	Format  int          `json:"format"`
	Epoch   uint64       `json:"epoch"` // only grows, over all runs in the folder
	Ranks   int          `json:"ranks"`
	Members []Assignment `json:"places"`
	Raised  time.Time    `json:"raised"`
	Job     string       `json:"job,omitempty"` // of Kubernetes, that the run is: its UID
}

// Assignment are the ranks First … First+Ranks-1, at a place.
type Assignment struct {
	Member string `json:"place"`
	First  int    `json:"first"`
	Ranks  int    `json:"ranks"`
}

const (
	epochFile = "epoch.json"
	fenceFile = ".fence"
)

// publishTimeout is how long the epoch waits for a file that is being published. Whoever takes longer is frozen.
const publishTimeout = 3 * time.Second

// ReadEpoch returns the epoch of a folder; it is 0 where no run had one.
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
		return e, fmt.Errorf("%s is of format %d; this program knows formats up to %d", path, e.Format, Format)
	}
	return e, nil
}

// Raise makes the epoch of a folder grow by one, on the disk, and returns it. From then on nothing of an earlier epoch
// is published. The caller holds the folder.
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
	open, err := f.lockFence()
	if err != nil {
		return 0, err
	}
	err = atomicfile.Write(filepath.Join(f.Dir, epochFile), func(file *os.File) error {
		if _, err := file.Write(append(text, '\n')); err != nil {
			return err
		}
		return file.Sync()
	})
	if dir, failed := os.Open(f.Dir); failed == nil {
		_ = dir.Sync() // not all systems can
		_ = dir.Close()
	}
	return e.Epoch, errors.Join(err, open())
}

// lockFence keeps everyone from publishing, until open is called. Who has been publishing for longer than patience is
// frozen, and is not waited for: should it wake up, it ends the one file that it had begun.
func (f *Folder) lockFence() (open func() error, err error) {
	path := filepath.Join(f.Dir, fenceFile)
	for {
		fence := flock.New(path)
		ctx, stop := context.WithTimeout(context.Background(), publishTimeout)
		got, err := fence.TryLockContext(ctx, 5*time.Millisecond)
		stop()
		if got {
			return fence.Close, nil
		}
		_ = fence.Close() // it is not locked
		if !errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("%s cannot be locked: %w", path, err)
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
}

// Fence lets the ranks of one epoch publish files in a folder, and none of an earlier one. Its zero value lets
// everybody.
type Fence struct {
	Dir   string
	Epoch uint64
}

// EpochOver tells that another epoch has begun.
type EpochOver struct {
	Dir       string
	Mine, Now uint64
}

func (e *EpochOver) Error() string {
	return fmt.Sprintf("%s is in epoch %d, and this rank is of epoch %d: others have taken its place", e.Dir, e.Now,
		e.Mine)
}

// Check is the function Check for a rank of the fence's epoch, whose launcher holds the folder.
func (f Fence) Check(run Info, mode Mode) error {
	if f.Epoch == 0 {
		return Check(f.Dir, run, mode)
	}
	return (&Folder{Dir: f.Dir, info: run}).checkResults(mode)
}

// Claim is the function Claim for a rank of the fence's epoch, whose launcher holds the folder.
func (f Fence) Claim(run Info, mode Mode) (*Folder, error) {
	if f.Epoch == 0 {
		return Claim(f.Dir, run, mode)
	}
	run.Epoch = f.Epoch
	o := &Folder{Dir: f.Dir, info: run}
	return o, f.Publish(func() error { return o.checkResults(mode) })
}

// Publish calls do, which makes something appear in the folder, or change there, unless another epoch has begun. None
// begins meanwhile.
func (f Fence) Publish(do func() error) (err error) {
	if f.Epoch == 0 {
		return do()
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
	return do()
}

// lock takes the lock that is there: while it waited, another may have taken its place.
func (f Fence) lock() (*flock.Flock, error) {
	path := filepath.Join(f.Dir, fenceFile)
	for {
		lock := flock.New(path)
		if err := lock.RLock(); err != nil {
			return nil, fmt.Errorf("%s cannot be locked: %w", path, err)
		}
		there, err := os.Stat(path)
		if err == nil {
			var mine os.FileInfo
			if mine, err = lock.Stat(); err == nil && os.SameFile(there, mine) {
				return lock, nil
			}
		}
		if err := lock.Close(); err != nil {
			return nil, err
		}
	}
}

// Part names a file that ranks of this epoch write, beside the one that it becomes when it is whole.
func (f Fence) Part(path string) string {
	if f.Epoch == 0 {
		return path + ".part"
	}
	return fmt.Sprintf("%s.e%d.part", path, f.Epoch)
}
