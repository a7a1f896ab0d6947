package run

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/checksum"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/ledger"
	"github.com/atoll-hpc/atoll/solvers"
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

// count flushes all rows, records the table in the ledger, and returns its length in bytes.
func (r *rows) count(l *ledger.Ledger) (int64, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if err := errors.Join(r.err, r.w.Flush()); err != nil {
		return 0, err
	}
	l.Table(r.name, r.length, r.crc)
	return r.length, nil
}

// flush writes buffered rows to the file.
func (r *rows) flush() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.flushTimer = nil
	r.err = errors.Join(r.err, r.w.Flush())
}

func (r *rows) close() error {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.flushTimer != nil {
		r.flushTimer.Stop()
	}
	return errors.Join(r.err, r.w.Flush(), r.file.Close())
}

// conservationTable writes conservation.csv: quantities that the solver measures during the run, mainly conserved ones.
type conservationTable struct {
	rows      *rows
	row       []byte
	hasHeader bool
}

const conservationFile = "conservation.csv"

// openConservationTable creates the table, or truncates an existing one to length bytes and appends to it.
func openConservationTable(fence folder.Fence, length int64) (*conservationTable, error) {
	rows, err := openRows(fence, conservationFile, length)
	if err != nil {
		return nil, err
	}
	return &conservationTable{rows: rows, hasHeader: length > 0}, nil
}

// writeRow adds a row of the quantities that are columns. The first call writes the header.
func (c *conservationTable) writeRow(now solvers.Clock, table []solvers.Quantity) error {
	c.row = c.row[:0]
	if !c.hasHeader {
		c.hasHeader = true
		titles := []string{"step", "t", "dt"}
		for _, v := range table {
			if v.Outputs&solvers.Column != 0 {
				titles = append(titles, v.Name)
			}
		}
		var header bytes.Buffer
		w := csv.NewWriter(&header) // names of groups may have commas
		err := w.Write(titles)
		if w.Flush(); errors.Join(err, w.Error()) != nil {
			return errors.Join(err, w.Error())
		}
		c.row = append(c.row, header.Bytes()...)
	}
	c.row = strconv.AppendInt(c.row, int64(now.Steps), 10)
	add := func(v float64) { c.row = strconv.AppendFloat(append(c.row, ','), v, 'g', -1, 64) }
	add(now.Time)
	add(now.Dt)
	for _, v := range table {
		if v.Outputs&solvers.Column != 0 {
			add(v.Value)
		}
	}
	c.row = append(c.row, '\n')
	return c.rows.add(c.row)
}

func (c *conservationTable) close() error { return c.rows.close() }
