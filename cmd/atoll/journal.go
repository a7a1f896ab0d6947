package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/atoll-hpc/atoll/launch/supervise"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
)

// journal keeps the epoch of a supervised run in the folder of its output.
type journal struct {
	*folder.Folder
	made bool // the folder was not there before
}

func openJournal(dir string) (*journal, error) {
	_, err := os.Stat(dir)
	made := errors.Is(err, os.ErrNotExist)
	f, err := folder.Hold(dir)
	if err != nil {
		return nil, badInput(err)
	}
	return &journal{f, made}, nil
}

func (j *journal) Raise(shares []supervise.Share) (epoch uint64, saved int, err error) {
	members := make([]folder.Members, len(shares))
	for i, s := range shares {
		members[i] = folder.Members(s)
	}
	if epoch, err = j.Folder.Raise(members); err != nil {
		return 0, 0, fmt.Errorf("the epoch of %s cannot be raised: %w", j.Dir, err)
	}
	saved, err = checkpoint.Steps(j.Dir)
	return epoch, saved, err
}

func (j *journal) Asked() (supervise.Ask, bool) {
	a, there := folder.TakeAsk(j.Dir)
	return supervise.Ask{Ranks: a.Ranks, ID: a.ID}, there
}

func (j *journal) Answer(a supervise.Answer) error {
	return folder.Ask{ID: a.ID, Answer: a.Text}.Reply(j.Dir)
}

// close gives the folder back; one that was made for nothing goes.
func (j *journal) close() error {
	if _, err := folder.Read(j.Dir); j.made && errors.Is(err, os.ErrNotExist) {
		return j.Forsake()
	}
	return j.Folder.Close()
}
