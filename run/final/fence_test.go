package final

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestEarlierEpochWritesNoFinalOutput: the files made at the end of a run are written by a rank of the current epoch,
// and not by one of an earlier epoch.
func TestEarlierEpochWritesNoFinalOutput(t *testing.T) {
	dir := t.TempDir()
	held, err := folder.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	for range 2 {
		if _, err := held.Raise([]folder.Assignment{{Member: "here", Ranks: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	run := &recorder.Run{Case: &config.Case{}, Dir: dir, Comm: local.New(1)[0]}
	outlines, rasters := &Outlines{run: run}, &Rasters{run: run}
	for file, write := range map[string]func() error{
		outlineFile: func() error { return outlines.writeFile(nil, 0) },
		filepath.Join(rasterDir, "h.tif"): func() error {
			return rasters.writeFiles(&rasterGrid{columns: 1, rows: 1, spacing: 1}, []solvers.Field{{Name: "h"}}, nil)
		},
	} {
		path := filepath.Join(dir, file)
		run.Fence = folder.Fence{Dir: dir, Epoch: 1}
		if err := write(); !errors.As(err, new(*folder.EpochOver)) {
			t.Errorf("%s: the earlier epoch got error %v, want EpochOver", file, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the earlier epoch wrote it: %v", file, err)
		}
		run.Fence.Epoch = 2
		if err := write(); err != nil {
			t.Errorf("%s: the current epoch got error %v", file, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: the current epoch did not write it: %v", file, err)
		}
	}
}
