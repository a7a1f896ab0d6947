package study

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/run/summary"
)

// RunAll runs the remaining runs, up to parallel at the same time, in the order of the list. run executes one in its
// folder; log is called when one begins and when it ends. A failed run does not stop the others; the end of the context
// does. The error joins those of all failed runs.
func (s *Study) Go(ctx context.Context, beside int, do func(ctx context.Context, r *Run) error,
	tell func(line string)) error {
	left := s.Left()
	if done := len(s.Runs) - len(left); done > 0 {
		tell(fmt.Sprintf("%d of %d runs are done already", done, len(s.Runs)))
	}
	next := make(chan *Run)
	var wait sync.WaitGroup
	var lock sync.Mutex
	say := func(format string, args ...any) {
		lock.Lock()
		defer lock.Unlock()
		tell(fmt.Sprintf(format, args...))
	}
	for range min(beside, len(left)) {
		wait.Go(func() {
			for r := range next {
				say("%s: started", r.Name)
				began := time.Now()
				r.Err = r.make(ctx, do)
				if r.Err != nil {
					say("%s: %v", r.Name, r.Err)
					continue
				}
				say("%s: done in %s", r.Name, time.Since(began).Round(10*time.Millisecond))
			}
		})
	}
	for _, r := range left {
		select {
		case next <- r:
		case <-ctx.Done():
			r.Err = context.Cause(ctx)
		}
	}
	close(next)
	wait.Wait()
	var errs []error
	for _, r := range left {
		if r.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.Name, r.Err))
		}
	}
	return errors.Join(errs...)
}

// execute executes a run and reads its summary.
func (r *Run) make(ctx context.Context, do func(ctx context.Context, r *Run) error) error {
	if err := do(ctx, r); err != nil {
		return err
	}
	s, err := summary.Read(r.Dir)
	if err != nil {
		return err
	}
	if s.CaseSHA256 != r.Case.Hash() {
		return fmt.Errorf("%s has the summary of another case", r.Dir)
	}
	r.Summary = s
	return nil
}
