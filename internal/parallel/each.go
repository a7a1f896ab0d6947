package parallel

import (
	"context"
	"sync"
)

// chunks is the number of ranges into which Each divides items: many, to balance the load if some items take longer.
const chunks = 1024

// Each divides n items into ranges [lo, hi) of at least minItems items, and calls f with them on goroutines on all
// processors. It returns the error of the first range, by number, that failed; ranges after it may be left out. When
// ctx ends, Each starts no more calls and returns ctx's error. name is the task's name for [Watch].
func Each(ctx context.Context, name string, n, minItems int, f func(lo, hi int) error) error {
	size := max(1, minItems, (n+chunks-1)/chunks)
	e := &each{total: n, failed: n, report: watcher(ctx, name)}
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

// each is the state of a loop of Each.
type each struct {
	lock   sync.Mutex
	total  int // items
	begun  int // items in ranges that were begun
	done   int // items in ranges that are done
	failed int // the first item of the first range with an error; total if there is none
	err    error
	report func(done, total int) // nil without Watch
}

// next returns the next range, after a range of done items has been completed.
func (e *each) next(ctx context.Context, done, size int) (lo, hi int, more bool) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.done += done; e.report != nil && done > 0 {
		e.report(e.done, e.total)
	}
	if lo = e.begun; lo >= e.failed || ctx.Err() != nil {
		return 0, 0, false
	}
	e.begun = min(lo+size, e.total)
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

// Watch returns a context with which loops of [Each] report their progress: they call report, from one goroutine at a
// time, with the number of items that are done.
func Watch(ctx context.Context, report func(name string, done, total int)) context.Context {
	return context.WithValue(ctx, watchKey{}, report)
}

func watcher(ctx context.Context, name string) func(done, total int) {
	report, _ := ctx.Value(watchKey{}).(func(name string, done, total int))
	if report == nil {
		return nil
	}
	return func(done, total int) { report(name, done, total) }
}

// ReportTask reports to [Watch] that a task begins that is not a loop of [Each].
func ReportTask(ctx context.Context, name string) {
	if report := watcher(ctx, name); report != nil {
		report(0, 0)
	}
}
