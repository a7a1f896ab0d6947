package local

import "time"

// Option changes the delivery of messages, for tests.
type Option func(*world)

// Delay delays every message by a random time up to maxDelay, drawn from seed. Messages with the same sender,
// receiver and tag keep their order; others may overtake each other.
func Delay(seed uint64, maxDelay time.Duration) Option {
	return func(w *world) { w.delayer = newDelayer(w, seed, maxDelay) }
}

// Drop drops the messages for which lost returns true, where n is the length in bytes; their sends succeed. lost is
// called from the senders' goroutines.
func Drop(lost func(from, to, tag, n int) bool) Option {
	return func(w *world) { w.drop = lost }
}
