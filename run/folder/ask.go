package folder

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Ask is a wish for another number of ranks, which somebody has left in the folder of a run.
type Ask struct {
	ID     string `json:"id"`
	Ranks  int    `json:"ranks,omitempty"`
	Answer string `json:"answer,omitempty"` // why not, "" for yes
}

const (
	askFile    = ".ranks"
	answerFile = ".ranks-answer"
)

// Leave leaves a wish for the run that has the folder.
func (a Ask) Leave(dir string) error { return a.write(filepath.Join(dir, askFile)) }

// Reply answers a wish.
func (a Ask) Reply(dir string) error { return a.write(filepath.Join(dir, answerFile)) }

func (a Ask) write(path string) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}

// TakeAsk takes the wish that is there, if there is one. One that cannot be read is none.
func TakeAsk(dir string) (Ask, bool) { return take(filepath.Join(dir, askFile), "") }

// TakeReply takes the answer to a wish, if it is there.
func TakeReply(dir, id string) (Ask, bool) { return take(filepath.Join(dir, answerFile), id) }

func take(path, id string) (a Ask, there bool) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return a, false
	}
	if json.Unmarshal(text, &a) != nil || id != "" && a.ID != id {
		return a, false
	}
	return a, os.Remove(path) == nil
}

// Owned tells whether a run has a folder.
func Owned(dir string) (bool, error) {
	f := open(dir, Info{})
	if _, err := os.Stat(f.lock.Path()); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	taken, err := f.lock.TryLock()
	return err == nil && !taken, errors.Join(err, f.lock.Close())
}
