//go:build linux

package launch

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestHungIsWhoDoesNotGetOn: of the time in which a worker could have given a sign, none counts in which its supervisor
// was stopped.
func TestHungIsWhoDoesNotGetOn(t *testing.T) {
	l := &watchdog{time.Minute, make([]time.Time, 2), make([]time.Duration, 2)}
	signs := []time.Time{time.Unix(1, 0), time.Unix(1, 0)}
	look := func(passed time.Duration) []int { return l.hung(func(i int) time.Time { return signs[i] }, passed) }
	for range 10 {
		if hung := look(time.Hour); len(hung) > 0 {
			t.Fatalf("%v hang, since the supervisor was stopped", hung)
		}
	}
	for range 30 {
		signs[1] = signs[1].Add(time.Second)
		if hung := look(l.interval()); len(hung) > 1 || len(hung) == 1 && hung[0] != 0 {
			t.Fatalf("%v hang, and 1 does not", hung)
		}
	}
	if hung := look(l.interval()); len(hung) != 1 || hung[0] != 0 {
		t.Fatalf("%v hang, and 0 does", hung)
	}
}

// TestWorkerThatHangsIsKilled: one that lives and gives no more signs is, and the other is not.
func TestWorkerThatHangsIsKilled(t *testing.T) {
	t.Parallel()
	w, err := StartWorkers(WorkersConfig{Size: 2, Epoch: 1, FirstEpoch: 1, LocalConfig: LocalConfig{Ranks: 2, Threads: 1,
		Stuck: 2 * time.Second, Env: append(os.Environ(), envRole+"=progress/hang", envNotes+"="+t.TempDir(), noRaceSleep)}})
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
