//go:build unix

package atomicfile

import (
	"os"
	"syscall"
)

// nonBlocking makes opening a named pipe without a reader fail with noReader.
const nonBlocking = syscall.O_NONBLOCK

const noReader = syscall.ENXIO

// duplicate opens an open file again, at the same position.
func duplicate(number int, path string) (*File, error) {
	again, err := syscall.Dup(number)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	syscall.CloseOnExec(again)
	return &File{File: os.NewFile(uintptr(again), path)}, nil
}
