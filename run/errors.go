package run

import (
	"context"
	"errors"

	"github.com/atoll-hpc/atoll/dist"
)

// BadInput is an error that the user's input caused: the run did not start.
type BadInput struct{ Err error }

func (e *BadInput) Error() string { return e.Err.Error() }
func (e *BadInput) Unwrap() error { return e.Err }

// agree makes an error that one rank found in the input that of all: of the lowest rank that has one. It is for what
// ranks do by themselves: a rank that fails while others talk to it returns its error, and Run tells the others.
func agree(ctx context.Context, comm dist.Comm, mine error) error {
	var text []byte
	if mine != nil {
		text = []byte(mine.Error())
	}
	all, err := comm.Allgatherv(ctx, text)
	if err != nil {
		return err
	}
	for r, t := range all {
		if len(t) > 0 {
			if r == comm.Rank() {
				return &BadInput{mine}
			}
			return &BadInput{errors.New(string(t))}
		}
	}
	return nil
}
