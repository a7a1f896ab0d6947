package run

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// Replay is a stretch of an earlier run, whose steps are taken again.
type Replay struct {
	Checkpoint  string  // the file to begin from; "" for the start of the case
	From, Until float64 // s, or sweeps: output begins at the first step that is so far, and the run ends there
	Steps       int     // when the run ends before; 0 for no limit
}

// LoadCase reads the case of the run in a folder. Overrides are those of its keys.
func LoadCase(dir string, sets []string) (*config.Case, error) {
	told, err := folder.Read(dir)
	if err != nil {
		return nil, fmt.Errorf("%s holds no run that could be taken up: %w", dir, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, folder.CaseFile))
	if err != nil {
		return nil, err
	}
	return solvers.Parse(filepath.Join(told.CaseDir, told.Case+".toml"), text, sets)
}

// Checkpoints are the checkpoints of a folder, the earliest first, and what they tell. Damaged ones are left out, with
// the reasons.
func Checkpoints(dir string) (files []string, told []checkpoint.Info, damaged []error, err error) {
	all, err := checkpoint.List(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	slices.Reverse(all)
	for _, path := range all {
		f, err := checkpoint.Open(path)
		if err != nil {
			damaged = append(damaged, err)
			continue
		}
		files, told = append(files, path), append(told, *f.Info())
		_ = f.Close() // it was only read
	}
	return files, told, damaged, nil
}

// NearestCheckpoint is the last checkpoint of a folder that is not later than a time; "" for the start.
func NearestCheckpoint(dir string, at float64) (string, error) {
	files, told, _, err := Checkpoints(dir)
	path := ""
	for i := range files {
		if told[i].Clock().Time <= at {
			path = files[i]
		}
	}
	return path, err
}

// skipOutputUntil lets output begin at a time.
func (r *runner) skipOutputUntil(from float64) {
	for _, g := range r.gauges {
		g.next = from
		if g.every > 0 {
			g.next = math.Ceil(from/g.every) * g.every
		}
	}
	if every := r.Case.Output.Every; every > 0 {
		r.nextFrameIndex = int(math.Ceil(from / every))
	}
	r.lastFrameTime = math.Inf(-1)
}
