//go:build linux

package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	dir, err := socketDirectory(long, "/tmp")
	if err != nil || filepath.Dir(dir) != "/tmp" {
		t.Fatal(dir, err)
	}
	if err := os.Remove(dir); err != nil {
		t.Error(err)
	}
	if dir, err := socketDirectory(long, "/nonexistent"); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Error(dir, err)
	}
	if entries, err := os.ReadDir(long); len(entries) != 0 || err != nil {
		t.Errorf("got entries %v, %v in the directory with too long a path, want none", entries, err)
	}
}
