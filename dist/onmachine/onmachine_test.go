package onmachine_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/dist/onmachine"
)

type pair struct {
	a int32
	b float64
}

// shared calls Share with arrays of rank 0 on some ranks, checks that all have them, and returns which ranks have them
// in a copy that is shared.
func shared(t *testing.T, ranks int, least int64, first []pair, second []int32) (copies []bool) {
	copies = make([]bool, ranks)
	var wait sync.WaitGroup
	for rank, comm := range local.New(ranks) {
		wait.Go(func() {
			defer comm.Close()
			one, other := []pair{{7, 7}}, []int32{}
			if rank == 0 {
				one, other = first, second
			}
			c, err := onmachine.Share(t.Context(), comm, least, onmachine.Of(&one), onmachine.Of(&other))
			if err != nil {
				t.Error(err)
			} else if !slices.Equal(one, first) || !slices.Equal(other, second) {
				t.Errorf("rank %d has %d and %d elements, want %d and %d", rank, len(one), len(other), len(first), len(second))
			}
			copies[rank] = onmachine.Holds(c, one)
			if err := errors.Join(comm.Barrier(t.Context()), c.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	return copies
}

// TestShare: ranks of a machine share long arrays, whose file has no name any more, and have short ones of their own.
func TestShare(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	long := make([]pair, 1_200_001)
	for i := range long {
		long[i] = pair{int32(i), float64(i) / 2}
	}
	numbers := []int32{3, 1, 4, 1, 5}
	for _, c := range []struct {
		ranks int
		least int64
		first []pair
		want  bool
	}{
		{3, 1 << 20, long, true}, {3, 1 << 30, long, false}, {1, 1, long, false}, {2, 0, nil, false}, {2, 1, long[:1], true},
	} {
		for rank, is := range shared(t, c.ranks, c.least, c.first, numbers) {
			if want := c.want; is != want {
				t.Errorf("rank %d of %d: %d elements in a shared copy: %v, want %v", rank, c.ranks, len(c.first), is, want)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

// TestShareOnMachines: ranks without a common folder share a file each with those that have theirs.
func TestShareOnMachines(t *testing.T) {
	folders := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	defer onmachine.SetFolder(func(rank int) string { return folders[rank%3] })()
	long := make([]pair, 1_200_001)
	for i := range long {
		long[i].a = int32(i)
	}
	if copies := shared(t, 5, 1, long, []int32{5}); slices.Contains(copies, false) {
		t.Errorf("shared by %v", copies)
	}
	defer onmachine.SetFolder(func(rank int) string {
		return filepath.Join(folders[rank%3], []string{"", "missing"}[rank/4])
	})()
	if copies := shared(t, 5, 1, long, []int32{5}); slices.Contains(copies, true) {
		t.Errorf("shared by %v, although one rank cannot", copies)
	}
}

// TestShareWithoutFolder: if no file can be made, all ranks have arrays of their own.
func TestShareWithoutFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if copies := shared(t, 3, 1, []pair{{1, 2}, {3, 4}}, []int32{5}); slices.Contains(copies, true) {
		t.Errorf("shared by %v", copies)
	}
	if _, err := os.Stat(os.TempDir()); err == nil {
		t.Error("the folder exists")
	}
}
