//go:build !mpi || !cgo

package mpi

import (
	"errors"
	"strings"
	"testing"
)

func TestErrorWithoutMPI(t *testing.T) {
	c, err := Init()
	if c != nil || !errors.Is(err, ErrNotBuilt) || !strings.Contains(err.Error(), "make build-mpi") {
		t.Errorf("Init returned %v, %v", c, err)
	}
}
