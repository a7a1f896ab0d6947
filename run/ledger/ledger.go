// Package ledger keeps account of the files that a run writes to its folder. A Ledger, one on each rank, has their
// checksums, which those who write them compute, and syncs the files in the background, some time later and many at a
// time, so that neither steps nor those who write the next files wait for the disk. A Mark is the state of the files at
// one step: a checkpoint counts them only when all of them are on the disk, and a run that continues compares them with
// what it finds (see Sum.Check).
package ledger

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/checksum"
)

// Files are sums by the paths of files in the folder of a run, with / on every system.
type Files map[string]Sum

// Ledger has the files that one rank has written. Methods may be called on nil, and then do nothing: a run without a
// folder has no files.
type Ledger struct {
	dir  string
	open atomic.Int64 // files that Sync has been given

	lock   sync.Mutex
	queue  []task
	active bool  // a goroutine works on the queue
	err    error // the first error; no task after it is done

	// used by the goroutine of the queue only
	files   Files
	growing map[string]*running
	changed map[string]bool // files and folders to sync before the next mark
	waiting []func() error  // each syncs a file
	timed   bool            // a timer will end their wait
}

// task is a change of the ledger, in the order of the queue.
type task struct {
	add     string              // path of a file to record and to sync, "" for none
	written atomicfile.Contents // of this file
	file    *os.File            // an open file to sync and close, nil for none
	update  func() error        // other changes, nil for none
	sync    bool                // sync the files that wait for it
	done    chan struct{}       // of a mark: sync all that has changed, then close it
}

// New returns the ledger of a rank for a run in a folder.
func New(dir string) *Ledger {
	return &Ledger{dir: dir, files: Files{}, growing: map[string]*running{}, changed: map[string]bool{}}
}

// Add records a file that is complete: it will not change any more. written has what all ranks have written to it; if
// that does not cover the file, it is read.
func (l *Ledger) Add(path string, written atomicfile.Contents) {
	l.enqueue(task{add: path, written: written})
}

// Sync syncs a file to which this rank has written a part, and which another rank records under a name that it may not
// have yet. It closes f, which may be open for reading. If the disk is so slow that many files wait, so does Sync.
func (l *Ledger) Sync(f *os.File) error {
	if l == nil {
		return f.Close()
	}
	if l.open.Add(1) > maxOpen {
		defer l.open.Add(-1)
		return syncAndClose(f)
	}
	l.enqueue(task{file: f})
	return nil
}

func syncAndClose(f *os.File) error {
	return errors.Join((&atomicfile.File{File: f}).Sync(), f.Close())
}

// maxOpen is the largest number of open files that wait to be synced.
const maxOpen = 64

// Changed syncs a file before the next mark: one that grows, to which this rank has written.
func (l *Ledger) Changed(path string) {
	l.enqueue(task{update: func() error {
		l.change(path)
		return nil
	}})
}

// Grow records that a file has grown to size bytes. Its sum covers the bytes from the given one on; those before it may
// change. written has checksums of what all ranks have added; if they do not cover it, the file is read.
func (l *Ledger) Grow(path string, from, size int64, written checksum.Parts) {
	l.enqueue(task{update: func() error {
		l.change(path)
		r := l.growing[path]
		if r == nil {
			r = &running{Sum{From: from, Size: from, Grows: true}}
			l.growing[path] = r
		}
		return r.lose(r.extend(l.path(path), size, written))
	}})
}

// Table records a file that grows, with the checksum of all its size bytes.
func (l *Ledger) Table(path string, size int64, crc uint32) {
	l.enqueue(task{update: func() error {
		l.change(path)
		l.files[path] = Sum{Size: size, CRC: crc, Grows: true}
		return nil
	}})
}

// Resume records files that an earlier process has written, and that were compared with their sums.
func (l *Ledger) Resume(files Files) {
	l.enqueue(task{update: func() error {
		for path, sum := range files {
			if sum.Grows && sum.From > 0 {
				l.growing[path] = &running{sum}
			} else if !sum.Grows {
				l.files[path] = sum
			}
		}
		return nil
	}})
}

// Err returns the first error: a file could not be synced, or not be read.
func (l *Ledger) Err() error {
	if l == nil {
		return nil
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.err
}

// Mark is the state of the files of a rank at one time.
type Mark struct {
	ledger *Ledger
	done   chan struct{}
	files  Files
}

// Mark begins to sync all files as they are now. Later changes are not part of the mark.
func (l *Ledger) Mark() *Mark {
	m := &Mark{ledger: l, done: make(chan struct{})}
	if l == nil {
		close(m.done)
		return m
	}
	l.enqueue(task{done: m.done, update: func() error {
		m.files = maps.Clone(l.files)
		for path, r := range l.growing {
			m.files[path] = r.Sum
		}
		return nil
	}})
	return m
}

// Wait returns the files when they, and the folders with their names, are on the disk. A nil mark has no files.
func (m *Mark) Wait() (Files, error) {
	if m == nil {
		return nil, nil
	}
	<-m.done
	return m.files, m.ledger.Err()
}

func (l *Ledger) enqueue(t task) {
	if l == nil {
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	l.queue = append(l.queue, t)
	if !l.active {
		l.active = true
		go l.work()
	}
}

// work does the tasks of the queue until it is empty, as many at a time as it finds: a file system syncs many files
// faster than one after the other.
func (l *Ledger) work() {
	for {
		l.lock.Lock()
		batch, failed := l.queue, l.err != nil
		l.queue, l.active = nil, len(batch) > 0
		l.lock.Unlock()
		if len(batch) == 0 {
			return
		}
		if err := l.do(batch, failed); err != nil {
			l.lock.Lock()
			l.err = errors.Join(l.err, err)
			l.lock.Unlock()
		}
		for _, t := range batch {
			if t.done != nil {
				close(t.done)
			}
		}
	}
}

// do does a batch of tasks. After a failure it only syncs files that are open, and closes them.
func (l *Ledger) do(batch []task, failed bool) error {
	var errs []error
	marked, now := false, false
	for _, t := range batch {
		if t.file != nil {
			l.waiting = append(l.waiting, func() error {
				defer l.open.Add(-1)
				return syncAndClose(t.file)
			})
		}
		marked, now = marked || t.done != nil, now || t.sync
		if failed || len(errs) > 0 {
			continue
		}
		var err error
		if t.update != nil {
			err = t.update()
		}
		if t.add != "" {
			if err = l.sum(t.add, t.written); err == nil {
				l.waiting = append(l.waiting, func() error { return l.syncFile(t.add) })
				l.changed[path.Dir(t.add)] = true
			}
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	if l.timed = l.timed && !now; marked || now || len(l.waiting) >= maxOpen {
		errs = append(errs, l.syncWaiting())
	} else if len(l.waiting) > 0 && !l.timed {
		l.timed = true
		time.AfterFunc(syncDelay, func() { l.enqueue(task{sync: true}) })
	}
	if marked && !failed && errors.Join(errs...) == nil {
		errs = append(errs, l.syncChanged())
	}
	return errors.Join(errs...)
}

// syncDelay is the longest time for which a file waits until it is synced. While a disk writes, the file system is
// slower for those who write the next frame; the loop of a run that ends within that time does not notice.
const syncDelay = time.Second

// syncWaiting syncs the files that wait for it.
func (l *Ledger) syncWaiting() error {
	var group errgroup.Group
	group.SetLimit(syncsAtOnce)
	for _, sync := range l.waiting {
		group.Go(sync)
	}
	l.waiting = nil
	return group.Wait()
}

// syncsAtOnce is the number of files that are synced at a time.
const syncsAtOnce = 8

// change makes the next mark sync a file and its folder.
func (l *Ledger) change(name string) { l.changed[name], l.changed[path.Dir(name)] = true, true }

// sum records a file. One that somebody has removed is recorded as missing.
func (l *Ledger) sum(path string, written atomicfile.Contents) error {
	r := running{}
	err := r.whole(l.path(path), written)
	err = r.lose(err)
	l.files[path] = r.Sum
	return err
}

// path returns the path of a file in the folder of the run.
func (l *Ledger) path(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) }

// syncChanged syncs files that have grown, and folders with new files.
func (l *Ledger) syncChanged() error {
	var group errgroup.Group
	group.SetLimit(syncsAtOnce)
	for path := range l.changed {
		group.Go(func() error { return l.syncFile(path) })
	}
	clear(l.changed)
	return group.Wait()
}

func (l *Ledger) syncFile(path string) error {
	if err := atomicfile.Sync(l.path(path)); !errors.Is(err, fs.ErrNotExist) { // else it is lost, as Check will find
		return err
	}
	return nil
}
