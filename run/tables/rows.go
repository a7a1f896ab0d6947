// Package tables writes tables with a row at some times: quantities of the whole state (conservation.csv), fields at
// gauges, flows through transects, and at the end of a run the same gauges and transects as NetCDF files.
package tables

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/checksum"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/ledger"
	"github.com/atoll-hpc/atoll/run/recorder"
)

// rows is a table file to which rows are appended. A row is in the file at most flushAfter later, even if the run is
// killed. Checkpoints have it on the disk.
type rows struct {
	name       string // in the folder of the run
	lock       sync.Mutex
	file       *atomicfile.File
	w          *bufio.Writer
	length     int64       // of the file in bytes, including buffered rows
	crc        uint32      // checksum of these bytes
	flushTimer *time.Timer // starts a flush; nil if no rows are buffered
	err        error       // error of an earlier flush
}

// fencedFile is a file that rejects writes once another epoch has begun.
type fencedFile struct {
	file  *atomicfile.File
	fence folder.Fence
}

func (f fencedFile) Write(rows []byte) (n int, err error) {
	err = f.fence.Publish(func() error {
		n, err = f.file.Write(rows)
		return err
	})
	return n, err
}

const flushAfter = 500 * time.Millisecond

// openRows creates a table, or truncates an existing one to length bytes and appends to it.
func openRows(fence folder.Fence, name string, length int64) (*rows, error) {
	path := filepath.Join(fence.Dir, name)
	flags := os.O_RDWR | os.O_CREATE
	if length > 0 {
		flags = os.O_RDWR
	}
	file, err := atomicfile.Open(path, flags)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Size() < length {
		err = fmt.Errorf("%s has %d bytes, fewer than the %d at the checkpoint: restore the file, or restart with --force",
			path, info.Size(), length)
	}
	var crc uint32
	if err == nil && length > 0 {
		crc, err = ledger.Checksum(path, length)
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
	return &rows{name: name, file: file, w: bufio.NewWriter(fencedFile{file, fence}), length: length, crc: crc}, nil
}

// add appends a row, which must end with a newline.
func (r *rows) add(row []byte) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.err != nil {
		return r.err
	}
	if r.flushTimer == nil {
		r.flushTimer = time.AfterFunc(flushAfter, r.flush)
	}
	r.length += int64(len(row))
	r.crc = checksum.Update(r.crc, row)
	_, err := r.w.Write(row)
	return err
}

// save flushes all rows, and records the table in the ledger and in a position. A rank without the file has nil.
func (r *rows) save(l *ledger.Ledger, to *recorder.Position) error {
	if r == nil {
		return nil
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if err := errors.Join(r.err, r.w.Flush()); err != nil {
		return err
	}
	l.Table(r.name, r.length, r.crc)
	to.Tables[r.name] = r.length
	return nil
}

// flush writes buffered rows to the file.
func (r *rows) flush() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.flushTimer = nil
	r.err = errors.Join(r.err, r.w.Flush())
}

func (r *rows) close() error {
	if r == nil {
		return nil
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.flushTimer != nil {
		r.flushTimer.Stop()
	}
	return errors.Join(r.err, r.w.Flush(), r.file.Close())
}
