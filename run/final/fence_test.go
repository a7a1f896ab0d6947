package final

import (
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/folder/foldertest"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestEarlierEpochWritesNoFinalOutput: the files made at the end of a run are written by a rank of the current epoch,
// and not by one of an earlier epoch.
func TestEarlierEpochWritesNoFinalOutput(t *testing.T) {
	dir := foldertest.SecondEpoch(t)
	run := &recorder.Run{Case: &config.Case{}, Dir: dir, Comm: local.New(1)[0]}
	outlines, rasters := &Outlines{run: run}, &Rasters{run: run}
	foldertest.WritesInCurrentEpoch(t, dir, &run.Fence, map[string]func() error{
		outlineFile: func() error { return outlines.writeFile(nil, 0) },
		filepath.Join(rasterDir, "h.tif"): func() error {
			return rasters.writeFiles(&rasterGrid{columns: 1, rows: 1, spacing: 1}, []solvers.Field{{Name: "h"}}, nil)
		},
	})
}
