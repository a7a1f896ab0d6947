package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// record returns the operations of f, each with the name of its file; fail returns the error of an operation instead of
// executing it, nil to execute it.
func record(t *testing.T, f func() error, fail func(op Op, name string) error) (operations []string, err error) {
	t.Helper()
	defer Intercept(func(op Op, path string, do func() error) error {
		name := filepath.Base(path)
		if strings.HasSuffix(name, ".tmp") {
			name = "temporary"
		}
		operations = append(operations, fmt.Sprint(op, " ", name))
		if err := fail(op, name); err != nil {
			return err
		}
		return do()
	})()
	err = f()
	return operations, err
}

// TestOrderOfOperations checks that a file which is written durably is on the disk before it gets its name, and the
// name before the function returns; and that a new folder is on the disk, together with those above it.
func TestOrderOfOperations(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	none := func(Op, string) error { return nil }
	for _, c := range []struct {
		f    func() error
		want []string
	}{
		{func() error { return MakeFolder(filepath.Join(dir, "a", "b")) },
			[]string{"make folder b", "sync " + filepath.Base(filepath.Dir(dir)), "sync out", "sync a"}},
		{func() error { return MakeFolder(filepath.Join(dir, "a", "b")) }, []string{"make folder b"}},
		{func() error { return WriteDurably(filepath.Join(dir, "f"), text("new", nil)) },
			[]string{"open temporary", "write temporary", "sync temporary", "close temporary", "rename f", "sync out"}},
		{func() error { return Write(filepath.Join(dir, "f"), text("new", nil)) },
			[]string{"open temporary", "write temporary", "close temporary", "rename f"}},
	} {
		if got, err := record(t, c.f, none); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("got %q, %v; want %q", got, err, c.want)
		}
	}
}

// TestEveryFaultIsReported checks that a fault of any operation is returned by WriteDurably, and that the old file is
// left as it was unless only the folder could not be synced.
func TestEveryFaultIsReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, op := range []Op{OpOpen, OpWrite, OpSync, OpClose, OpRename} {
		if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := record(t, func() error { return WriteDurably(path, text("new", nil)) }, func(o Op, _ string) error {
			if o == op {
				return &os.PathError{Op: string(op), Path: path, Err: syscall.EIO}
			}
			return nil
		})
		if !IsFault(err) {
			t.Errorf("%s: got error %v, want %v", op, err, syscall.EIO)
		}
		if got, err := os.ReadFile(path); string(got) != "old" || err != nil {
			t.Errorf("%s: the file has %q, %v; want old", op, got, err)
		}
		if files, err := os.ReadDir(filepath.Dir(path)); len(files) != 1 || err != nil {
			t.Errorf("%s: the folder has %v, %v; want one file", op, files, err)
		}
	}
}

// TestFaults checks which errors are faults of a disk or the system, and that a file that cannot be synced is none.
func TestFaults(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.ENOSPC: true, syscall.EIO: true, syscall.ESTALE: true, syscall.EDQUOT: true, syscall.EROFS: true,
		syscall.ENOENT: false, syscall.EACCES: false, syscall.EISDIR: false, syscall.EINVAL: false,
		errors.New("no space left on device"): false,
	} {
		if got := IsFault(fmt.Errorf("f: %w", &os.PathError{Op: "write", Path: "f", Err: err})); got != want {
			t.Errorf("%v: got %v, want %v", err, got, want)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join((&File{File: w}).Sync(), w.Close(), r.Close()); err != nil {
		t.Errorf("a pipe: %v", err)
	}
}
