package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// heartbeatInterval is how often a worker records that it makes progress.
const heartbeatInterval = time.Second

// Heartbeat returns the function by which a worker shows its supervisor that it makes progress: its run calls it after
// each step or part of the set-up. A call reads the clock, and once a second sets the time of a file. It is nil for
// processes that are no workers. Several goroutines may call it.
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
		if os.Chtimes(path, now, now) != nil { // the first time
			_ = os.WriteFile(path, nil, 0o600) // without a heartbeat it is taken for hung, at last
		}
	}
}

func heartbeatFile(dir string, rank int) string {
	return filepath.Join(dir, fmt.Sprintf("r%d.sign", rank))
}

// watchdog finds workers that live and make no progress.
type watchdog struct {
	limit  time.Duration
	last   []time.Time     // the last sign of each
	silent []time.Duration // how long ago it came
}

// hung returns the workers without a heartbeat for longer than the limit, given the time since the last call. Of that
// at most twice the interval counts, and no clock is read: no time passes while the supervisor is stopped or the
// machine sleeps, when workers make no progress either.
func (l *watchdog) hung(sign func(i int) time.Time, passed time.Duration) (all []int) {
	for i := range l.last {
		if at := sign(i); !at.Equal(l.last[i]) {
			l.last[i], l.silent[i] = at, 0
			continue
		}
		if l.silent[i] += min(passed, 2*l.interval()); l.silent[i] > l.limit {
			all = append(all, i)
		}
	}
	return all
}

// interval is the time between two checks.
func (l *watchdog) interval() time.Duration { return min(l.limit/20, 5*time.Second) }

// watch kills workers that hang, until all have ended.
func (w *Workers) watch() {
	l := &watchdog{w.config.Stuck, make([]time.Time, w.config.Ranks), make([]time.Duration, w.config.Ranks)}
	tick := time.NewTicker(l.interval())
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-w.ended:
			return
		case <-tick.C:
		}
		now := time.Now()
		hung := l.hung(func(i int) (at time.Time) {
			if info, err := os.Stat(heartbeatFile(w.sockets, w.config.First+i)); err == nil {
				at = info.ModTime()
			}
			return at
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
	_ = w.processes.commands[i].Process.Kill() // or it has just ended
}

// hungReport is what is told of a worker that was killed since it hung.
func (w *Workers) hungReport(rank int) *Report {
	return &Report{Rank: rank, Lost: true,
		Text: fmt.Sprintf("hangs: it has completed no step, nor a part of the set-up, for "+
			"%v, or waits for a rank that has not; --stuck gives more time", w.config.Stuck)}
}
