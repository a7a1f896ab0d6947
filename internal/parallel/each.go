package parallel

import (
	"context"
	"sync"
)

// chunks is into how many ranges Each divides items: many, so that the load is balanced where some items take long.
const chunks = 1024

// Each calls f with ranges that together are n items, of at least so many each, on goroutines of all processors, and
// returns the error of the first range that has one; those behind it may not be called then. It ends soon after the
// context does. name is the task that is reported to [Watch].
func Each(ctx context.Context, name string, n, least int, f func(lo, hi int) error) error {
	size := max(1, least, (n+chunks-1)/chunks)
	e := &each{of: n, failed: n, told: watcher(ctx, name)}
	var wait sync.WaitGroup
	for range Parts(n, size) {
		wait.Go(func() {
			for lo, hi, more := e.next(ctx, 0, size); more; lo, hi, more = e.next(ctx, hi-lo, size) {
				if err := f(lo, hi); err != nil {
					e.fail(lo, err)
				}
			}
		})
	}
	wait.Wait()
	if e.err != nil {
		return e.err
	}
	return ctx.Err()
}

// each is a loop under way.
type each struct {
	lock   sync.Mutex
	of     int
	begun  int // items of ranges that were handed out
	done   int
	failed int // the first item of the first range with an error
	err    error
	told   func(done, of int)
}

// next is another range, for one who has done so many items.
func (e *each) next(ctx context.Context, done, size int) (lo, hi int, more bool) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.done += done; e.told != nil && done > 0 {
		e.told(e.done, e.of)
	}
	if lo = e.begun; lo >= e.failed || ctx.Err() != nil {
		return 0, 0, false
	}
	e.begun = min(lo+size, e.of)
	return lo, e.begun, true
}

func (e *each) fail(lo int, err error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if lo < e.failed {
		e.failed, e.err = lo, err
	}
}

type watchKey struct{}

// Watch returns a context whose loops of [Each] tell how many of their items are done, one call at a time.
func Watch(ctx context.Context, tell func(name string, done, of int)) context.Context {
	return context.WithValue(ctx, watchKey{}, tell)
}

func watcher(ctx context.Context, name string) func(done, of int) {
	tell, _ := ctx.Value(watchKey{}).(func(name string, done, of int))
	if tell == nil {
		return nil
	}
	return func(done, of int) { tell(name, done, of) }
}

// Begin reports to [Watch] that a task has begun which is no loop of [Each].
func Begin(ctx context.Context, name string) {
	if told := watcher(ctx, name); told != nil {
		told(0, 0)
	}
}
