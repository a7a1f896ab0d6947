package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func text(s string, fail error) func(*File) error {
	return func(f *File) error {
		if _, err := f.WriteString(s); err != nil {
			return err
		}
		return fail
	}
}

// TestFailedWriteKeepsTheOldFile: after a failed Write the old file is unchanged, and no temporary file remains.
func TestFailedWriteKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(path, text("old", nil)); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, text("new", os.ErrInvalid)); !errors.Is(err, os.ErrInvalid) {
		t.Fatalf("got error %v, want %v", err, os.ErrInvalid)
	}
	if got, err := os.ReadFile(path); string(got) != "old" || err != nil {
		t.Errorf("the file has %q, %v; want old", got, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder has %v, want one file", entries)
	}
	if err := Write(filepath.Join(dir, "none", "f"), text("new", nil)); err == nil {
		t.Error("got no error for a folder that does not exist")
	}
}

// TestFinalPath checks that FinalPath inverts the names of temporary files, and accepts no other names.
func TestFinalPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.1-2.nc")
	err := Write(path, func(f *File) error {
		if got, ok := FinalPath(f.Name()); !ok || got != path {
			t.Errorf("%s: got %q, %v, want %s", f.Name(), got, ok, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, "a.tmp", "a.nc.tmp", "a.nc.12.tmp", "a.nc.12-.tmp", ".12-3.tmp",
		"a.nc.12-3.tmp.bak"} {
		if got, ok := FinalPath(name); ok {
			t.Errorf("%s is taken for a temporary file of %q", name, got)
		}
	}
}

// TestTemporaryFilesOfOthers proves that Write leaves a file alone that has the name of its temporary file: another
// process may be writing it.
func TestTemporaryFilesOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	other := fmt.Sprintf("%s.%d-%d.tmp", path, os.Getpid(), temporaries.Load()+1)
	if err := os.WriteFile(other, []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, text("own", nil)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{path: "own", other: "other"} {
		if got, err := os.ReadFile(name); string(got) != want || err != nil {
			t.Errorf("%s has %q, error %v; want %q", name, got, err, want)
		}
	}
}

func TestSymbolicLinkIsKept(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(target, nil, 0o666), os.Symlink("target", link)); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, text("new", nil)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has mode %v, %v; want a symbolic link", info.Mode(), err)
	}
	if got, err := os.ReadFile(target); string(got) != "new" || err != nil {
		t.Errorf("the target has %q, %v; want new", got, err)
	}
}

func TestCheckWritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.msh")
	for range 2 { // a new file, then an existing one
		if err := CheckWritable(file); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v; want one file", entries, err)
	}
	for path, want := range map[string]string{
		dir: "it is a folder", filepath.Join(dir, "none", "a.msh"): "no such file or directory",
		filepath.Join(file, "b.msh"): "a.msh is not a folder", "/proc/a.msh": "/proc: ",
	} {
		if err := CheckWritable(path); err == nil || !strings.HasPrefix(err.Error(), path+" cannot be written: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", path, err, want)
		}
	}
}
