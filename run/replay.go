package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// Replay selects a part of an earlier run to be computed again.
type Replay struct {
	Checkpoint  string  // path to start from; "" for the initial state
	From, Until float64 // s, or sweeps: output starts at the first step that reaches From; the run ends at Until
	Steps       int     // the run ends at this step at the latest; 0 for no limit
}

// LoadCase reads the case of the run in a folder. sets override its keys.
func LoadCase(dir string, sets []string) (*config.Case, error) {
	info, err := folder.Read(dir)
	if err != nil {
		return nil, fmt.Errorf("%s has no run that can be continued: %w", dir, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, folder.CaseFile))
	if err != nil {
		return nil, err
	}
	return solvers.Parse(filepath.Join(info.CaseDir, info.Case+".toml"), text, sets)
}

// Checkpoints lists the checkpoints of a folder, the earliest first, with their metadata. Damaged files are left out
// and reported in damaged.
func Checkpoints(dir string) (files []string, infos []checkpoint.Info, damaged []error, err error) {
	paths, err := checkpoint.List(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	slices.Reverse(paths)
	for _, path := range paths {
		f, err := checkpoint.Open(path)
		if err != nil {
			damaged = append(damaged, err)
			continue
		}
		files, infos = append(files, path), append(infos, *f.Info())
		_ = f.Close() // only read: nothing can be lost
	}
	return files, infos, damaged, nil
}

// NearestCheckpoint returns the last checkpoint of a folder that is not later than time t; "" if there is none.
func NearestCheckpoint(dir string, t float64) (string, error) {
	files, infos, _, err := Checkpoints(dir)
	path := ""
	for i := range files {
		if infos[i].Clock().Time <= t {
			path = files[i]
		}
	}
	return path, err
}
