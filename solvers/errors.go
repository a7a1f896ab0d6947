package solvers

import (
	"context"
	"errors"

	"github.com/atoll-hpc/atoll/dist"
)

// BadInput is an error that the user's input caused: the run did not start.
type BadInput struct{ Err error }

func (e *BadInput) Error() string { return e.Err.Error() }
func (e *BadInput) Unwrap() error { return e.Err }

// Agree turns an input error that some ranks have found into an error on all ranks: that of the lowest such rank, as
// a BadInput. It is for checks that each rank does on its own; an error in the middle of a collective call is
// returned as it is, and the run informs the other ranks.
func Agree(ctx context.Context, comm dist.Comm, mine error) error {
	rank, text, err := dist.FirstError(ctx, comm, mine)
	switch {
	case err != nil:
		return err
	case rank < 0:
		return nil
	case rank == comm.Rank():
		return &BadInput{mine}
	}
	return &BadInput{errors.New(text)}
}
