package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

const extension = ".ckpt"

// Path returns the path of the checkpoint after a number of steps. dir is the folder of the run.
func Path(dir string, steps int) string {
	return filepath.Join(Folder(dir), fmt.Sprintf("step_%012d%s", steps, extension))
}

// Folder returns the folder of the checkpoints in the folder of a run.
func Folder(dir string) string { return filepath.Join(dir, "checkpoints") }

// List returns the checkpoints of a run, the latest first.
func List(dir string) ([]string, error) {
	entries, err := os.ReadDir(Folder(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), extension) {
			files = append(files, filepath.Join(Folder(dir), e.Name()))
		}
	}
	slices.Sort(files)
	slices.Reverse(files)
	return files, err
}

// Prune removes all checkpoints but the latest keep ones.
func Prune(dir string, keep int) error {
	files, err := List(dir)
	if err != nil {
		return err
	}
	for _, path := range files[min(keep, len(files)):] {
		err = errors.Join(err, atomicfile.Remove(path))
	}
	return err
}

// LatestStep returns the step of the latest checkpoint of a run, from its file name; -1 if there is none.
func LatestStep(dir string) (int, error) {
	files, err := List(dir)
	if err != nil || len(files) == 0 {
		return -1, err
	}
	var steps int
	if _, err := fmt.Sscanf(filepath.Base(files[0]), "step_%d", &steps); err != nil {
		return -1, fmt.Errorf("%s: not the name of a checkpoint, step_NUMBER.ckpt: %w", files[0], err)
	}
	return steps, nil
}
