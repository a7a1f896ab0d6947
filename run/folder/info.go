package folder

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Format is the version of what is in a folder. Later versions of the program read it, or refuse it by name.
const Format = 1

// State is what has become of a run.
type State string

const (
	Running State = "running" // or ended by force
	Stopped State = "stopped" // by a signal or its time limit
	Failed  State = "failed"
	Done    State = "done"
)

// Info is what a folder tells of its run, in run.json.
type Info struct {
	Format      int    `json:"format"`
	Solver      string `json:"solver"`
	Case        string `json:"case"`
	CaseSHA256  string `json:"case_sha256"`  // of the effective case
	StartSHA256 string `json:"start_sha256"` // of the same, but for when it ends
	CaseDir     string `json:"case_dir"`     // where relative paths of CaseFile start
	Version     string `json:"version"`      // of the program
	State       State  `json:"state"`
	Epoch       uint64 `json:"epoch,omitempty"` // of the ranks that wrote last; 0 of ranks that do not come and go
}

const infoFile = "run.json"

// CaseFile is where a folder has the effective case.
const CaseFile = "case.toml"

// Read returns what a folder tells of its run; the error is os.ErrNotExist where it tells nothing. Folders of older
// versions have a summary alone, which only whole runs have.
func Read(dir string) (Info, error) {
	var i Info
	path := filepath.Join(dir, infoFile)
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		path = filepath.Join(dir, summaryFile)
		text, err = os.ReadFile(path)
		i.State = Done
	}
	if err != nil {
		return i, err
	}
	if err := json.Unmarshal(text, &i); err != nil {
		return i, fmt.Errorf("%s: %w", path, err)
	}
	if i.Format > Format {
		return i, fmt.Errorf("%s is of format %d; this program knows formats up to %d", path, i.Format, Format)
	}
	return i, nil
}

func (i *Info) write(dir string) error {
	i.Format = Format
	text, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, infoFile), func(f *os.File) error {
		if _, err := f.Write(append(text, '\n')); err != nil {
			return err
		}
		return f.Sync()
	})
}
