package ugrid

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/folder/foldertest"
)

// TestEarlierEpochWritesNoRecords: the file of frames is written by a rank of the current epoch, and not by one of an
// earlier epoch.
func TestEarlierEpochWritesNoRecords(t *testing.T) {
	dir := foldertest.SecondEpoch(t)
	triangle := vtk.Triangles([]float64{0, 1, 0}, []float64{0, 0, 1}, [][3]int32{{0, 1, 2}})
	for epoch := uint64(1); epoch <= 2; epoch++ {
		over := epoch == 1
		_, err := Open(t.Context(), local.New(1)[0], folder.Fence{Dir: dir, Epoch: epoch}, "c.nc", triangle, []int64{0}, nil,
			About{}, 0)
		if errors.As(err, new(*folder.EpochOver)) != over || !over && err != nil {
			t.Errorf("epoch %d got error %v", epoch, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "c.nc")); over && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the earlier epoch wrote the file: %v", err)
		}
	}
}
