package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestEarlierEpochWritesNoFinalOutput: the files made at the end of a run, and the NetCDF file of frames, are written
// by a rank of the current epoch, and not by one of an earlier epoch.
func TestEarlierEpochWritesNoFinalOutput(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
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
	r := &runner{Options: Options{Case: c, Dir: dir, Comm: local.New(1)[0]}, solver: &sweeper{},
		probe: &probe{}, points: []gaugePoint{{name: "a", position: []float64{0, 0}}}}
	triangle := vtk.Triangles([]float64{0, 1, 0}, []float64{0, 0, 1}, [][3]int32{{0, 1, 2}})
	line := &transects{lines: []*transect{{gauge: gauge{file: "a.csv"}}}}
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("t\n0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for file, write := range map[string]func() error{
		stationFile:  func() error { return r.writeStations([]float64{0}, make([]map[float64][]float64, 1)) },
		transectFile: func() error { return line.write(r) },
		outlineFile:  func() error { return r.writeOutlines(nil) },
		filepath.Join(rasterDir, "h.tif"): func() error {
			return r.writeRasters(&rasterGrid{columns: 1, rows: 1, spacing: 1}, []solvers.Field{{Name: "h"}}, nil)
		},
		"c.nc": func() error {
			_, err := ugrid.Open(ctx, r.Comm, r.fence, "c.nc", triangle, []int64{0}, nil, ugrid.About{}, 0)
			return err
		},
	} {
		path := filepath.Join(dir, file)
		r.fence = folder.Fence{Dir: dir, Epoch: 1}
		if err := write(); !errors.As(err, new(*folder.EpochOver)) {
			t.Errorf("%s: the earlier epoch got error %v, want EpochOver", file, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the earlier epoch wrote it: %v", file, err)
		}
		r.fence.Epoch = 2
		if err := write(); err != nil {
			t.Errorf("%s: the current epoch got error %v", file, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: the current epoch did not write it: %v", file, err)
		}
	}
}
