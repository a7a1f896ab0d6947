package solvers

import (
	"context"
	"errors"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// BadInput is an error that the user's input caused: the run did not start.
type BadInput struct{ Err error }

func (e *BadInput) Error() string { return e.Err.Error() }
func (e *BadInput) Unwrap() error { return e.Err }

// Fault is an error that neither the input nor the state caused: a file could not be written or read. The same command
// may succeed later.
type Fault struct{ Err error }

func (e *Fault) Error() string { return e.Err.Error() }
func (e *Fault) Unwrap() error { return e.Err }

// IsFault reports whether err is a Fault, or an error of a disk or file system that is one (atomicfile.IsFault).
func IsFault(err error) bool { return errors.As(err, new(*Fault)) || atomicfile.IsFault(err) }

// InvalidState is the error of a state from which no step can be taken, such as one that is not finite. The steps that
// led to it would lead to it again.
type InvalidState struct{ Err error }

func (e *InvalidState) Error() string { return e.Err.Error() }
func (e *InvalidState) Unwrap() error { return e.Err }

// Agree turns an input error that some ranks have found into an error on all ranks: that of the lowest such rank, as
// a BadInput, or as a Fault if it is one. It is for checks that each rank does on its own; an error in the middle of a
// collective call is returned as it is, and the run informs the other ranks.
func Agree(ctx context.Context, comm dist.Comm, mine error) error {
	const fault, badInput = "f", "b"
	text := ""
	if mine != nil {
		if text = badInput + mine.Error(); IsFault(mine) {
			text = fault + mine.Error()
		}
	}
	rank, text, err := dist.FirstText(ctx, comm, text)
	switch {
	case err != nil:
		return err
	case rank < 0:
		return nil
	}
	shared := errors.New(text[1:])
	if rank == comm.Rank() {
		shared = mine
	}
	if text[:1] == fault {
		return &Fault{shared}
	}
	return &BadInput{shared}
}
