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

// Agree makes an error that one rank found in the input that of all: of the lowest rank that has one. It is for what
// ranks do separately: a rank that fails in the middle of a collective call returns its error, and the run informs the
// others.
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
