package folder

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Format is the version of the layout of folders. Later versions of the program read it, or return an error that names
// it.
const Format = 1

// State is the state of a run.
type State string

const (
	Running State = "running" // or killed
	Stopped State = "stopped" // by a signal, its time limit, or a fault: it can be continued
	Failed  State = "failed"  // its state has become invalid
	Done    State = "done"
)

// Info describes the run of a folder; it is stored in run.json.
type Info struct {
	Format      int    `json:"format"`
	Solver      string `json:"solver"`
	Case        string `json:"case"`
	CaseSHA256  string `json:"case_sha256"`  // of the effective case
	StartSHA256 string `json:"start_sha256"` // of the effective case without its end time
	CaseDir     string `json:"case_dir"`     // the folder to which paths in CaseFile are relative
	Version     string `json:"version"`      // of the program
	State       State  `json:"state"`
	Epoch       uint64 `json:"epoch,omitempty"` // epoch of the ranks that wrote last; 0 if the run is not elastic
}

const infoFile = "run.json"

// CaseFile is the file of the effective case.
const CaseFile = "case.toml"

// Read returns the Info of a folder; the error is os.ErrNotExist if it has none. Folders of older versions of the
// program have only a summary, and only if their run was completed.
func Read(dir string) (Info, error) {
	var i Info
	if err := checkFiles(dir, infoFile, summaryFile); err != nil {
		return i, err
	}
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
		return i, fmt.Errorf("%s: %w: restore the file, choose another folder with --out, or start from the beginning "+
			"with --force", path, err)
	}
	if i.Format > Format {
		return i, fmt.Errorf("%s is of format %d; this program reads formats up to %d: use a newer version", path,
			i.Format, Format)
	}
	return i, nil
}

func (i *Info) write(dir string) error {
	i.Format = Format
	text, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteDurably(filepath.Join(dir, infoFile), func(f *atomicfile.File) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
}
