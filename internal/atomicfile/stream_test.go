//go:build unix

package atomicfile

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestPipesAreWrittenTo proves that a pipe or device is written to, and never replaced by a file.
func TestPipesAreWrittenTo(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := pipe + "-link"
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	text := func(f *File) error { _, err := f.WriteString("text"); return err }
	for _, path := range []string{pipe, link} {
		if err := Write(path, text); err == nil || !strings.Contains(err.Error(), "nobody reads the pipe "+path) {
			t.Errorf("without a reader: got error %v", err)
		}
		reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckWritable(path); err != nil {
			t.Error(err)
		}
		if err := WriteDurably(path, text); err != nil {
			t.Error(err)
		}
		if got, err := io.ReadAll(reader); err != nil || string(got) != "text" {
			t.Errorf("the pipe has %q, %v", got, err)
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe has become %v, %v", info.Mode(), err)
	}
	if err := Write("/dev/null", text); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Errorf("/dev/null has become %v, %v", info.Mode(), err)
	}
}

// TestOpenFilesAreWrittenTo proves that a path like /dev/stdout does not replace the file that is open there.
func TestOpenFilesAreWrittenTo(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = f.WriteString("line\n")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("/dev/fd", strconv.Itoa(int(f.Fd())))
	if err := Write(path, func(f *File) error { _, err := f.WriteString("summary\n"); return err }); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("end\n"); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(f.Name()); err != nil || string(got) != "line\nsummary\nend\n" {
		t.Errorf("the file has %q, %v", got, err)
	}
}
