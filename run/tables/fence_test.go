package tables

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/folder/foldertest"
	"github.com/atoll-hpc/atoll/run/recorder"
)

// TestEarlierEpochWritesNoSeries: the files of time series that are made at the end of a run are written by a rank of
// the current epoch, and not by one of an earlier epoch.
func TestEarlierEpochWritesNoSeries(t *testing.T) {
	dir := foldertest.SecondEpoch(t)
	c := &config.Case{Transects: []config.Transect{{Name: "a", Line: [][]float64{{0, 0}, {1, 1}}}}}
	run := &recorder.Run{Case: c, Dir: dir, Comm: local.New(1)[0]}
	gauges := &stations{Gauges: &Gauges{run: run, probe: &probe{},
		points: []gaugePoint{{name: "a", position: []float64{0, 0}}}}}
	lines := &transectFile{Transects: &Transects{run: run, lines: []*transect{{timeTable: timeTable{file: "a.csv"}}}}}
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("t\n0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	foldertest.WritesInCurrentEpoch(t, dir, &run.Fence, map[string]func() error{
		stationFile:      func() error { return gauges.writeStations([]float64{0}, make([]map[float64][]float64, 1)) },
		transectFileName: lines.writeFile,
	})
}
