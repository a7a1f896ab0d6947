package members

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/atoll-hpc/atoll/launch/supervise"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
)

// Journal keeps the epoch of a supervised run in the folder of its output.
type Journal struct {
	*folder.Folder
	made bool // the folder was not there before
}

// OpenJournal takes the folder, and makes it if it is not there.
func OpenJournal(dir string) (*Journal, error) {
	_, err := os.Stat(dir)
	made := errors.Is(err, os.ErrNotExist)
	f, err := folder.Lock(dir)
	if err != nil {
		return nil, bad(err)
	}
	return &Journal{f, made}, nil
}

// AwaitJournal is OpenJournal for a pod, whose folder an earlier one may still have that is about to end.
func (p *Pod) AwaitJournal(ctx context.Context, limit time.Duration) (*Journal, error) {
	began, told := time.Now(), time.Now()
	for {
		j, err := OpenJournal(p.Out)
		if err == nil {
			j.Job = p.Job
			return j, nil
		}
		if time.Since(began) > limit {
			return nil, err
		}
		if time.Since(told) > 10*time.Second {
			told = time.Now()
			fmt.Fprintf(os.Stderr, "atoll: warning: %v (%v so far)\n", err, time.Since(began).Round(time.Second))
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// Raise makes the epoch grow by one.
func (j *Journal) Raise(assignments []supervise.Assignment) (epoch uint64, saved int, err error) {
	members := make([]folder.Assignment, len(assignments))
	for i, s := range assignments {
		members[i] = folder.Assignment{Member: s.Member, First: s.First, Ranks: s.Ranks}
	}
	if epoch, err = j.Folder.Raise(members); err != nil {
		return 0, 0, fmt.Errorf("the epoch of %s cannot be raised: %w", j.Dir, err)
	}
	saved, err = checkpoint.Steps(j.Dir)
	return epoch, saved, err
}

// TakeRequest returns a request that was left in the folder.
func (j *Journal) TakeRequest() (supervise.ResizeRequest, bool) {
	a, there := folder.TakeResizeRequest(j.Dir)
	return supervise.ResizeRequest{Ranks: a.Ranks, ID: a.ID}, there
}

// Reply leaves the reply there.
func (j *Journal) Reply(a supervise.ResizeReply) error {
	return folder.ResizeRequest{ID: a.ID, Answer: a.Text}.Reply(j.Dir)
}

// Saved reports whether the same command would continue from a state that the run has saved.
func (j *Journal) Saved() bool {
	info, err := folder.Read(j.Dir)
	if err != nil || info.State != folder.Running && info.State != folder.Stopped {
		return false
	}
	steps, err := checkpoint.Steps(j.Dir)
	return err == nil && steps >= 0
}

// Close gives the folder back; one that was made for nothing goes.
func (j *Journal) Close() error {
	if _, err := folder.Read(j.Dir); j.made && errors.Is(err, os.ErrNotExist) {
		return j.Discard()
	}
	return j.Folder.Close()
}
