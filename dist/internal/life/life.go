// Package life detects dead processes by missing heartbeats. A Pulse records when a process was last heard, on a
// Clock that does not count the time in which this process was itself suspended. Heartbeat exchanges UDP heartbeats
// between two processes.
package life

import (
	"sync/atomic"
	"time"
)

// Clock counts the time in which this process could receive heartbeats. While the process is suspended, the clock
// stands still, so that the silence of others in that time does not count.
type Clock struct {
	start     time.Time
	period    time.Duration
	last      time.Duration // real time of the last tick
	suspended atomic.Int64  // nanoseconds
}

// NewClock returns a clock on which Tick must be called once per period.
func NewClock(period time.Duration) *Clock { return &Clock{start: time.Now(), period: period} }

// CheckInterval returns the interval at which to check for a silence of the given length: so short that a loss is
// reported within that length.
func CheckInterval(silence time.Duration) time.Duration { return max(silence/48, time.Millisecond) }

// BeatInterval returns the interval of heartbeats for a silence limit: so short that some may be lost or late.
func BeatInterval(silence time.Duration) time.Duration { return silence / 30 }

// Tick is called once a period, by one goroutine. More than four periods without a call are a suspension; a shorter gap
// can be a delay of the scheduler, and counts.
func (c *Clock) Tick() {
	now := time.Since(c.start)
	if gap := now - c.last; gap > 4*c.period {
		c.suspended.Add(int64(gap - c.period))
	}
	c.last = now
}

func (c *Clock) now() int64 { return int64(time.Since(c.start)) - c.suspended.Load() }

// Pulse records when another process was last heard.
type Pulse struct {
	clock *Clock
	heard atomic.Int64
}

// NewPulse returns a Pulse with a heartbeat now.
func NewPulse(c *Clock) *Pulse {
	p := &Pulse{clock: c}
	p.Beat()
	return p
}

// Beat records a heartbeat. Any goroutine may call it.
func (p *Pulse) Beat() { p.heard.Store(p.clock.now()) }

// Silent reports whether nothing was heard for silence, less two periods of the clock: time to detect the loss at a
// tick and to report it.
func (p *Pulse) Silent(silence time.Duration) bool {
	now, heard := p.clock.now(), p.heard.Load()
	if heard > now { // the heartbeat came after a suspension that the clock had not yet counted
		p.heard.CompareAndSwap(heard, now)
		return false
	}
	return time.Duration(now-heard) > silence-2*p.clock.period
}
