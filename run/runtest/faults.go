package runtest

import (
	"fmt"
	"maps"
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
	for _, err := range []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EDQUOT, syscall.EROFS} {
		for _, op := range []atomicfile.Op{atomicfile.OpOpen, atomicfile.OpWrite, atomicfile.OpSync, atomicfile.OpClose,
			atomicfile.OpRename} {
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

// damages are ways to damage or forge a file. They return the new contents; nil removes the file.
var damages = map[string]func(text []byte, rng *rand.Rand) []byte{
	"removed":   func([]byte, *rand.Rand) []byte { return nil },
	"emptied":   func([]byte, *rand.Rand) []byte { return []byte{} },
	"truncated": func(text []byte, rng *rand.Rand) []byte { return text[:rng.IntN(len(text))] },
	"zeroed": func(text []byte, rng *rand.Rand) []byte {
		clear(text[rng.IntN(len(text)):])
		return text
	},
	"flipped": func(text []byte, rng *rand.Rand) []byte {
		text[rng.IntN(len(text))] ^= 1 << rng.IntN(8)
		return text
	},
	"longer": func(text []byte, rng *rand.Rand) []byte { return append(text, text[rng.IntN(len(text)):]...) },
	"digit changed": func(text []byte, _ *rand.Rand) []byte {
		if k := slices.IndexFunc(text, func(b byte) bool { return '1' <= b && b <= '8' }); k >= 0 {
			text[k]++
		}
		return text
	},
	"line removed": func(text []byte, rng *rand.Rand) []byte {
		lines := strings.SplitAfter(string(text), "\n")
		k := rng.IntN(len(lines))
		return []byte(strings.Join(slices.Delete(lines, k, k+1), ""))
	},
}

// SurvivesDamage tests that the same command, after a run was killed and one of its files damaged, removed or forged,
// ends with the files of an undisturbed run, or is refused with the name of the file and a remedy; and the same for
// files that are damaged while the run goes on. ATOLL_DAMAGES is the number of damaged files.
func SurvivesDamage(t *testing.T, text string, sets ...string) {
	t.Helper()
	n, seed := attempts(t, "ATOLL_DAMAGES", 12)
	rng := rand.New(rand.NewPCG(seed, 3))
	complete, killed := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "out")
	sets = append(sets, "checkpoint.keep=4")
	if _, err := Run(t, text, 2, 1, Local, complete, sets...); err != nil {
		t.Fatal(err)
	}
	copyAsKilled(t, complete, killed, 1)
	isTemporary := func(name string) bool { return strings.HasPrefix(name, ".") || isPartial(name) }
	ways := slices.Sorted(maps.Keys(damages))
	for k := range n {
		way, dir := ways[k%len(ways)], filepath.Join(t.TempDir(), "out")
		damage := func() string {
			files := slices.DeleteFunc(filesIn(t, dir), isTemporary)
			file := files[rng.IntN(len(files))]
			damageFile(t, filepath.Join(dir, file), way, rng)
			return file
		}
		var file string
		if k%3 > 0 {
			if err := os.CopyFS(dir, os.DirFS(killed)); err != nil {
				t.Fatal(err)
			}
			file = damage()
		} else {
			file = damagedRun(t, text, dir, damage, sets...)
		}
		_, log, err := sameCommand(t, text, Local, dir, sets...)
		if err != nil {
			checkRefusal(t, file, way, err)
		} else if different := differences(t, complete, dir); len(different) > 0 {
			t.Errorf("%s %s: %q\n%s", file, way, different, log)
		}
	}
}

// isPartial reports whether a file has the name of one that is being written.
func isPartial(name string) bool {
	return strings.HasSuffix(name, ".part") || strings.HasSuffix(name, ".tmp")
}

// damageFile changes or removes a file.
func damageFile(t *testing.T, path, way string, rng *rand.Rand) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil && len(text) == 0 {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if text = damages[way](text, rng); text == nil {
		err = os.Remove(path)
	} else {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// damagedRun runs a case, and calls damage when the second checkpoint is complete. If the run ends with an error, it
// must be a refusal.
func damagedRun(t *testing.T, text, dir string, damage func() string, sets ...string) (file string) {
	t.Helper()
	checkpoints := 0
	restore := atomicfile.Intercept(func(op atomicfile.Op, path string, do func() error) error {
		err := do()
		if op == atomicfile.OpRename && filepath.Dir(path) == filepath.Join(dir, "checkpoints") {
			if checkpoints++; checkpoints == 2 {
				file = damage()
			}
		}
		return err
	})
	defer restore()
	if _, _, err := sameCommand(t, text, Local, dir, sets...); err != nil {
		checkRefusal(t, file, "during the run", err)
	}
	return file
}

// checkRefusal checks that an error names a damaged file and a remedy.
func checkRefusal(t *testing.T, file, way string, err error) {
	t.Helper()
	message := err.Error()
	if !strings.Contains(message, filepath.Base(file)) ||
		!strings.Contains(message, "restore") && !strings.Contains(message, "use a newer version") {
		t.Errorf("%s %s: got error %v, want one that names the file and a remedy", file, way, err)
	}
}
