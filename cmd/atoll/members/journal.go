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

// Journal keeps the epoch of a supervised run in its output folder.
type Journal struct {
	*folder.Folder
	created bool // OpenJournal created the folder
}

// OpenJournal locks the output folder, and creates it if it does not exist.
func OpenJournal(dir string) (*Journal, error) {
	_, err := os.Stat(dir)
	created := errors.Is(err, os.ErrNotExist)
	f, err := folder.Lock(dir)
	if err != nil {
		return nil, badInput(err)
	}
	return &Journal{f, created}, nil
}

// AwaitJournal is OpenJournal for a pod. It retries up to limit, since an earlier pod that is about to end may
// still hold the lock.
func (p *Pod) AwaitJournal(ctx context.Context, limit time.Duration) (*Journal, error) {
	began, warned := time.Now(), time.Now()
	for {
		j, err := OpenJournal(p.Out)
		if err == nil {
			j.Job = p.Job
			return j, nil
		}
		if time.Since(began) > limit {
			return nil, err
		}
		if time.Since(warned) > 10*time.Second {
			warned = time.Now()
			fmt.Fprintf(os.Stderr, "atoll: warning: %v (%v so far)\n", err, time.Since(began).Round(time.Second))
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// Raise increases the epoch by one and records the assignments. It returns the new epoch and the steps of the last
// checkpoint, -1 if there is none.
func (j *Journal) Raise(assignments []supervise.Assignment) (epoch uint64, saved int, err error) {
	members := make([]folder.Assignment, len(assignments))
	for i, s := range assignments {
		members[i] = folder.Assignment{Member: s.Member, First: s.First, Ranks: s.Ranks}
	}
	if epoch, err = j.Folder.Raise(members); err != nil {
		return 0, 0, fmt.Errorf("the epoch of %s cannot be raised: %w", j.Dir, err)
	}
	saved, err = checkpoint.LatestStep(j.Dir)
	return epoch, saved, err
}

// TakeRequest removes and returns the resize request in the folder; false if there is none.
func (j *Journal) TakeRequest() (supervise.ResizeRequest, bool) {
	request, found := folder.TakeResizeRequest(j.Dir)
	return supervise.ResizeRequest{Ranks: request.Ranks, ID: request.ID}, found
}

// Reply writes the reply to a resize request into the folder.
func (j *Journal) Reply(a supervise.ResizeReply) error {
	return folder.ResizeRequest{ID: a.ID, Answer: a.Text}.Reply(j.Dir)
}

// Saved reports whether the same command would continue from a checkpoint of the run.
func (j *Journal) Saved() bool {
	info, err := folder.Read(j.Dir)
	if err != nil || info.State != folder.Running && info.State != folder.Stopped {
		return false
	}
	steps, err := checkpoint.LatestStep(j.Dir)
	return err == nil && steps >= 0
}

// Close unlocks the folder. It removes a folder that it created and no run has written to.
func (j *Journal) Close() error {
	if _, err := folder.Read(j.Dir); j.created && errors.Is(err, os.ErrNotExist) {
		return j.Discard()
	}
	return j.Folder.Close()
}
