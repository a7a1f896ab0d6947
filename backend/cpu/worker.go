package cpu

import (
	"sync/atomic"
	"time"
)

// pollTime is how long a goroutine polls for the next event before it sleeps. Waking one takes about as long, so that a
// wait costs at most twice as much as it must; and the next loop of a step mostly follows sooner.
const pollTime = 30 * time.Microsecond

// States of a worker. The device changes idle or asleep to called or closed, called back to idle if the loop has ended
// before the worker began, and working to awaited. The worker changes called to working, working or awaited to idle,
// and idle to asleep.
const (
	idle    int32 = iota // polls, or is about to sleep
	asleep               // waits for a message of wake
	called               // is to take part in a loop
	working              // takes part in a loop
	awaited              // takes part in a loop; the device waits for a message of done
	closed               // is to end
)

// worker is a goroutine of a device.
type worker struct {
	state      atomic.Int32
	wake, done chan struct{}
	_          [64]byte // workers have cache lines of their own
}

// notify sets the state of a worker that takes part in no loop.
func (w *worker) notify(state int32) {
	if w.state.Swap(state) == asleep {
		w.wake <- struct{}{}
	}
}

// await waits until the worker is called, and reports false if it is to end.
func (w *worker) await(polls bool) bool {
	for {
		if poll(polls, func() bool { return w.state.Load() != idle }); w.state.CompareAndSwap(idle, asleep) {
			<-w.wake
		}
		if w.state.CompareAndSwap(called, working) {
			return true
		}
		if w.state.Load() == closed {
			return false
		}
	}
}

// finish ends the worker's part in a loop.
func (w *worker) finish() {
	if w.state.Swap(idle) == awaited {
		w.done <- struct{}{}
	}
}

// join waits until the worker has ended its part in a loop. It does not wait for one that has not begun.
func (w *worker) join(polls bool) {
	if w.state.CompareAndSwap(called, idle) {
		return
	}
	if poll(polls, func() bool { return w.state.Load() != working }); w.state.CompareAndSwap(working, awaited) {
		<-w.done
	}
}

// poll waits until happened returns true, but at most for pollTime, and not at all if it may not poll.
func poll(may bool, happened func() bool) {
	const pollsPerTime = 100 // reading the time takes longer than a poll
	for begin := time.Now(); may; {
		for range pollsPerTime {
			if happened() {
				return
			}
		}
		if time.Since(begin) > pollTime {
			return
		}
	}
}
