package folder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

func lockFolder(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // unless the test has closed it
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

// TestEpochsOnlyGrow checks that the epoch grows over all runs in a folder, and that ranks of earlier epochs cannot
// publish.
func TestEpochsOnlyGrow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	for run := range uint64(3) {
		f := lockFolder(t, dir)
		if _, err := Lock(dir); err == nil {
			t.Fatal("the folder was locked twice")
		}
		for k := range uint64(2) {
			if got, want := raise(t, f), 2*run+k+1; got != want {
				t.Errorf("got epoch %d, want %d", got, want)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	e, err := ReadEpoch(dir)
	if err != nil || e.Ranks != 2 || len(e.Members) != 1 || e.Members[0].Member != "here" {
		t.Errorf("got epoch %+v, error %v, want 2 ranks of the member here", e, err)
	}
	published := false
	for epoch := range uint64(7) {
		published = false
		err := Fence{dir, epoch}.Publish(func() error { published = true; return nil })
		var over *EpochOver
		mayPublish := epoch == 0 || epoch == 6
		if published != mayPublish || mayPublish != (err == nil) || err != nil && !errors.As(err, &over) {
			t.Errorf("epoch %d: published %v, %v", epoch, published, err)
		}
	}
}

// TestRaiseWaitsForPublishers checks that Raise waits for a file that is being published, but not for a frozen process,
// which can complete that one file and no other.
func TestRaiseWaitsForPublishers(t *testing.T) {
	f := lockFolder(t, t.TempDir())
	defer f.Close()
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
	if took := time.Since(start); took < publishTimeout {
		t.Errorf("Raise took %v, want at least %v", took, publishTimeout)
	}
	close(end)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := old.Publish(func() error { return nil }); !errors.As(err, new(*EpochOver)) {
		t.Errorf("a frozen rank publishes after another epoch has begun: %v", err)
	}
}

// TestDiscard checks that Discard removes a folder in which nothing was written.
func TestDiscard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	f := lockFolder(t, dir)
	raise(t, f)
	if err := f.Discard(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder still exists: %v", err)
	}
}

// TestResizeRequest checks that a request is taken once, and that only the requester takes its reply.
func TestResizeRequest(t *testing.T) {
	dir := t.TempDir()
	if err := (ResizeRequest{ID: "1", Ranks: 6}).Submit(dir); err != nil {
		t.Fatal(err)
	}
	a, found := TakeResizeRequest(dir)
	if !found || a.Ranks != 6 {
		t.Errorf("got request %+v, found %v, want 6 ranks", a, found)
	}
	if _, twice := TakeResizeRequest(dir); twice {
		t.Error("the request was taken twice")
	}
	if err := (ResizeRequest{ID: "1", Answer: "no"}).Reply(dir); err != nil {
		t.Fatal(err)
	}
	if _, found := TakeResizeReply(dir, "2"); found {
		t.Error("another requester took the reply")
	}
	if a, found := TakeResizeReply(dir, "1"); !found || a.Answer != "no" {
		t.Errorf("got reply %+v, found %v, want no", a, found)
	}
}

// TestInUse checks that a folder is in use as long as a process holds it.
func TestInUse(t *testing.T) {
	dir := t.TempDir()
	f := lockFolder(t, dir)
	if inUse, err := InUse(dir); err != nil || !inUse {
		t.Errorf("InUse = %v, error %v, want true", inUse, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if inUse, err := InUse(dir); err != nil || inUse {
		t.Errorf("InUse = %v, error %v, want false after Close", inUse, err)
	}
	if l := flock.New(filepath.Join(dir, lockFile)); l.Close() != nil {
		t.Error("the lock was not released")
	}
}
