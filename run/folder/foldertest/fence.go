// Package foldertest tests that files of a run are written by ranks of the current epoch alone.
package foldertest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/run/folder"
)

// SecondEpoch returns a folder whose current epoch is 2.
func SecondEpoch(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	held, err := folder.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { held.Close() })
	for range 2 {
		if _, err := held.Raise([]folder.Assignment{{Member: "here", Ranks: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// WritesInCurrentEpoch checks, in a folder of SecondEpoch, that functions write their files, by name, behind a fence of
// the current epoch, and that they fail and write nothing behind one of an earlier epoch. They use *fence.
func WritesInCurrentEpoch(t *testing.T, dir string, fence *folder.Fence, files map[string]func() error) {
	t.Helper()
	for file, write := range files {
		path := filepath.Join(dir, file)
		*fence = folder.Fence{Dir: dir, Epoch: 1}
		if err := write(); !errors.As(err, new(*folder.EpochOver)) {
			t.Errorf("%s: the earlier epoch got error %v, want EpochOver", file, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the earlier epoch wrote it: %v", file, err)
		}
		fence.Epoch = 2
		if err := write(); err != nil {
			t.Errorf("%s: the current epoch got error %v", file, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: the current epoch did not write it: %v", file, err)
		}
	}
}
