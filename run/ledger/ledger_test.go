package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/checksum"
)

// write writes a file in the folder of a ledger.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// newRun returns the ledger of a run with two frames, a table and a file with records, and its files.
func newRun(t *testing.T) (dir string, files Files) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"frames/a.vtu": "one", "frames/b.vtu": "two", "t.csv": "t,h\n0,1\n",
		"a.nc": "CDF 0 records"} {
		write(t, dir, name, text)
	}
	l := New(dir)
	l.Add("frames/a.vtu", atomicfile.Contents{})
	l.Table("t.csv", 4, checksum.Update(0, []byte("t,h\n")))
	l.Grow("a.nc", 6, 10, nil)
	l.Grow("a.nc", 6, 13, nil)
	l.Add("frames/b.vtu", atomicfile.Contents{})
	files, err := l.Mark().Wait()
	if err != nil || len(files) != 4 {
		t.Fatalf("got files %v, %v; want 4", files, err)
	}
	return dir, files
}

// TestDamageIsFound checks that Check finds every change of what was written, and accepts what may change: rows that
// follow, and the number of records.
func TestDamageIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string // "-" to remove it, "/" to replace it by a folder
		want       string
	}{
		"nothing":         {"other", "", ""},
		"more rows":       {"t.csv", "t,h\n0,1\n1,1\n", ""},
		"another row":     {"t.csv", "t,h\n0,2\n", ""},
		"one more record": {"a.nc", "CDF 1 records, more", ""},
		"missing frame":   {"frames/a.vtu", "-", "a.vtu is missing"},
		"longer frame":    {"frames/a.vtu", "one and more", "a.vtu has 12 bytes, not the 3"},
		"shorter frame":   {"frames/b.vtu", "tw", "b.vtu has 2 bytes"},
		"empty frame":     {"frames/b.vtu", "", "b.vtu has 0 bytes"},
		"flipped bit":     {"frames/b.vtu", "twn", "b.vtu has other contents"},
		"shorter table":   {"t.csv", "t,", "t.csv has 2 bytes"},
		"other table":     {"t.csv", "t;h\n0,1\n", "t.csv has other contents"},
		"other records":   {"a.nc", "CDF 0 Records", "a.nc has other contents"},
		"missing records": {"a.nc", "-", "a.nc is missing"},
		"folder":          {"a.nc", "/", "a.nc is not a file"},
	} {
		dir, files := newRun(t)
		path := filepath.Join(dir, c.file)
		switch c.text {
		case "-":
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		case "/":
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil {
				t.Fatal(err)
			}
		default:
			write(t, dir, c.file, c.text)
		}
		for _, trust := range []bool{false, true} {
			err := files.Check(dir, 0, 1, trust)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, times trusted: %v: got error %v, want %q", name, trust, err, c.want)
			}
			var damaged *Damaged
			found := 0
			for part := range 3 { // one of three ranks finds it
				if errors.As(files.Check(dir, part, 3, trust), &damaged) {
					found++
				}
			}
			if want := min(len(c.want), 1); found != want {
				t.Errorf("%s: found by %d of 3 ranks, want %d", name, found, want)
			}
		}
	}
}

// TestLostFilesAreReportedLater checks that a file which somebody removes or truncates before the ledger has read it
// is no error then, but when it is compared.
func TestLostFilesAreReportedLater(t *testing.T) {
	dir := t.TempDir()
	l := New(dir)
	l.Add("gone.vtu", atomicfile.Contents{})
	write(t, dir, "a.nc", "CDF")
	l.Grow("a.nc", 1, 10, nil)
	l.Grow("a.nc", 1, 12, nil)
	files, err := l.Mark().Wait()
	if err != nil || len(files) != 2 {
		t.Fatalf("got files %v, %v; want 2", files, err)
	}
	write(t, dir, "gone.vtu", "back")
	write(t, dir, "a.nc", "CDF with holes")
	for name := range files {
		one := Files{name: files[name]}
		if err := one.Check(dir, 0, 1, true); !errors.As(err, new(*Damaged)) {
			t.Errorf("%s: got error %v, want Damaged", name, err)
		}
	}
}

// TestWrittenFilesAreNotRead checks that the ledger takes the checksums of those who write: a file that somebody
// changes, truncates or removes between the write and the entry is found by Check.
func TestWrittenFilesAreNotRead(t *testing.T) {
	text, half := []byte("CDF 0 one"), []byte(" two")
	record := func(at int64, b []byte) checksum.Parts {
		var r checksum.Recorder
		r.Put(at, b)
		return r.Parts()
	}
	for name, c := range map[string]struct {
		now, want string // the file when it is entered, "-" for none; the error at the end
	}{
		"as written": {"CDF 0 one two", ""},
		"shorter":    {"CDF 0 one", "has 9 bytes, not the 13"},
		"longer":     {"CDF 0 one two three", "has 19 bytes, not the 13"},
		"removed":    {"-", "is missing"},
		"other":      {"CDF 1 one two", "has other contents"},
	} {
		dir := t.TempDir()
		if c.now != "-" {
			write(t, dir, "a", c.now)
			write(t, dir, "b", c.now)
		}
		l := New(dir)
		l.Add("a", atomicfile.Contents{Parts: append(record(0, text), record(int64(len(text)), half)...)})
		l.Grow("b", 6, 9, append(record(0, text[:6]), record(6, text[6:])...))
		l.Grow("b", 6, 13, record(9, half))
		files, err := l.Mark().Wait()
		if err != nil {
			t.Fatal(err)
		}
		one := Files{"a": files["a"]}
		if err := one.Check(dir, 0, 1, true); (err == nil) != (c.want == "") ||
			err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
		if got, want := files["b"].CRC, checksum.Update(0, []byte("one two")); got != want {
			t.Errorf("%s: got %#x for what was added, want %#x", name, got, want)
		}
	}
}

// TestMarkSyncsWhatItCounts checks that a mark has the files as they were when it was made, that they and their folders
// are synced when Wait returns.
func TestMarkSyncsWhatItCounts(t *testing.T) {
	dir := t.TempDir()
	var lock sync.Mutex
	var synced []string
	defer atomicfile.Intercept(func(op atomicfile.Op, path string, do func() error) error {
		lock.Lock()
		defer lock.Unlock()
		name, err := filepath.Rel(dir, path)
		synced = append(synced, string(op)+" "+filepath.ToSlash(name))
		return errors.Join(err, do())
	})()
	for name, text := range map[string]string{"frames/a.vtu": "one", "frames/b.vtu": "two", "t.csv": "t,h\n"} {
		write(t, dir, name, text)
	}
	l := New(dir)
	l.Add("frames/a.vtu", atomicfile.Contents{})
	l.Table("t.csv", 2, 1)
	l.Table("t.csv", 4, 2)
	part, err := os.Open(filepath.Join(dir, "frames", "b.vtu"))
	if err != nil {
		t.Fatal(err)
	}
	first := l.Mark()
	if err := l.Sync(part); err != nil {
		t.Fatal(err)
	}
	second := l.Mark()
	l.Table("t.csv", 5, 3)
	files, err := first.Wait()
	if err != nil || files["t.csv"].Size != 4 {
		t.Errorf("the first mark has %v, %v; want 4 bytes of t.csv", files, err)
	}
	if _, err := second.Wait(); err != nil {
		t.Fatal(err)
	}
	lock.Lock()
	defer lock.Unlock()
	slices.Sort(synced)
	want := []string{"sync .", "sync frames", "sync frames/a.vtu", "sync frames/b.vtu", "sync t.csv"}
	if got := slices.Compact(synced); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSyncsAreBatched checks that files are not synced at once, which would slow down those who write the next ones,
// but after a delay, or if many wait.
func TestSyncsAreBatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var synced atomic.Int64
		defer atomicfile.Intercept(func(atomicfile.Op, string, func() error) error {
			synced.Add(1)
			return nil
		})()
		l := New(dir)
		for _, c := range []struct {
			files int
			delay time.Duration
			want  int64
		}{{3, 0, 0}, {2, syncDelay - 1, 0}, {0, 1, 5}, {1, syncDelay / 2, 5}, {0, syncDelay, 6}, {maxOpen, 0, 6 + maxOpen}} {
			for k := range c.files {
				name := fmt.Sprint(k)
				write(t, dir, name, name)
				l.Add(name, atomicfile.Contents{})
			}
			time.Sleep(c.delay)
			synctest.Wait()
			if got := synced.Load(); got != c.want {
				t.Errorf("%d files and %v later, %d syncs, want %d", c.files, c.delay, got, c.want)
			}
		}
		if _, err := l.Mark().Wait(); err != nil || synced.Load() != 6+maxOpen+1 { // the folder
			t.Errorf("got %d syncs, error %v", synced.Load(), err)
		}
		time.Sleep(2 * syncDelay)
	})
}

// TestSyncErrorsEndTheRun checks that an error of a sync is returned by this mark and all later ones: the file system
// may have dropped the data, and the next sync would succeed.
func TestSyncErrorsEndTheRun(t *testing.T) {
	for _, file := range []string{"a.vtu", "t.csv", "."} {
		dir := t.TempDir()
		write(t, dir, "a.vtu", "one")
		write(t, dir, "t.csv", "t\n")
		failures := 0
		restore := atomicfile.Intercept(func(_ atomicfile.Op, path string, do func() error) error {
			if path == filepath.Join(dir, file) && failures == 0 {
				failures++
				return &os.PathError{Op: "sync", Path: path, Err: syscall.EIO}
			}
			return do()
		})
		l := New(dir)
		for k := range 3 {
			l.Add("a.vtu", atomicfile.Contents{})
			l.Table("t.csv", 2, 1)
			if _, err := l.Mark().Wait(); !errors.Is(err, syscall.EIO) || !errors.Is(l.Err(), syscall.EIO) {
				t.Errorf("%s, mark %d: got error %v, want %v", file, k, err, syscall.EIO)
			}
		}
		restore()
	}
}

// TestNoLedger checks that a run without a folder needs no ledger.
func TestNoLedger(t *testing.T) {
	var l *Ledger
	l.Add("a", atomicfile.Contents{})
	l.Grow("b", 0, 1, nil)
	l.Resume(nil)
	if files, err := l.Mark().Wait(); len(files) > 0 || err != nil || l.Err() != nil {
		t.Errorf("got %v, %v", files, err)
	}
}
