package expr

import "sync/atomic"

// Failures keeps one of the errors that occur when several goroutines evaluate an expression at many points: the error
// at the point with the lowest z, then y, then x. So the result does not depend on the order of the goroutines.
type Failures struct{ lowest atomic.Pointer[failed] }

type failed struct {
	position [3]float64 // (z, y, x): the order of comparison
	err      error
}

// Add adds the error at a point.
func (f *Failures) Add(x, y, z float64, err error) {
	next := &failed{[3]float64{z, y, x}, err}
	for kept := f.lowest.Load(); kept == nil || less(next.position, kept.position); kept = f.lowest.Load() {
		if f.lowest.CompareAndSwap(kept, next) {
			return
		}
	}
}

// Irrelevant reports that an error at this point would not be kept, so that it need not be evaluated.
func (f *Failures) Irrelevant(x, y, z float64) bool {
	kept := f.lowest.Load()
	return kept != nil && !less([3]float64{z, y, x}, kept.position)
}

// Err returns the kept error, nil for none.
func (f *Failures) Err() error {
	if kept := f.lowest.Load(); kept != nil {
		return kept.err
	}
	return nil
}

func less(a, b [3]float64) bool {
	for d := range a {
		if a[d] != b[d] {
			return a[d] < b[d]
		}
	}
	return false
}
