package main

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// fullDisk is an environment variable of commands in tests: writing files whose paths contain its value fails as on a
// full disk, until the file that a following @ names exists.
const fullDisk = "ATOLL_TEST_FULL_DISK"

// removesFile is such a variable, too: before a file whose path contains the text after its @ is written, the file
// before the @ is removed, as if somebody did so while the run goes on.
const removesFile = "ATOLL_TEST_REMOVES_FILE"

// killsWriter is such a variable, too: a process is killed once it has written a part of a file whose path contains the
// text before its @, unless the file after the @ exists, which it makes.
const killsWriter = "ATOLL_TEST_KILLS_WRITER"

// slowsWriter is such a variable, too: until the file after its @ exists, it takes a while to open a file for writing
// whose path contains the text before the @. So a run that writes many of them waits, idle, for what a test does.
const slowsWriter = "ATOLL_TEST_SLOWS_WRITER"

// interceptFiles makes writes of this process fail as full describes, removes files as removes describes, kills this
// process as kills describes, and takes its time as slows describes.
func interceptFiles(full, removes, kills, slows string) {
	if full == "" && removes == "" && kills == "" && slows == "" {
		return
	}
	pattern, freed, _ := strings.Cut(full, "@")
	removed, when, _ := strings.Cut(removes, "@")
	fatal, killed, _ := strings.Cut(kills, "@")
	slow, released, _ := strings.Cut(slows, "@")
	atomicfile.Intercept(func(op atomicfile.Op, path string, do func() error) error {
		if slows != "" && op == atomicfile.OpOpen && strings.Contains(path, slow) {
			if _, err := os.Stat(released); err != nil {
				time.Sleep(300 * time.Millisecond)
			}
		}
		if kills != "" && op == atomicfile.OpWrite && strings.Contains(path, fatal) {
			if marker, err := os.OpenFile(killed, os.O_CREATE|os.O_EXCL, 0o666); err == nil {
				if err := errors.Join(marker.Close(), do()); err != nil {
					return err
				}
				self, err := os.FindProcess(os.Getpid())
				return errors.Join(err, self.Kill())
			}
		}
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
