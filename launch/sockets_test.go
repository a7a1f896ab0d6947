//go:build linux

package launch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSocketDirectoryIsPrivate(t *testing.T) {
	o := startRun(t, 1, "checkpoint", nil)
	o.pid(0)
	entries, err := os.ReadDir(o.tmp)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode() != os.ModeDir|0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	o.cancel(nil)
	if err := o.wait(); ExitCode(err) != 75 {
		t.Error(err)
	}
}

func TestSocketDirectoryIsShort(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("d", 90))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := newSockets(long, "/tmp")
	if err != nil || filepath.Dir(s.dir) != "/tmp" {
		t.Fatal(s, err)
	}
	if err := s.remove(); err != nil {
		t.Error(err)
	}
	if dir, err := newSockets(long, "/nonexistent"); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Error(dir, err)
	}
	if entries, err := os.ReadDir(long); len(entries) != 0 || err != nil {
		t.Errorf("got entries %v, %v in the directory with too long a path, want none", entries, err)
	}
}

// TestSocketDirectoriesOfKilledProcessesAreRemoved: those that nobody has locked, except young ones, those of others,
// and anything else of a similar name.
func TestSocketDirectoriesOfKilledProcessesAreRemoved(t *testing.T) {
	parent, err := os.MkdirTemp("/tmp", "s") // shorter than t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(parent)
	old := time.Now().Add(-2 * youngDirectory)
	for name, age := range map[string]time.Time{socketPrefix + "left": old, socketPrefix + "young": time.Now(),
		"atoll-1-5.0": old, "other": old} {
		dir := filepath.Join(parent, name)
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, age, age); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(parent, socketPrefix+"file")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Chtimes(file, old, old)); err != nil {
		t.Fatal(err)
	}
	used, err := newSockets(parent)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(used.dir, old, old); err != nil {
		t.Fatal(err)
	}
	second, err := newSockets(parent)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	entries, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		kept = append(kept, e.Name())
	}
	want := []string{"atoll-1-5.0", filepath.Base(used.dir), socketPrefix + "file", filepath.Base(second.dir),
		socketPrefix + "young", "other"}
	slices.Sort(want)
	if !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
	if err := errors.Join(used.remove(), second.remove()); err != nil {
		t.Error(err)
	}
}
