package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// heartbeatInterval is the least time between two updates of a worker's heartbeat file.
const heartbeatInterval = time.Second

// Heartbeat returns the function that a worker calls after each step, and after each part of the set-up, to show its
// supervisor that it makes progress. A call reads the clock, and at most once a second sets the modification time of a
// file. Several goroutines may call the function. It is nil for processes that are not workers.
func (p Environment) Heartbeat() func() {
	if p.Epoch == 0 || p.Sockets == "" {
		return nil
	}
	var last atomic.Int64
	path := heartbeatFile(p.Sockets, p.Rank)
	return func() {
		now := time.Now()
		before := last.Load()
		if now.UnixNano()-before < int64(heartbeatInterval) || !last.CompareAndSwap(before, now.UnixNano()) {
			return
		}
		if os.Chtimes(path, now, now) != nil { // at the first call the file does not exist
			_ = os.WriteFile(path, nil, 0o600) // if this keeps failing, the worker is killed as hung
		}
	}
}

func heartbeatFile(dir string, rank int) string {
	return filepath.Join(dir, fmt.Sprintf("r%d.sign", rank))
}

// watchdog finds workers that are alive but make no progress.
type watchdog struct {
	limit  time.Duration
	last   []time.Time     // the last heartbeat of each worker
	silent []time.Duration // the time since then
}

// hungWorkers returns the workers without a heartbeat for longer than the limit. heartbeat returns the time of a
// worker's last heartbeat; elapsed is the time since the last call of hungWorkers. At most twice the check interval is
// counted per call, because workers make no progress either while the supervisor is stopped or the machine sleeps.
func (d *watchdog) hungWorkers(heartbeat func(i int) time.Time, elapsed time.Duration) (workers []int) {
	for i := range d.last {
		if t := heartbeat(i); !t.Equal(d.last[i]) {
			d.last[i], d.silent[i] = t, 0
			continue
		}
		if d.silent[i] += min(elapsed, 2*d.interval()); d.silent[i] > d.limit {
			workers = append(workers, i)
		}
	}
	return workers
}

// interval is the time between two checks, so short that a hang is found at most 5 % late.
func (d *watchdog) interval() time.Duration { return min(d.limit/20, 5*time.Second) }

// watch kills workers that hang, until all have ended.
func (w *Workers) watch() {
	d := &watchdog{w.config.Stuck, make([]time.Time, w.config.Ranks), make([]time.Duration, w.config.Ranks)}
	tick := time.NewTicker(d.interval())
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-w.ended:
			return
		case <-tick.C:
		}
		now := time.Now()
		hung := d.hungWorkers(func(i int) (t time.Time) {
			if info, err := os.Stat(heartbeatFile(w.sockets.dir, w.config.First+i)); err == nil {
				t = info.ModTime()
			}
			return t
		}, now.Sub(last))
		last = now
		for _, i := range hung {
			w.killHung(i)
		}
	}
}

// killHung kills a worker that hangs.
func (w *Workers) killHung(i int) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.processes.ended[i] || w.hung[i] {
		return
	}
	w.hung[i] = true
	_ = w.processes.commands[i].Process.Kill() // fails if the process has just ended
}

// hungReport returns the report of a worker that was killed because it hung.
func (w *Workers) hungReport(rank int) *Report {
	return &Report{Rank: rank, Lost: true,
		Text: fmt.Sprintf("hangs: for %v it has completed no step and no part of the set-up, or has waited for a rank "+
			"that hangs; --stuck sets this limit", w.config.Stuck)}
}
