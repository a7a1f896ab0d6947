package expr

import "sync/atomic"

// Failures keeps an error of an expression that several goroutines evaluate at many places: of those that were added
// the one of the lowest z, then y, then x, so that it does not depend on who came first.
type Failures struct{ lowest atomic.Pointer[failed] }

type failed struct {
	at  [3]float64 // z, y, x
	err error
}

// Add adds the error at a place.
func (f *Failures) Add(x, y, z float64, err error) {
	next := &failed{[3]float64{z, y, x}, err}
	for last := f.lowest.Load(); last == nil || below(next.at, last.at); last = f.lowest.Load() {
		if f.lowest.CompareAndSwap(last, next) {
			return
		}
	}
}

// Settled tells that an error at a place would not be kept: what is evaluated there is of no use any more.
func (f *Failures) Settled(x, y, z float64) bool {
	last := f.lowest.Load()
	return last != nil && !below([3]float64{z, y, x}, last.at)
}

// Err is the error that was kept; nil for none.
func (f *Failures) Err() error {
	if last := f.lowest.Load(); last != nil {
		return last.err
	}
	return nil
}

func below(a, b [3]float64) bool {
	for d := range a {
		if a[d] != b[d] {
			return a[d] < b[d]
		}
	}
	return false
}
