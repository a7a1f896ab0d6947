package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// maxDirectory bounds the length of the directory's path: a socket's path has at most 107 bytes on Linux and 103 on
// other systems, of which 23 are left for its name.
const maxDirectory = 80

const (
	socketPrefix = "atoll-run-"
	// youngDirectory is how long a directory may be without its lock, between its creation and that of the lock.
	youngDirectory = time.Minute
)

// sockets is a directory for the sockets of ranks. It is locked as long as this process lives, so that the next one can
// tell and remove those that killed ones have left.
type sockets struct {
	dir  string
	lock *os.File // the open directory
}

// newSockets makes a directory that only this user may enter, in the first of parents that is writable and whose path
// is short enough, and removes those that killed processes have left there.
func newSockets(parents ...string) (*sockets, error) {
	var failures []error
	for _, parent := range parents {
		parent, err := filepath.Abs(parent)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		removeLeftSockets(parent, time.Now())
		dir, err := os.MkdirTemp(parent, socketPrefix) // of mode 0700
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if len(dir) > maxDirectory {
			failures = append(failures, fmt.Errorf("%s is too long for the path of a socket", dir), os.Remove(dir))
			continue
		}
		lock, _ := lockDirectory(dir) // without a lock the directory may stay, or is removed when it is a minute old
		return &sockets{dir, lock}, nil
	}
	return nil, fmt.Errorf("launch: cannot make a directory for sockets; set TMPDIR to a short path that is writable: %w",
		errors.Join(failures...))
}

// removeLeftSockets removes the directories of killed processes of this user. Errors do not matter: they stay.
func removeLeftSockets(parent string, now time.Time) {
	dirs, _ := filepath.Glob(filepath.Join(parent, socketPrefix+"*"))
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !ownedByUser(info) || now.Sub(info.ModTime()) < youngDirectory {
			continue
		}
		if lock, err := lockDirectory(dir); err == nil {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}
	}
}

// remove removes the directory.
func (s *sockets) remove() error {
	err := os.RemoveAll(s.dir)
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	if err != nil {
		return fmt.Errorf("launch: remove the directory of sockets: %w", err)
	}
	return nil
}
