package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// RemoveLater removes the checkpoints after the one that a run continues from: they are damaged, or count damaged
// files.
func RemoveLater(path string) error {
	steps, ok := stepsOf(path)
	files, err := List(filepath.Dir(filepath.Dir(path)))
	if !ok || err != nil {
		return err
	}
	for _, later := range files {
		if n, ok := stepsOf(later); ok && n > steps {
			err = errors.Join(err, atomicfile.Remove(later))
		}
	}
	return err
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
	steps, ok := stepsOf(files[0])
	if !ok {
		return -1, fmt.Errorf("%s: not the name of a checkpoint, step_NUMBER.ckpt", files[0])
	}
	return steps, nil
}

var checkpointName = regexp.MustCompile(`^step_(\d{12,})\.ckpt$`)

// stepsOf returns the number of steps in the name of a checkpoint, and whether it is such a name.
func stepsOf(path string) (steps int, ok bool) {
	m := checkpointName.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return 0, false
	}
	steps, err := strconv.Atoi(m[1])
	return steps, err == nil
}
