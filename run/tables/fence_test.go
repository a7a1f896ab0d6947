package tables

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/recorder"
)

// TestEarlierEpochWritesNoSeries: the files of time series that are made at the end of a run are written by a rank of
// the current epoch, and not by one of an earlier epoch.
func TestEarlierEpochWritesNoSeries(t *testing.T) {
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
	c := &config.Case{Transects: []config.Transect{{Name: "a", Line: [][]float64{{0, 0}, {1, 1}}}}}
	run := &recorder.Run{Case: c, Dir: dir, Comm: local.New(1)[0]}
	gauges := &stations{Gauges: &Gauges{run: run, probe: &probe{},
		points: []gaugePoint{{name: "a", position: []float64{0, 0}}}}}
	lines := &transectFile{Transects: &Transects{run: run, lines: []*transect{{timeTable: timeTable{file: "a.csv"}}}}}
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("t\n0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for file, write := range map[string]func() error{
		stationFile:      func() error { return gauges.writeStations([]float64{0}, make([]map[float64][]float64, 1)) },
		transectFileName: lines.writeFile,
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
