//go:build !mpi || !cgo

package mpi

import (
	"context"
	"time"

	"github.com/atoll-hpc/atoll/dist"
)

// Built reports whether this program was built with MPI.
const Built = false

// Init returns ErrNotBuilt.
func Init() (dist.Comm, error) { return nil, ErrNotBuilt }

// Watch returns ErrNotBuilt.
func Watch(context.Context, dist.Comm, time.Duration, func(string)) error { return ErrNotBuilt }

// Version returns "".
func Version() string { return "" }
