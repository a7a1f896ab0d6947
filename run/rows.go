package run

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/run/folder"
)

// rows is a table that grows by rows. Each is on the disk at most flushAfter later, whatever becomes of the run.
type rows struct {
	lock    sync.Mutex
	file    *os.File
	w       *bufio.Writer
	length  int64       // of the file, with what is not written yet
	waiting *time.Timer // of a flush; nil if nothing waits
	err     error       // of a flush
}

// fenced is a file to which nothing is written any more once another epoch has begun.
type fenced struct {
	file  *os.File
	fence folder.Fence
}

func (f fenced) Write(rows []byte) (n int, err error) {
	err = f.fence.Publish(func() error {
		n, err = f.file.Write(rows)
		return err
	})
	return n, err
}

const flushAfter = 500 * time.Millisecond

// openRows begins a table, or continues with one behind its first so many bytes; what a run wrote later is cut off.
func openRows(fence folder.Fence, name string, length int64) (*rows, error) {
	path := filepath.Join(fence.Dir, name)
	flags := os.O_RDWR | os.O_CREATE
	if length > 0 {
		flags = os.O_RDWR
	}
	file, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Size() < length {
		err = fmt.Errorf("%s has %d bytes, less than the %d that it had at the checkpoint", path, info.Size(), length)
	}
	if err == nil {
		err = fence.Publish(func() error { return file.Truncate(length) })
	}
	if err == nil {
		_, err = file.Seek(length, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &rows{file: file, w: bufio.NewWriter(fenced{file, fence}), length: length}, nil
}

// add adds a row, with its end of line.
func (r *rows) add(row []byte) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.err != nil {
		return r.err
	}
	if r.waiting == nil {
		r.waiting = time.AfterFunc(flushAfter, r.flush)
	}
	r.length += int64(len(row))
	_, err := r.w.Write(row)
	return err
}

// sync brings all rows to the disk, and returns how many bytes there are.
func (r *rows) sync() (int64, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if err := errors.Join(r.err, r.w.Flush()); err != nil {
		return 0, err
	}
	_ = r.file.Sync() // as in flush
	return r.length, nil
}

// flush brings what was added to the disk. Rows may be added while the disk is busy.
func (r *rows) flush() {
	r.lock.Lock()
	r.waiting = nil
	r.err = errors.Join(r.err, r.w.Flush())
	r.lock.Unlock()
	_ = r.file.Sync() // not all files can be: what matters is that the system has it
}

func (r *rows) close() error {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.waiting != nil {
		r.waiting.Stop()
	}
	return errors.Join(r.err, r.w.Flush(), r.file.Close())
}
