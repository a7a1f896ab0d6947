// Package life tells the silent from the living.
package life

import (
	"sync/atomic"
	"time"
)

// Clock counts the time in which this process could have heard something. While it is stopped itself, with others or
// alone, no silence grows: whoever was away must not blame the others for it.
type Clock struct {
	start     time.Time
	period    time.Duration
	last      time.Duration // real time of the last tick
	suspended atomic.Int64  // nanoseconds
}

// NewClock returns a clock that is ticked every so often.
func NewClock(period time.Duration) *Clock { return &Clock{start: time.Now(), period: period} }

// CheckInterval is how often a watch looks that may last so long.
func CheckInterval(silence time.Duration) time.Duration { return max(silence/48, time.Millisecond) }

// BeatInterval is how often a sign of life is given where a silence of that length is the end.
func BeatInterval(silence time.Duration) time.Duration { return silence / 30 }

// Tick is called once a period, by one goroutine.
func (c *Clock) Tick() {
	now := time.Since(c.start)
	if gap := now - c.last; gap > 4*c.period {
		c.suspended.Add(int64(gap - c.period))
	}
	c.last = now
}

func (c *Clock) now() int64 { return int64(time.Since(c.start)) - c.suspended.Load() }

// Pulse is when another was heard last.
type Pulse struct {
	clock *Clock
	heard atomic.Int64
}

// NewPulse begins with a sign of life.
func NewPulse(c *Clock) *Pulse {
	p := &Pulse{clock: c}
	p.Beat()
	return p
}

// Beat notes a sign of life. Any goroutine may call it.
func (p *Pulse) Beat() { p.heard.Store(p.clock.now()) }

// Silent reports whether nothing was heard for so long, less two periods of the clock: what is noticed at a tick, and
// then told, is known in time.
func (p *Pulse) Silent(silence time.Duration) bool {
	now, heard := p.clock.now(), p.heard.Load()
	if heard > now { // it came after this process had been stopped, and before the clock knew
		p.heard.CompareAndSwap(heard, now)
		return false
	}
	return time.Duration(now-heard) > silence-2*p.clock.period
}
