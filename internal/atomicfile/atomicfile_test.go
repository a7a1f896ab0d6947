package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func text(s string, fail error) func(*os.File) error {
	return func(f *os.File) error {
		if _, err := f.WriteString(s); err != nil {
			return err
		}
		return fail
	}
}

// TestFailedWriteLeavesTheOldFile: whoever reads the file while it is replaced, or after that failed, finds a whole
// one.
func TestFailedWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(path, text("old", nil)); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, text("new", os.ErrInvalid)); !errors.Is(err, os.ErrInvalid) {
		t.Fatalf("error %v is not passed on", err)
	}
	if got, err := os.ReadFile(path); string(got) != "old" || err != nil {
		t.Errorf("the file holds %q: %v", got, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder holds %v", entries)
	}
	if err := Write(filepath.Join(dir, "none", "f"), text("new", nil)); err == nil {
		t.Error("a file is written to a folder that is not there")
	}
}

func TestLinksStay(t *testing.T) {
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
		t.Errorf("the link is %v: %v", info.Mode(), err)
	}
	if got, err := os.ReadFile(target); string(got) != "new" || err != nil {
		t.Errorf("where it leads is %q: %v", got, err)
	}
}

func TestPlaceable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.msh")
	for range 2 { // as a new file, and as one to replace
		if err := Placeable(file); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
	for path, want := range map[string]string{
		dir: "it is a folder", filepath.Join(dir, "none", "a.msh"): "no such file or directory",
		filepath.Join(file, "b.msh"): "a.msh is no folder", "/proc/a.msh": "/proc: ",
	} {
		if err := Placeable(path); err == nil || !strings.HasPrefix(err.Error(), path+" cannot be written: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %q", path, err, want)
		}
	}
}
