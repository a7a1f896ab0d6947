package local

import "time"

// Option changes how messages travel, for tests.
type Option func(*world)

// Delay holds every message back for a time that is drawn from seed, up to most. Messages of one sender, receiver and
// tag keep their order; others overtake each other.
func Delay(seed uint64, most time.Duration) Option {
	return func(w *world) { w.delayer = newDelayer(w, seed, most) }
}

// Drop loses the messages of n bytes for which lost returns true; their sends succeed. It is called from the senders'
// goroutines.
func Drop(lost func(from, to, tag, n int) bool) Option {
	return func(w *world) { w.drop = lost }
}
