package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
)

// inBubble runs a test with a clock that moves when all wait.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t)
		synctest.Wait()
	})
}

// withLocks replaces the operations on locks for a test.
func withLocks(t *testing.T, try func(*flock.Flock) (bool, error)) {
	t.Helper()
	exclusive, shared := tryLock, tryRLock
	t.Cleanup(func() { tryLock, tryRLock = exclusive, shared })
	tryLock = func(lock *flock.Flock) (bool, error) {
		file, err := os.OpenFile(lock.Path(), os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return false, err
		}
		_ = file.Close()
		return try(lock)
	}
	tryRLock = tryLock
}

// told collects what the holder of a folder is told.
type told struct {
	lines []string
	lost  error
}

func (w *told) of(f *Folder) *told {
	f.Watch(func(line string) { w.lines = append(w.lines, line) }, func(err error) { w.lost = err })
	return w
}

// contains waits until the goroutine that tells has nothing more to do.
func (w *told) contains(text string) bool {
	synctest.Wait()
	return strings.Contains(strings.Join(w.lines, "\n"), text)
}

// TestWatchHolder: when a process that finds a lease may take the folder.
func TestWatchHolder(t *testing.T) {
	first := lease{ID: "a", Renewed: 4}
	for name, c := range map[string]struct {
		now          lease
		found, ended bool
		watched      time.Duration
		want         holderState
	}{
		"at first":                  {first, true, false, 0, holderUnknown},
		"not renewed yet":           {first, true, false, leaseTime - 1, holderUnknown},
		"not renewed in time":       {first, true, false, leaseTime, holderGone},
		"its process has ended":     {first, true, true, 0, holderGone},
		"renewed":                   {lease{ID: "a", Renewed: 5}, true, false, 0, holderLives},
		"renewed at the last":       {lease{ID: "a", Renewed: 5}, true, false, leaseTime, holderLives},
		"taken by another":          {lease{ID: "b", Renewed: 4}, true, false, 1, holderLives},
		"given up":                  {lease{}, false, false, 1, holderGone},
		"overwritten by a stranger": {lease{}, false, false, leaseTime, holderGone},
	} {
		if got := watchHolder(first, c.now, c.found, c.ended, c.watched); got != c.want {
			t.Errorf("%s: got state %d, want %d", name, got, c.want)
		}
	}
}

// TestJudge: what the holder of a folder makes of the lock file.
func TestJudge(t *testing.T) {
	for s, want := range map[sight]holding{
		{sameFile: true, found: true, own: true}:  held,
		{sameFile: true, found: true, own: false}: replaced,
		{found: true, lockable: true}:             replaced,
		{found: true}:                             replaced,
		{sameFile: true}:                          removed,
		{lockable: true}:                          removed,
		{lockable: true, found: true, own: true}:  removed, // a copy of the file
		{}:                                        foreign,
	} {
		if got := judge(s); got != want {
			t.Errorf("%+v: got %d, want %d", s, got, want)
		}
	}
}

// TestStepFence: a fence file that is locked is replaced at the second look.
func TestStepFence(t *testing.T) {
	for c, want := range map[struct {
		s              fenceState
		same, lockable bool
	}]struct {
		fenceState
		fenceAction
	}{
		{fenceFree, true, true}:      {fenceFree, fenceKeep},
		{fenceFree, false, true}:     {fenceFree, fenceTell},
		{fenceFree, true, false}:     {fenceBlocked, fenceKeep},
		{fenceFree, false, false}:    {fenceBlocked, fenceKeep},
		{fenceBlocked, true, true}:   {fenceFree, fenceKeep},
		{fenceBlocked, false, true}:  {fenceFree, fenceTell},
		{fenceBlocked, true, false}:  {fenceFree, fenceReplace},
		{fenceBlocked, false, false}: {fenceFree, fenceReplace},
	} {
		if s, a := stepFence(c.s, c.same, c.lockable); s != want.fenceState || a != want.fenceAction {
			t.Errorf("%+v: got %d, %d, want %+v", c, s, a, want)
		}
	}
}

// TestJudgeEpoch: which epochs in the file mean that another run has taken the folder.
func TestJudgeEpoch(t *testing.T) {
	mine := Epoch{Epoch: 5, Holder: "a"}
	for _, c := range []struct {
		file Epoch
		err  error
		want epochFinding
	}{
		{mine, nil, epochOwn}, {Epoch{Epoch: 6, Holder: "b"}, nil, epochReplaced},
		{Epoch{Epoch: 6, Holder: "a"}, nil, epochOwn}, {Epoch{Epoch: 6}, nil, epochOwn},
		{Epoch{Epoch: 4, Holder: "b"}, nil, epochDamaged}, {Epoch{}, nil, epochDamaged},
		{Epoch{Epoch: 6, Holder: "b"}, os.ErrInvalid, epochDamaged},
	} {
		if got := judgeEpoch(mine, c.file, c.err); got != c.want {
			t.Errorf("%+v, %v: got %d, want %d", c.file, c.err, got, c.want)
		}
	}
}

// TestLocksThatDoNotMeet: where file locks hold on one machine only, or do not exist, a second run is refused while the
// first one renews its lease, and may begin when it has ended.
func TestLocksThatDoNotMeet(t *testing.T) {
	for name, try := range map[string]func(*flock.Flock) (bool, error){
		"on one machine": func(*flock.Flock) (bool, error) { return true, nil },
		"ENOSYS":         func(*flock.Flock) (bool, error) { return false, syscall.ENOSYS },
		"EOPNOTSUPP":     func(*flock.Flock) (bool, error) { return false, &os.PathError{Err: syscall.EOPNOTSUPP} },
		"ENOLCK":         func(*flock.Flock) (bool, error) { return false, syscall.ENOLCK },
	} {
		t.Run(name, func(t *testing.T) {
			withLocks(t, try)
			if name == "on one machine" { // ranks of one machine share a lock
				tryRLock = (*flock.Flock).TryRLock
			}
			inBubble(t, func(t *testing.T) {
				dir := t.TempDir()
				first := lockFolder(t, dir)
				watch := new(told).of(first)
				epoch := raise(t, first)
				for range 5 {
					if _, err := Lock(dir); err == nil || !strings.Contains(err.Error(), "is in use by process ") {
						t.Errorf("a second run: %v", err)
					}
					if inUse, err := InUse(dir); err != nil || !inUse {
						t.Errorf("InUse = %v, %v", inUse, err)
					}
				}
				if err := (Fence{dir, epoch}).Publish(func() error { return nil }); err != nil {
					t.Error(err)
				}
				if len(watch.lines) > 0 || watch.lost != nil {
					t.Errorf("told %q, lost %v", watch.lines, watch.lost)
				}
				if err := first.Close(); err != nil {
					t.Fatal(err)
				}
				second := lockFolder(t, dir)
				if got := raise(t, second); got != epoch+1 {
					t.Errorf("the second run has epoch %d, want %d", got, epoch+1)
				}
				if err := second.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
	withLocks(t, func(*flock.Flock) (bool, error) { return false, syscall.EIO })
	if _, err := Lock(t.TempDir()); err == nil || !strings.Contains(err.Error(), "cannot be locked") {
		t.Errorf("a lock that fails: %v", err)
	}
}

// TestLeaseOfAKilledRun: the lease of a process that was killed does not keep the next run out: not at all on the same
// machine, and leaseTime on another one.
func TestLeaseOfAKilledRun(t *testing.T) {
	for name, c := range map[string]struct {
		lease
		wait time.Duration
	}{
		"this machine":  {lease{ID: "a", PID: 1 << 30, Machine: machine()}, 0},
		"other machine": {lease{ID: "a", PID: 1 << 30, Machine: "b"}, leaseTime},
		"number reused": {lease{ID: "a", PID: os.Getpid(), Machine: machine()}, leaseTime},
	} {
		inBubble(t, func(t *testing.T) {
			dir := t.TempDir()
			c.lease.Epoch = 41
			content, err := c.lease.encode()
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, map[string]string{lockFile: string(content)})
			began := time.Now()
			f := lockFolder(t, dir)
			if took := time.Since(began); took < c.wait || took > c.wait+renewInterval {
				t.Errorf("%s: waited %v, want %v", name, took, c.wait)
			}
			if epoch := raise(t, f); epoch != 42 {
				t.Errorf("%s: epoch %d, want one more than in the lock file", name, epoch)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestReplacedRunEnds: when another run takes the folder, the first one learns it within 3 s, with the name of the
// other, and begins no other epoch.
func TestReplacedRunEnds(t *testing.T) {
	other := lease{ID: "other", Holder: "process 7 on node9 since yesterday"}
	content, err := other.encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, take := range map[string]func(dir string) error{
		"the lock file was replaced": func(dir string) error {
			_ = os.Remove(filepath.Join(dir, lockFile))
			return os.WriteFile(filepath.Join(dir, lockFile), content, 0o666)
		},
		"the lease was overwritten": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, lockFile), content, 0o666)
		},
		"another epoch": func(dir string) error {
			e := Epoch{Format: Format, Epoch: 9, Holder: other.ID, By: other.Holder}
			return e.write(dir)
		},
	} {
		inBubble(t, func(t *testing.T) {
			f := lockFolder(t, t.TempDir())
			watch := new(told).of(f)
			raise(t, f)
			if err := take(f.Dir); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if !errors.As(watch.lost, new(*ReplacedError)) || !strings.Contains(watch.lost.Error(), "process 7 on node9") {
				t.Errorf("%s: %v", name, watch.lost)
			}
			if _, err := f.Raise(nil); !errors.As(err, new(*ReplacedError)) {
				t.Errorf("%s: another epoch: %v", name, err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if l, found := readLease(lockPath(f.Dir)); strings.Contains(name, "lock file") && (!found || l.ID != other.ID) {
				t.Errorf("%s: the lease of the other run was removed", name)
			}
		})
	}
}

// TestRemovedLockFile: a lock file that was removed, overwritten or replaced is made again, which is told; one that a
// stranger has locked is told of, until it is free.
func TestRemovedLockFile(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"removed":     os.Remove,
		"overwritten": func(path string) error { return os.WriteFile(path, []byte("hello"), 0o666) },
		"emptied":     func(path string) error { return os.Truncate(path, 0) },
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+"2", []byte("hello"), 0o666), os.Rename(path+"2", path))
		},
	} {
		inBubble(t, func(t *testing.T) {
			f := lockFolder(t, t.TempDir())
			watch := new(told).of(f)
			if err := damage(lockPath(f.Dir)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if watch.lost != nil || len(watch.lines) != 1 || !watch.contains("was removed or overwritten; made again") {
				t.Errorf("%s: told %q, lost %v", name, watch.lines, watch.lost)
			}
			if _, err := Lock(f.Dir); err == nil || !strings.Contains(err.Error(), "is in use by process ") {
				t.Errorf("%s: a second run: %v", name, err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	inBubble(t, func(t *testing.T) {
		f := lockFolder(t, t.TempDir())
		watch := new(told).of(f)
		if err := os.Remove(lockPath(f.Dir)); err != nil {
			t.Fatal(err)
		}
		stranger := flock.New(lockPath(f.Dir))
		if locked, err := stranger.TryLock(); err != nil || !locked {
			t.Fatal(locked, err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(watch.lines) != 1 || !watch.contains("another process has locked") {
			t.Errorf("told %q", watch.lines)
		}
		if _, err := Lock(f.Dir); err == nil || !strings.Contains(err.Error(), "lsof or fuser name it") {
			t.Errorf("a second run: %v", err)
		}
		if err := stranger.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if len(watch.lines) != 2 || !watch.contains("made again") {
			t.Errorf("told %q", watch.lines)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestEpochsNeverGoBack: if epoch.json is removed or damaged during a run, it is written again, ranks can publish, and
// the next epoch is one more; also if the next run finds it so.
func TestEpochsNeverGoBack(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"removed": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"garbage": func(path string) error { return os.WriteFile(path, []byte("{{{"), 0o666) },
		"earlier": func(path string) error { return os.WriteFile(path, []byte(`{"format":1,"epoch":1}`), 0o666) },
		"huge": func(path string) error {
			return os.WriteFile(path, []byte(`{"format":1,"epoch":9223372036854775807}`), 0o666)
		},
		"negative": func(path string) error { return os.WriteFile(path, []byte(`{"format":1,"epoch":-3}`), 0o666) },
	} {
		inBubble(t, func(t *testing.T) {
			f := lockFolder(t, t.TempDir())
			watch := new(told).of(f)
			path := filepath.Join(f.Dir, epochFile)
			raise(t, f)
			raise(t, f)
			if err := damage(path); err != nil {
				t.Fatal(err)
			}
			if err := (Fence{f.Dir, 2}).Publish(func() error { return nil }); err != nil {
				t.Errorf("%s: a rank publishes: %v", name, err)
			}
			if err := (Fence{f.Dir, 1}).Publish(func() error { return nil }); !errors.As(err, new(*EpochOver)) {
				t.Errorf("%s: a rank of an earlier epoch publishes: %v", name, err)
			}
			if e, err := ReadEpoch(f.Dir); err != nil || e.Epoch != 2 || e.Ranks != 2 || !watch.contains("with epoch 2") {
				t.Errorf("%s: epoch %+v, %v, told %q", name, e, err, watch.lines)
			}
			if err := damage(path); err != nil {
				t.Fatal(err)
			}
			if epoch := raise(t, f); epoch != 3 {
				t.Errorf("%s: the next epoch is %d, want 3", name, epoch)
			}
			if err := errors.Join(f.Close(), damage(path)); err != nil {
				t.Fatal(err)
			}
			next := lockFolder(t, f.Dir)
			if epoch := raise(t, next); epoch != 4 {
				t.Errorf("%s: the epoch of the next run is %d, want 4", name, epoch)
			}
			if err := errors.Join(next.Close(), damage(path), os.Remove(lockPath(f.Dir))); err != nil {
				t.Fatal(err)
			}
			write(t, f.Dir, map[string]string{infoFile: `{"format":1,"epoch":4}`})
			last := lockFolder(t, f.Dir)
			if epoch := raise(t, last); epoch != 5 {
				t.Errorf("%s: with run.json alone the epoch is %d, want 5", name, epoch)
			}
			if err := last.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFenceOfAStranger: a fence file that was removed, or that another process has locked, is replaced within 3 s, and
// ranks that wait for it publish.
func TestFenceOfAStranger(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := lockFolder(t, t.TempDir())
		watch := new(told).of(f)
		rank := Fence{f.Dir, raise(t, f)}
		path := filepath.Join(f.Dir, fenceFile)
		stranger := flock.New(path)
		if locked, err := stranger.TryLock(); err != nil || !locked {
			t.Fatal(locked, err)
		}
		began := time.Now()
		if err := rank.Publish(func() error { return nil }); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 3*time.Second || !watch.contains("no rank could write; replaced") {
			t.Errorf("published after %v, told %q", took, watch.lines)
		}
		if err := errors.Join(stranger.Close(), os.Remove(path)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if len(watch.lines) != 2 || !watch.contains("was removed; made again") {
			t.Errorf("told %q", watch.lines)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestRequestsOfThePastAreVoid: a run does not answer a request for another number of ranks that an earlier one has
// left, and a request that its user has withdrawn.
func TestRequestsOfThePastAreVoid(t *testing.T) {
	dir := t.TempDir()
	old := ResizeRequest{ID: "1", Ranks: 6}
	if err := errors.Join(old.Submit(dir), old.Reply(dir)); err != nil {
		t.Fatal(err)
	}
	f := lockFolder(t, dir)
	if r, found := TakeResizeRequest(dir); found {
		t.Errorf("the next run finds request %+v", r)
	}
	if _, found := TakeResizeReply(dir, "1"); found {
		t.Error("the next run finds a reply")
	}
	if err := old.Submit(dir); err != nil {
		t.Fatal(err)
	}
	(ResizeRequest{ID: "2"}).Withdraw(dir)
	if _, found := takeFile(filepath.Join(dir, requestFile), "1"); !found {
		t.Error("the request of another user was withdrawn")
	}
	if err := old.Submit(dir); err != nil {
		t.Fatal(err)
	}
	if old.Withdraw(dir); len(names(t, dir)) != len(lockFile) {
		t.Errorf("the folder has %s", names(t, dir))
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestLeaseFile: a lock file has the same length with any lease, and any content can be read.
func TestLeaseFile(t *testing.T) {
	for _, l := range []lease{newLease(), {ID: "a"}, {ID: strings.Repeat("x", 30), Holder: strings.Repeat("µ", 500),
		Machine: strings.Repeat("m", 100), Renewed: 1<<64 - 1, Epoch: 1<<64 - 1, PID: 1 << 30}} {
		content, err := l.encode()
		if err != nil || len(content) != leaseBytes {
			t.Fatalf("%d bytes, %v", len(content), err)
		}
		got, found := decodeLease(content)
		if got.Holder = l.Holder; !found || got != l {
			t.Errorf("got %+v, want %+v", got, l)
		}
		for n := range content {
			decodeLease(content[:n])
		}
	}
	for _, text := range []string{"", "\n", "process 4 on a since b", "a\n{}\n", "a\n{\"id\":7}\n", "\x00\n\x00"} {
		if l, found := decodeLease([]byte(text)); found {
			t.Errorf("%q has lease %+v", text, l)
		}
	}
	if _, err := json.Marshal(newLease()); err != nil || fmt.Sprint(newLease().PID) != fmt.Sprint(os.Getpid()) {
		t.Error(err)
	}
}
