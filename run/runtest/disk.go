package runtest

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// disk simulates a disk that loses power. It knows what runs in a folder have synced, and makes images of the folder:
// what a disk would hold that has lost power at this moment. What was not synced may be there or not: contents of files
// page by page, names of files one by one.
type disk struct {
	t        *testing.T
	root     string
	rng      *rand.Rand
	lock     sync.RWMutex                 // held for writing while an image is made
	state    sync.Mutex                   // of the fields below
	contents map[uint64][]byte            // synced contents of files, by inode
	names    map[string]map[string]uint64 // synced inodes in folders, by path and name
	count    int                          // of operations
	moments  map[int]string               // folders for images, by the operation before which the power fails
}

// newDisk intercepts the operations of runs in the folder root. All that is in it is on the disk.
func newDisk(t *testing.T, root string, seed uint64) *disk {
	t.Helper()
	d := &disk{t: t, root: root, rng: rand.New(rand.NewPCG(seed, 1)), contents: map[uint64][]byte{},
		names: map[string]map[string]uint64{}, moments: map[int]string{}}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return d.sync(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(atomicfile.Intercept(d.operate))
	return d
}

// operate executes an operation. It does not sync, because that takes long, but remembers what would be on the disk.
func (d *disk) operate(op atomicfile.Op, path string, do func() error) error {
	if name, err := filepath.Rel(d.root, path); err != nil || !filepath.IsLocal(name) {
		return do()
	}
	d.state.Lock()
	d.count++
	image := d.moments[d.count]
	d.state.Unlock()
	if image != "" {
		d.lock.Lock()
		if err := d.image(image); err != nil {
			d.t.Error(err)
		}
		d.lock.Unlock()
	}
	d.lock.RLock()
	defer d.lock.RUnlock()
	if op == atomicfile.OpSync {
		return d.sync(path)
	}
	if err := do(); err != nil || op != atomicfile.OpOpen {
		return err
	}
	return d.opened(path)
}

// opened forgets what was on the disk if a file is new: an inode may be used again.
func (d *disk) opened(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Size() > 0 {
		return err
	}
	d.state.Lock()
	defer d.state.Unlock()
	delete(d.contents, inode(info))
	return nil
}

// sync remembers the present contents of a file, or the names in a folder.
func (d *disk) sync(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a file that has been renamed or removed since
	}
	if err != nil {
		return err
	}
	d.state.Lock()
	defer d.state.Unlock()
	if info.IsDir() {
		d.names[path], err = inodes(path)
		return err
	}
	d.contents[inode(info)], err = os.ReadFile(path)
	return err
}

// inode returns the number of a file, which it keeps when it is renamed.
func inode(info fs.FileInfo) uint64 {
	return reflect.ValueOf(info.Sys()).Elem().FieldByName("Ino").Convert(reflect.TypeFor[uint64]()).Uint()
}

// inodes returns the files in a folder.
func inodes(dir string) (map[string]uint64, error) {
	entries, err := os.ReadDir(dir)
	list := map[string]uint64{}
	for _, e := range entries {
		if e.Name()[0] == '.' { // locks, which are held by processes that have ended
			continue
		}
		info, infoErr := e.Info()
		if infoErr != nil {
			return nil, infoErr
		}
		list[e.Name()] = inode(info)
	}
	return list, err
}

// image writes what the disk holds to a new folder.
func (d *disk) image(to string) error {
	d.state.Lock()
	defer d.state.Unlock()
	return d.imageOf(d.root, to)
}

func (d *disk) imageOf(dir, to string) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	now, err := inodes(dir)
	if err != nil {
		return err
	}
	names, synced := map[string]bool{}, d.names[dir]
	for name := range now {
		names[name] = true
	}
	for name := range synced {
		names[name] = true
	}
	for name := range names {
		id, path := synced[name], filepath.Join(dir, name)
		if d.rng.IntN(2) == 0 {
			id = now[name]
		}
		if id == 0 {
			continue
		}
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			if err := d.imageOf(path, filepath.Join(to, name)); err != nil {
				return err
			}
			continue
		}
		var current []byte // nil if the file has lost its name
		if err == nil && now[name] == id {
			if current, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(to, name), d.mix(d.contents[id], current), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// mix returns contents of a file that may be on the disk, page by page: as they were synced, as they are now or, after
// the synced ones, zeros.
func (d *disk) mix(synced, current []byte) []byte {
	const page = 512
	if current == nil || d.rng.IntN(3) == 0 {
		return synced
	}
	mixed := make([]byte, min(len(current), len(synced)+d.rng.IntN(len(current)+1)))
	copy(mixed, synced)
	for at := 0; at < len(mixed); at += page {
		if end := min(at+page, len(mixed)); d.rng.IntN(2) == 0 {
			copy(mixed[at:end], current[at:end])
		}
	}
	return mixed
}
