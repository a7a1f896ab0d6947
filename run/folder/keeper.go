package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Operations on locks, which tests make fail as on file systems without locks.
var (
	tryLock  = (*flock.Flock).TryLock
	tryRLock = (*flock.Flock).TryRLock
)

// keeper keeps the lock of a folder for this process: it renews the lease, and looks every renewInterval whether the
// lock file, the epoch and the fence are still those of this process.
type keeper struct {
	dir string

	mu     sync.Mutex
	lock   *flock.Flock // nil on a file system without locks
	file   *os.File     // the lock file
	own    lease
	epoch  *Epoch // as this process has stored it last, nil before
	fence  fenceWatch
	told   map[string]bool // problems that still exist and were told
	lost   error           // another run holds the folder
	notify func(line string)
	onLost func(err error)

	ending sync.Once
	stop   chan struct{}
	done   chan struct{}
}

func lockPath(dir string) string { return filepath.Join(dir, lockFile) }

// acquire locks the lock file of a folder. It returns an error if another process holds the folder. The lock is nil on
// a file system without locks.
func acquire(dir string) (*flock.Flock, error) {
	path := lockPath(dir)
	lock := flock.New(path)
	locked, err := tryLock(lock)
	switch {
	case withoutLocks(err):
		if err := lock.Close(); err != nil {
			return nil, err
		}
		lock = nil
	case err != nil:
		return nil, errors.Join(fmt.Errorf("%s cannot be locked: %w", dir, err), lock.Close())
	case !locked:
		return nil, errors.Join(inUse(dir, lockOwner(path)), lock.Close())
	}
	if l, lives := awaitHolder(path); lives {
		return nil, errors.Join(inUse(dir, l.Holder), closeLock(lock))
	}
	return lock, nil
}

func closeLock(lock *flock.Flock) error {
	if lock == nil {
		return nil
	}
	return lock.Close()
}

func inUse(dir, owner string) error {
	return fmt.Errorf("%s is in use by %s: wait until that run ends, or choose another folder with --out", dir, owner)
}

// lockOwner returns who has locked a lock file.
func lockOwner(path string) string {
	if l, found := readLease(path); found {
		return l.Holder
	}
	return fmt.Sprintf("a process that has locked %s and is not a run of this version (lsof or fuser name it)", path)
}

// keep holds a folder with a lock that acquire has returned, until release.
func keep(dir string, lock *flock.Flock) (*keeper, error) {
	k := &keeper{dir: dir, lock: lock, own: newLease(), told: map[string]bool{}, notify: func(string) {},
		onLost: func(error) {}, stop: make(chan struct{}), done: make(chan struct{})}
	k.own.Epoch = storedEpoch(dir)
	var err error
	if k.file, err = os.OpenFile(lockPath(dir), os.O_RDWR|os.O_CREATE, 0o666); err == nil {
		err = k.renew()
	}
	if err == nil && lock == nil { // of processes that start at the same time the last to write stays
		time.Sleep(renewInterval / 5)
		if l, found := readLease(lockPath(dir)); !found || l.ID != k.own.ID {
			err = inUse(dir, l.Holder)
		}
	}
	if err != nil {
		return nil, errors.Join(err, k.closeFiles())
	}
	go k.run()
	return k, nil
}

// renew writes the lease. The caller holds the lock of k.
func (k *keeper) renew() error {
	k.own.Renewed++
	content, err := k.own.encode()
	if err == nil {
		_, err = k.file.WriteAt(content, 0)
	}
	return err
}

func (k *keeper) closeFiles() error {
	var err error
	if k.file != nil {
		err = k.file.Close()
	}
	return errors.Join(err, closeLock(k.lock))
}

// release removes temporary files and gives the folder up. The epoch stays in the lock file.
func (k *keeper) release() error {
	k.end()
	var err error
	if k.lost == nil {
		err = removeTemporaries(k.dir)
		k.own.ID, k.own.Holder = "", "nobody"
		_ = k.renew() // if it fails the lease becomes void by itself
	}
	return errors.Join(err, k.closeFiles())
}

// end ends the goroutine of k.
func (k *keeper) end() {
	k.ending.Do(func() { close(k.stop) })
	<-k.done
}

// watch sets who is told of problems, and of the loss of the folder.
func (k *keeper) watch(notify func(line string), onLost func(err error)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.notify, k.onLost = notify, onLost
}

func (k *keeper) run() {
	defer close(k.done)
	tick := time.NewTicker(renewInterval)
	defer tick.Stop()
	for {
		select {
		case <-k.stop:
			return
		case <-tick.C:
		}
		k.mu.Lock()
		if k.lost = k.look(); k.lost == nil && k.epoch != nil {
			if k.lost = k.lookAtEpoch(); k.lost == nil {
				k.lookAtFence()
			}
		}
		lost, onLost := k.lost, k.onLost
		k.mu.Unlock()
		if lost != nil {
			onLost(lost)
			<-k.stop
			return
		}
	}
}

// tell tells of a problem, once until it has gone.
func (k *keeper) tell(problem, line string) {
	if !k.told[problem] {
		k.told[problem] = true
		k.notify(line)
	}
}

// look renews the lease, or makes the lock file again if it was removed. It returns an error if another run holds the
// folder.
func (k *keeper) look() error {
	path := lockPath(k.dir)
	l, found := readLease(path)
	s := sight{found: found, own: l.ID == k.own.ID, sameFile: isSame(path, k.file)}
	var lock *flock.Flock
	if !s.sameFile && !found {
		lock = flock.New(path)
		locked, err := tryLock(lock)
		s.lockable = locked || withoutLocks(err)
		if !locked {
			_ = lock.Close() // it holds nothing
			lock = nil
		}
	}
	const problem = lockFile
	switch judge(s) {
	case replaced:
		return &ReplacedError{k.dir, l.Holder}
	case foreign:
		k.tell(problem, fmt.Sprintf("%s was replaced by a file that another process has locked: end that process, since no "+
			"lock keeps a second run out of this folder now", path))
		return nil
	case removed:
		k.notify(fmt.Sprintf("%s was removed or overwritten; made again", path))
		if !s.sameFile {
			file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
			if err != nil {
				k.tell(problem, err.Error())
				_ = closeLock(lock) // the next look tries again
				return nil
			}
			_ = k.closeFiles() // of the removed file
			k.lock, k.file = lock, file
		}
	}
	if err := k.renew(); err != nil {
		k.tell(problem, fmt.Sprintf("the lease in %s is not renewed, and other runs may take the folder: %v", path, err))
		return nil
	}
	delete(k.told, problem)
	return nil
}

// isSame reports whether an open file is the one at the path.
func isSame(path string, file *os.File) bool {
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	open, err := file.Stat()
	return err == nil && os.SameFile(there, open)
}
