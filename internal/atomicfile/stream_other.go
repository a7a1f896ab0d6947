//go:build !unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// Systems other than Unix have no named pipes among their files.
const (
	nonBlocking = 0
	noReader    = syscall.ENXIO
)

func duplicate(_ int, path string) (*File, error) {
	return nil, &os.PathError{Op: "open", Path: path, Err: errors.ErrUnsupported}
}
