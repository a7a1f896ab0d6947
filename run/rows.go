package run

import (
	"bufio"
	"errors"
	"os"
	"sync"
	"time"
)

// rows is a table that grows by rows. Each is on the disk at most flushAfter later, whatever becomes of the run.
type rows struct {
	lock    sync.Mutex
	file    *os.File
	w       *bufio.Writer
	waiting *time.Timer // of a flush; nil if nothing waits
	err     error       // of a flush
}

const flushAfter = 500 * time.Millisecond

func openRows(path string) (*rows, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &rows{file: file, w: bufio.NewWriter(file)}, nil
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
	_, err := r.w.Write(row)
	return err
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
