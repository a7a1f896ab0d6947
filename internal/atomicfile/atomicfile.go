// Package atomicfile replaces files atomically: a reader finds the complete old file or the complete new one. It also
// makes changes of files and folders durable: after a power failure they are there.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/internal/checksum"
)

var (
	temporaries   atomic.Int64
	temporaryName = regexp.MustCompile(`^(.+)\.\d+-\d+\.tmp$`)
)

// Write writes a file under a temporary name in the same folder and renames it to path when it is complete. If path is
// a symbolic link, Write replaces the target of the link. A pipe or device, such as /dev/stdout, is written to.
func Write(path string, write func(f *File) error) error {
	return replace(path, write, func(string) error { return nil })
}

// WriteDurably is Write, and returns when the file is on the disk under its name.
func WriteDurably(path string, write func(f *File) error) error {
	synced := func(f *File) error {
		if err := write(f); err != nil {
			return err
		}
		return f.Sync()
	}
	return replace(path, synced, func(path string) error { return Sync(filepath.Dir(path)) })
}

// replace writes a file under a temporary name, renames it to path, and calls renamed.
func replace(path string, write func(f *File) error, renamed func(path string) error) error {
	if isStream(path) {
		return writeTo(path, write)
	}
	recorded, record := recordings.Load(path)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := createTemporary(path)
	if err != nil {
		return err
	}
	if record {
		f.Record(&recorded.(*recording).Recorder)
	}
	err = errors.Join(write(f), f.Close())
	if err == nil && record {
		recorded.(*recording).modified, err = Modified(f.Name())
	}
	if err == nil {
		err = Rename(f.Name(), path)
	}
	if err != nil {
		_ = Remove(f.Name()) // err is the error to return
		return err
	}
	return renamed(path)
}

// isStream reports whether a path is that of a pipe or device, or names an open file of the process as /dev/stdout
// does, all of which a file must not replace.
func isStream(path string) bool {
	const special = fs.ModeNamedPipe | fs.ModeDevice | fs.ModeCharDevice | fs.ModeSocket
	if _, ok := descriptor(path); ok {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&special != 0
}

// descriptor returns the number of the open file of the process that a path names.
func descriptor(path string) (number int, ok bool) {
	switch path = filepath.ToSlash(filepath.Clean(path)); path {
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, folder := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if text, found := strings.CutPrefix(path, folder); found {
			number, err := strconv.Atoi(text)
			return number, err == nil
		}
	}
	return 0, false
}

// writeTo writes to a pipe, a device or an open file. A named pipe that nobody reads is an error: waiting for a reader
// could last for ever.
func writeTo(path string, write func(f *File) error) error {
	var f *File
	var err error
	if number, ok := descriptor(path); ok {
		f, err = duplicate(number, path)
	} else if f, err = Open(path, os.O_WRONLY|nonBlocking); errors.Is(err, noReader) {
		err = fmt.Errorf("nobody reads the pipe %s: %w", path, noReader)
	}
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Contents is what those who have written a file know of it.
type Contents struct {
	Parts    checksum.Parts // of what was written
	Modified int64          // time of the last change before it got its name, in ns since 1970; 0 if unknown
}

// recording is what a call of Recorded records.
type recording struct {
	checksum.Recorder
	modified int64
}

// recordings are those of the calls of Recorded, by path.
var recordings sync.Map

// Recorded calls write, which writes the file path by [Write], and returns what was written.
func Recorded(path string, write func() error) (Contents, error) {
	r := new(recording)
	recordings.Store(path, r)
	defer recordings.Delete(path)
	err := write()
	return Contents{r.Parts(), r.modified}, err
}

// Modified returns the time of the last change of a file, in ns since 1970.
func Modified(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.ModTime().UnixNano(), nil
}

// createTemporary creates a temporary file for path. Processes in several containers can have the same number, and
// write to the same folder.
func createTemporary(path string) (*File, error) {
	for {
		name := fmt.Sprintf("%s.%d-%d.tmp", path, os.Getpid(), temporaries.Add(1))
		f, err := Open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// FinalPath returns the path for which Write has made a temporary file, and whether the file's name is such a name.
func FinalPath(temporary string) (path string, ok bool) {
	m := temporaryName.FindStringSubmatch(temporary)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// CheckWritable returns an error if Write could not write to path: because path is a folder, or because its folder does
// not exist or is not writable. Pipes and devices are not opened. It lets a program fail before a long computation.
func CheckWritable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s cannot be written: it is a folder", path)
	}
	if isStream(path) {
		return nil
	}
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	switch {
	case err != nil:
	case !info.IsDir():
		err = fmt.Errorf("%s is not a folder", folder)
	default:
		var f *os.File
		if f, err = os.CreateTemp(folder, ".atoll-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	var denied *os.PathError
	if errors.As(err, &denied) {
		err = fmt.Errorf("%s: %w", folder, denied.Err)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return nil
}
