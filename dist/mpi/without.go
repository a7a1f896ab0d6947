//go:build !mpi || !cgo

package mpi

import "github.com/atoll-hpc/atoll/dist"

// Built tells whether this program can speak MPI.
const Built = false

// Init returns ErrNotBuilt.
func Init() (dist.Comm, error) { return nil, ErrNotBuilt }

// Version returns "".
func Version() string { return "" }
