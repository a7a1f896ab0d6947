package folder

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// ResizeRequest is a wish for another number of ranks, which somebody has left in the folder of a run.
type ResizeRequest struct {
	ID     string `json:"id"`
	Ranks  int    `json:"ranks,omitempty"`
	Answer string `json:"answer,omitempty"` // why not, "" for yes
}

const (
	askFile    = ".ranks"
	answerFile = ".ranks-answer"
)

// Submit leaves a wish for the run that has the folder.
func (a ResizeRequest) Submit(dir string) error { return a.write(filepath.Join(dir, askFile)) }

// Reply answers a wish.
func (a ResizeRequest) Reply(dir string) error { return a.write(filepath.Join(dir, answerFile)) }

func (a ResizeRequest) write(path string) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}

// TakeResizeRequest takes the wish that is there, if there is one. One that cannot be read is none.
func TakeResizeRequest(dir string) (ResizeRequest, bool) {
	return takeFile(filepath.Join(dir, askFile), "")
}

// TakeResizeReply takes the answer to a wish, if it is there.
func TakeResizeReply(dir, id string) (ResizeRequest, bool) {
	return takeFile(filepath.Join(dir, answerFile), id)
}

func takeFile(path, id string) (a ResizeRequest, there bool) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return a, false
	}
	if json.Unmarshal(text, &a) != nil || id != "" && a.ID != id {
		return a, false
	}
	return a, os.Remove(path) == nil
}

// InUse reports whether a run has a folder.
func InUse(dir string) (bool, error) {
	f := open(dir, Info{})
	if _, err := os.Stat(f.lock.Path()); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	taken, err := f.lock.TryLock()
	return err == nil && !taken, errors.Join(err, f.lock.Close())
}
