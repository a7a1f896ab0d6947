//go:build linux

package launch

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplacedProgramIsNotStarted proves that ranks have the program of the launcher, although its file was replaced or
// removed.
func TestReplacedProgramIsNotStarted(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, nil, 0o777); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{self: self, other: "/proc/self/exe", other + "-removed": "/proc/self/exe"} {
		if got := ownProgram(path); got != want {
			t.Errorf("%s is started by %s, want %s", path, got, want)
		}
	}
}
