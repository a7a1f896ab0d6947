package folder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

func hold(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func raise(t *testing.T, f *Folder) uint64 {
	t.Helper()
	epoch, err := f.Raise([]Assignment{{"here", 0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	return epoch
}

// TestEpochsOnlyGrow: over all runs in a folder, and what the earlier ones would publish is refused.
func TestEpochsOnlyGrow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	for run := range uint64(3) {
		f := hold(t, dir)
		if _, err := Lock(dir); err == nil {
			t.Fatal("two have the folder")
		}
		for k := range uint64(2) {
			if got, want := raise(t, f), 2*run+k+1; got != want {
				t.Errorf("epoch %d instead of %d", got, want)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	e, err := ReadEpoch(dir)
	if err != nil || e.Ranks != 2 || len(e.Members) != 1 || e.Members[0].Member != "here" {
		t.Errorf("%+v, %v", e, err)
	}
	published := false
	for epoch := range uint64(8) {
		published = false
		err := Fence{dir, epoch}.Publish(func() error { published = true; return nil })
		var over *EpochOver
		wants := epoch == 0 || epoch == 6
		if published != wants || wants != (err == nil) || err != nil && !errors.As(err, &over) {
			t.Errorf("epoch %d: published %v, %v", epoch, published, err)
		}
	}
}

// TestRaiseWaitsForPublishers, but not for one that is frozen; what that one ends is the last that it publishes.
func TestRaiseWaitsForPublishers(t *testing.T) {
	f := hold(t, t.TempDir())
	old := Fence{f.Dir, raise(t, f)}
	begun, end := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	publish := func() {
		done <- old.Publish(func() error {
			close(begun)
			<-end
			return os.WriteFile(filepath.Join(f.Dir, "late"), nil, 0o666)
		})
	}
	go publish()
	<-begun
	time.AfterFunc(200*time.Millisecond, func() { close(end) })
	raise(t, f)
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatal("the epoch was raised while a file was published")
	}
	old.Epoch++
	begun, end = make(chan struct{}), make(chan struct{})
	go publish()
	<-begun
	start := time.Now()
	raise(t, f)
	if took := time.Since(start); took < publishTimeout || took > 2*publishTimeout {
		t.Errorf("it took %v", took)
	}
	close(end)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := old.Publish(func() error { return nil }); !errors.As(err, new(*EpochOver)) {
		t.Errorf("a frozen rank publishes after another epoch has begun: %v", err)
	}
}

// TestForsake: a folder that was made for nothing goes, and one with something in it stays.
func TestForsake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	f := hold(t, dir)
	raise(t, f)
	if err := f.Discard(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestAsk: a wish is taken once, and its answer by the one who has it.
func TestAsk(t *testing.T) {
	dir := t.TempDir()
	if err := (ResizeRequest{ID: "1", Ranks: 6}).Submit(dir); err != nil {
		t.Fatal(err)
	}
	a, there := TakeResizeRequest(dir)
	if !there || a.Ranks != 6 {
		t.Errorf("%+v, %v", a, there)
	}
	if _, again := TakeResizeRequest(dir); again {
		t.Error("it is taken twice")
	}
	if err := (ResizeRequest{ID: "1", Answer: "no"}).Reply(dir); err != nil {
		t.Fatal(err)
	}
	if _, there := TakeResizeReply(dir, "2"); there {
		t.Error("somebody else takes the answer")
	}
	if a, there := TakeResizeReply(dir, "1"); !there || a.Answer != "no" {
		t.Errorf("%+v, %v", a, there)
	}
}

// TestOwned: somebody has a folder as long as a process holds it.
func TestOwned(t *testing.T) {
	dir := t.TempDir()
	f := hold(t, dir)
	if owned, err := InUse(dir); err != nil || !owned {
		t.Error(owned, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if owned, err := InUse(dir); err != nil || owned {
		t.Error(owned, err)
	}
	if l := flock.New(filepath.Join(dir, lockFile)); l.Close() != nil {
		t.Error("the lock is not given back")
	}
}

// TestHalvesGo: what a run that was killed has half written goes when the next one begins, or goes on.
func TestHalvesGo(t *testing.T) {
	for name, again := range map[string]func(*Folder) error{
		"begin": func(f *Folder) error { return f.Begin() }, "go on": (*Folder).Resume,
	} {
		dir := t.TempDir()
		f := hold(t, dir)
		write(t, dir, map[string]string{"a.pvd.12-3.tmp": "", "frames/a_000001.vtu.12-4.tmp": "", "mine.tmp": ""})
		if err := again(f); err != nil {
			t.Fatal(err)
		}
		if got := names(t, dir); got != ".lock mine.tmp run.json" {
			t.Errorf("%s: there is %s", name, got)
		}
	}
}
