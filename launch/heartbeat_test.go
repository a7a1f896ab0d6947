//go:build linux

package launch

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestWatchdog: a worker without heartbeats for longer than the limit hangs. Time during which the supervisor was
// stopped does not count.
func TestWatchdog(t *testing.T) {
	d := &watchdog{time.Minute, make([]time.Time, 2), make([]time.Duration, 2)}
	heartbeats := []time.Time{time.Unix(1, 0), time.Unix(1, 0)}
	check := func(elapsed time.Duration) []int {
		return d.hungWorkers(func(i int) time.Time { return heartbeats[i] }, elapsed)
	}
	for range 10 {
		if hung := check(time.Hour); len(hung) > 0 {
			t.Fatalf("workers %v hang after a stop of the supervisor, want none", hung)
		}
	}
	for range 30 {
		heartbeats[1] = heartbeats[1].Add(time.Second)
		if hung := check(d.interval()); len(hung) > 1 || len(hung) == 1 && hung[0] != 0 {
			t.Fatalf("workers %v hang, want none but 0", hung)
		}
	}
	if hung := check(d.interval()); len(hung) != 1 || hung[0] != 0 {
		t.Fatalf("workers %v hang, want 0", hung)
	}
}

// TestHungWorkerIsKilled: the watchdog kills rank 1, whose heartbeats stop, and not rank 0. The limit is long for a
// machine under load.
func TestHungWorkerIsKilled(t *testing.T) {
	t.Parallel()
	w, err := StartWorkers(WorkersConfig{Size: 2, Epoch: 1, FirstEpoch: 1, LocalConfig: LocalConfig{Ranks: 2, Threads: 1,
		Stuck: 8 * time.Second, Env: append(os.Environ(), envRole+"=progress/hang", envPIDs+"="+t.TempDir(), noRaceSleep)}})
	if err != nil {
		t.Fatal(err)
	}
	e := <-w.Exits
	if e.Rank != 1 || e.BySupervisor || e.Report == nil || !e.Report.Lost || !strings.Contains(e.Report.Text, "hangs") {
		t.Errorf("%+v, report %+v", e, e.Report)
	}
	w.Kill(0)
	if e := <-w.Exits; e.Rank != 0 || !e.BySupervisor || e.Report != nil {
		t.Errorf("%+v, report %+v", e, e.Report)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
