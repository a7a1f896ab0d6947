package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// signEvery is how often a worker writes down that it gets on.
const signEvery = time.Second

// Signs returns how a worker tells its supervisor that it gets on: its run calls it whenever something is done, a step
// or a part of the set-up, and nobody else does. It costs a look at the clock, and once a second a change of a file's
// time. For others than workers it is nil. It may be called by many at once.
func (p Place) Signs() func() {
	if p.Epoch == 0 || p.Sockets == "" {
		return nil
	}
	var last atomic.Int64
	path := signFile(p.Sockets, p.Rank)
	return func() {
		now := time.Now()
		before := last.Load()
		if now.UnixNano()-before < int64(signEvery) || !last.CompareAndSwap(before, now.UnixNano()) {
			return
		}
		if os.Chtimes(path, now, now) != nil { // the first time
			_ = os.WriteFile(path, nil, 0o600) // without a sign it is taken for hung, at last
		}
	}
}

func signFile(dir string, rank int) string { return filepath.Join(dir, fmt.Sprintf("r%d.sign", rank)) }

// lookout finds workers that live and do not get on.
type lookout struct {
	stuck time.Duration
	seen  []time.Time     // the last sign of each
	since []time.Duration // how long ago it came
}

// hung are the workers that have given no sign for too long, when a time has passed since it was asked last. That is
// counted here, at most twice the time between two looks, and no clock is read: none passes while the supervisor is
// stopped or the machine sleeps, when workers do not get on either.
func (l *lookout) hung(sign func(i int) time.Time, passed time.Duration) (all []int) {
	for i := range l.seen {
		if at := sign(i); !at.Equal(l.seen[i]) {
			l.seen[i], l.since[i] = at, 0
			continue
		}
		if l.since[i] += min(passed, 2*l.every()); l.since[i] > l.stuck {
			all = append(all, i)
		}
	}
	return all
}

// every is the time between two looks.
func (l *lookout) every() time.Duration { return min(l.stuck/20, 5*time.Second) }

// watch kills workers that hang, until all have ended.
func (w *Workers) watch() {
	l := &lookout{w.config.Stuck, make([]time.Time, w.config.Ranks), make([]time.Duration, w.config.Ranks)}
	tick := time.NewTicker(l.every())
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-w.over:
			return
		case <-tick.C:
		}
		now := time.Now()
		hung := l.hung(func(i int) (at time.Time) {
			if info, err := os.Stat(signFile(w.sockets, w.config.First+i)); err == nil {
				at = info.ModTime()
			}
			return at
		}, now.Sub(last))
		last = now
		for _, i := range hung {
			w.giveUp(i)
		}
	}
}

// giveUp kills a worker that hangs.
func (w *Workers) giveUp(i int) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.crew.gone[i] || w.hung[i] {
		return
	}
	w.hung[i] = true
	_ = w.crew.commands[i].Process.Kill() // or it has just ended
}

// hangs is what is told of a worker that was killed since it hung.
func (w *Workers) hangs(rank int) *Report {
	return &Report{Rank: rank, Lost: true, Text: fmt.Sprintf("hangs: it has ended no step, nor a part of the set-up, for "+
		"%v, or waits for a rank that has not; --stuck gives more time", w.config.Stuck)}
}
