package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/atoll-hpc/atoll/internal/checksum"
)

// File is a file that is open for writing. Tests can make its operations, and the functions of this package that change
// folders, fail: see [Intercept].
type File struct {
	*os.File
	at       int64              // of the next Write
	recorder *checksum.Recorder // nil if nobody asked for checksums
}

// Record collects checksums of what is written from now on.
func (f *File) Record(r *checksum.Recorder) { f.recorder = r }

// Create creates a file, or empties an existing one.
func Create(path string) (*File, error) { return Open(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC) }

// Open opens a file for writing, with flags of os.OpenFile.
func Open(path string, flags int) (*File, error) {
	var f *os.File
	err := operate(OpOpen, path, func() (err error) {
		f, err = os.OpenFile(path, flags, 0o666)
		return err
	})
	if err != nil {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
		return nil, err
	}
	return &File{File: f}, nil
}

func (f *File) Write(b []byte) (n int, err error) {
	if interceptor.Load() == nil {
		n, err = f.File.Write(b)
	} else {
		err = operate(OpWrite, f.Name(), func() (err error) {
			n, err = f.File.Write(b)
			return err
		})
	}
	f.recorder.Follow(f.at, b[:n])
	f.at += int64(n)
	return n, err
}

func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// ReadFrom writes what it reads from r, as [io.Copy] does. That of [os.File] would go past Write.
func (f *File) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{f}, r) }

func (f *File) WriteAt(b []byte, offset int64) (n int, err error) {
	if interceptor.Load() == nil {
		n, err = f.File.WriteAt(b, offset)
	} else {
		err = operate(OpWrite, f.Name(), func() (err error) {
			n, err = f.File.WriteAt(b, offset)
			return err
		})
	}
	f.recorder.Put(offset, b[:n])
	return n, err
}

// Seek sets the position of the next Write.
func (f *File) Seek(offset int64, whence int) (at int64, err error) {
	f.at, err = f.File.Seek(offset, whence)
	return f.at, err
}

func (f *File) Truncate(size int64) error {
	f.recorder.Truncate(size)
	return operate(OpTruncate, f.Name(), func() error { return f.File.Truncate(size) })
}

// Sync returns when the contents of the file are on the disk. It does nothing on systems that cannot sync this file.
func (f *File) Sync() error {
	return unlessUnsupported(operate(OpSync, f.Name(), f.File.Sync))
}

// Close closes the file. Network file systems may report only here that the contents could not be written.
func (f *File) Close() error {
	return operate(OpClose, f.Name(), f.File.Close)
}

// Rename renames a file, replacing an existing one.
func Rename(from, to string) error {
	return operate(OpRename, to, func() error { return os.Rename(from, to) })
}

// Remove removes a file or an empty folder.
func Remove(path string) error {
	return operate(OpRemove, path, func() error { return os.Remove(path) })
}

// Sync returns when the contents of a file are on the disk, or what a folder contains: the names of its files.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join((&File{File: f}).Sync(), f.Close())
}

// MakeFolder creates a folder and those above it, so that they are on the disk when it has returned.
func MakeFolder(path string) error {
	var created []string
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) || p == filepath.Dir(p) {
			break
		}
		created = append(created, p)
	}
	err := operate(OpMakeFolder, path, func() error { return os.MkdirAll(path, 0o777) })
	for _, p := range slices.Backward(created) {
		if err == nil {
			err = Sync(filepath.Dir(p))
		}
	}
	return err
}

// Op is an operation that changes files.
type Op string

// The operations. The path of OpRename is the new one.
const (
	OpOpen       Op = "open"
	OpWrite      Op = "write"
	OpTruncate   Op = "truncate"
	OpSync       Op = "sync"
	OpClose      Op = "close"
	OpRename     Op = "rename"
	OpRemove     Op = "remove"
	OpMakeFolder Op = "make folder"
)

var interceptor atomic.Pointer[func(op Op, path string, do func() error) error]

// Intercept lets tests replace operations: from then on f is called instead of each operation, which it can execute by
// do. Several goroutines may call f at once. Call restore at the end of the test.
func Intercept(f func(op Op, path string, do func() error) error) (restore func()) {
	interceptor.Store(&f)
	return func() { interceptor.Store(nil) }
}

func operate(op Op, path string, do func() error) error {
	if f := interceptor.Load(); f != nil {
		return (*f)(op, path, do)
	}
	return do()
}

// unlessUnsupported returns the error of a sync if it is a fault: pipes and some network file systems cannot be synced.
func unlessUnsupported(err error) error {
	if IsFault(err) {
		return err
	}
	return nil
}

// faults are the errors of a disk, a network file system or the system, as opposed to those of a wrong path.
var faults = []error{
	syscall.EAGAIN, syscall.EBADMSG, syscall.EBUSY, syscall.EDQUOT, syscall.EFBIG, syscall.EHOSTDOWN,
	syscall.EHOSTUNREACH, syscall.EINTR,
	syscall.EIO, syscall.EMFILE, syscall.ENETDOWN, syscall.ENETUNREACH, syscall.ENFILE, syscall.ENOBUFS, syscall.ENODEV,
	syscall.ENOLCK, syscall.ENOMEM, syscall.ENOSPC, syscall.ENOTCONN, syscall.ENXIO, syscall.EROFS,
	syscall.ESHUTDOWN, syscall.ESTALE, syscall.ETIMEDOUT,
}

// IsFault reports whether err is that of a disk or file system that is full, read-only, unreachable or defective, or of
// a system that lacks other resources. The same operation may succeed later.
func IsFault(err error) bool {
	return slices.ContainsFunc(faults, func(fault error) bool { return errors.Is(err, fault) })
}
