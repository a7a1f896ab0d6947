package main

import (
	"os"
	"strings"
	"syscall"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// fullDisk is an environment variable of commands in tests: writing files whose paths contain its value fails as on a
// full disk, until the file that a following @ names exists.
const fullDisk = "ATOLL_TEST_FULL_DISK"

// removesFile is such a variable, too: before a file whose path contains the text after its @ is written, the file
// before the @ is removed, as if somebody did so while the run goes on.
const removesFile = "ATOLL_TEST_REMOVES_FILE"

// interceptFiles makes writes of this process fail as full describes, and removes files as removes describes.
func interceptFiles(full, removes string) {
	if full == "" && removes == "" {
		return
	}
	pattern, freed, _ := strings.Cut(full, "@")
	removed, when, _ := strings.Cut(removes, "@")
	atomicfile.Intercept(func(op atomicfile.Op, path string, do func() error) error {
		if removes != "" && strings.Contains(path, when) {
			_ = os.Remove(removed) // another rank may have removed it
		}
		if full == "" || op != atomicfile.OpWrite || !strings.Contains(path, pattern) {
			return do()
		}
		if _, err := os.Stat(freed); err == nil {
			return do()
		}
		if freed != "" { // there is space at the next attempt
			if err := os.WriteFile(freed, nil, 0o666); err != nil {
				return err
			}
		}
		return &os.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
	})
}
