package folder

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFilesThatAreNone: a named pipe or a folder in place of a file of the folder is refused at once, with its name.
func TestFilesThatAreNone(t *testing.T) {
	for _, name := range ownFiles {
		for kind, create := range map[string]func(path string) error{
			"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o666) },
			"folder": func(path string) error { return os.Mkdir(path, 0o777) },
		} {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			if err := create(path); err != nil {
				t.Fatal(err)
			}
			_, claim := Claim(dir, testInfo, Fresh)
			_, lock := Lock(dir)
			for _, err := range []error{claim, lock, Check(dir, testInfo, Resume)} {
				if err == nil || !strings.Contains(err.Error(), path+" is not a file: remove it") {
					t.Errorf("%s %s: error %v", kind, name, err)
				}
			}
		}
	}
}
