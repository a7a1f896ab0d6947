package folder

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

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

// InUse reports whether a run holds the folder.
func InUse(dir string) (bool, error) {
	f := open(dir, Info{})
	if _, err := os.Stat(f.lock.Path()); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	locked, err := f.lock.TryLock()
	return err == nil && !locked, errors.Join(err, f.lock.Close())
}
