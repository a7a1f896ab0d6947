//go:build !unix

package onmachine

import (
	"errors"
	"os"
)

func mapped(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return nil }
