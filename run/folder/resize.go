package folder

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// ResizeRequest asks the run that holds a folder to continue with another number of ranks. Requests and replies are
// files in the folder.
type ResizeRequest struct {
	ID     string `json:"id"`
	Ranks  int    `json:"ranks,omitempty"`
	Answer string `json:"answer,omitempty"` // in a reply: why the request was refused; "" if it was accepted
}

const (
	requestFile = ".ranks"
	answerFile  = ".ranks-answer"
)

// Submit writes a request for the run that holds the folder.
func (r ResizeRequest) Submit(dir string) error { return r.write(filepath.Join(dir, requestFile)) }

// Reply writes the reply to a request.
func (r ResizeRequest) Reply(dir string) error { return r.write(filepath.Join(dir, answerFile)) }

func (r ResizeRequest) write(path string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(f *atomicfile.File) error {
		_, err := f.Write(text)
		return err
	})
}

// TakeResizeRequest reads and removes the pending request, if there is one. An unreadable request is ignored.
func TakeResizeRequest(dir string) (ResizeRequest, bool) {
	return takeFile(filepath.Join(dir, requestFile), "")
}

// TakeResizeReply reads and removes the reply to the request id, if it has arrived.
func TakeResizeReply(dir, id string) (ResizeRequest, bool) {
	return takeFile(filepath.Join(dir, answerFile), id)
}

func takeFile(path, id string) (r ResizeRequest, found bool) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return r, false
	}
	if json.Unmarshal(text, &r) != nil || id != "" && r.ID != id {
		return r, false
	}
	return r, os.Remove(path) == nil
}

// removeRequests removes requests and replies that nobody waits for any more.
func removeRequests(dir string) error {
	for _, name := range []string{requestFile, answerFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Withdraw removes the request if the run has not taken it.
func (r ResizeRequest) Withdraw(dir string) { takeFile(filepath.Join(dir, requestFile), r.ID) }

// InUse reports whether a run holds the folder.
func InUse(dir string) (bool, error) {
	path := lockPath(dir)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	lock := flock.New(path)
	locked, err := tryLock(lock)
	known := locked || withoutLocks(err) // then the lease tells
	if withoutLocks(err) {
		err = nil
	}
	if err = errors.Join(err, lock.Close()); err != nil || !known {
		return err == nil, err
	}
	_, lives := awaitHolder(path)
	return lives, nil
}
