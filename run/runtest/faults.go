package runtest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
)

// faultKind is a fault of a disk: an operation that fails.
type faultKind struct {
	op  atomicfile.Op
	err syscall.Errno
}

// faultKinds are the faults that SurvivesFaults tests.
func faultKinds() (kinds []faultKind) {
	for _, err := range []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EDQUOT, syscall.EROFS, syscall.ESTALE} {
		for _, op := range []atomicfile.Op{atomicfile.OpOpen, atomicfile.OpWrite, atomicfile.OpSync, atomicfile.OpClose,
			atomicfile.OpRename, atomicfile.OpMakeFolder} {
			kinds = append(kinds, faultKind{op, err})
		}
	}
	return kinds
}

// injector makes operations in a folder fail: the one with a number among those of its kind, and with lasting all later
// ones.
type injector struct {
	faultKind
	root    string
	at      int // 0 for none
	lasting bool

	lock   sync.Mutex
	counts map[atomicfile.Op]int
	failed string // the path of the first operation that failed
}

func (i *injector) operate(op atomicfile.Op, path string, do func() error) error {
	if name, err := filepath.Rel(i.root, path); err != nil || !filepath.IsLocal(name) {
		return do()
	}
	i.lock.Lock()
	i.counts[op]++
	n := i.counts[op]
	fails := op == i.op && (n == i.at || i.lasting && i.at > 0 && n > i.at)
	if fails && i.failed == "" {
		i.failed = path
	}
	i.lock.Unlock()
	if !fails {
		if op == atomicfile.OpSync {
			return nil // it takes long, and power does not fail here
		}
		return do()
	}
	if op == atomicfile.OpClose {
		_ = do()
	}
	return &os.PathError{Op: string(op), Path: path, Err: i.err}
}

// SurvivesFaults tests that after a write, or another operation on a file, has failed, the same command ends with the
// files and the hash of an undisturbed run, and continues from the last checkpoint if there is one; and that the run
// reports a fault, unless it can go on without the file, and leaves no unfinished files. ATOLL_FAULTS is the number of
// faults.
func SurvivesFaults(t *testing.T, text string, sets ...string) {
	t.Helper()
	n, seed := attempts(t, "ATOLL_FAULTS", 8)
	rng := rand.New(rand.NewPCG(seed, 2))
	complete := filepath.Join(t.TempDir(), "out")
	counter := &injector{root: complete, counts: map[atomicfile.Op]int{}}
	t.Cleanup(atomicfile.Intercept(counter.operate))
	want, err := Run(t, text, 2, 1, Local, complete, sets...)
	if err != nil {
		t.Fatal(err)
	}
	kinds := faultKinds()
	rng.Shuffle(len(kinds), func(i, k int) { kinds[i], kinds[k] = kinds[k], kinds[i] })
	for k := range n {
		open := []Open{Local, GRPC}[k%2]
		dir := filepath.Join(t.TempDir(), "out")
		i := &injector{faultKind: kinds[k%len(kinds)], root: dir, counts: map[atomicfile.Op]int{}, lasting: rng.IntN(2) == 0}
		i.at = 1 + rng.IntN(counter.counts[i.op])
		atomicfile.Intercept(i.operate)
		_, log, err := sameCommand(t, text, open, dir, sets...)
		i.at = 0
		name := fmt.Sprintf("fault %d: %s %s: %v, lasting %v", k, i.op, i.failed, i.err, i.lasting)
		if err != nil && !run.IsFault(err) {
			t.Errorf("%s: got error %v, want a fault", name, err)
		}
		if err := os.MkdirAll(dir, 0o777); err != nil { // it may be what could not be made
			t.Fatal(err)
		}
		if left := slices.DeleteFunc(filesIn(t, dir), func(name string) bool { return !isPartial(name) }); len(left) > 0 {
			t.Errorf("%s: files %q are left", name, left)
		}
		last, err := folder.Read(dir)
		if err == nil && last.State == folder.Failed {
			t.Errorf("%s: the run is recorded as %s\n%s", name, last.State, log)
		}
		saved, err := checkpoint.List(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, log, err := sameCommand(t, text, open, dir, sets...)
		switch {
		case err != nil:
			t.Errorf("%s: %v\n%s", name, err, log)
			continue
		case got.StateSHA256 != want.StateSHA256:
			t.Errorf("%s: state %s, want %s", name, got.StateSHA256, want.StateSHA256)
		case len(saved) > 0 && last.State != folder.Done && !strings.Contains(log, saved[0]):
			t.Errorf("%s: the run did not continue from %s\n%s", name, saved[0], log)
		}
		if different := differences(t, complete, dir); len(different) > 0 {
			t.Errorf("%s: %q\n%s", name, different, log)
		}
	}
}
