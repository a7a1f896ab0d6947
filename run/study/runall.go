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
func (s *Study) RunAll(ctx context.Context, parallel int, run func(ctx context.Context, r *Run) error,
	log func(line string)) error {
	remaining := s.Remaining()
	if finished := len(s.Runs) - len(remaining); finished > 0 {
		log(fmt.Sprintf("%d of %d runs are done already", finished, len(s.Runs)))
	}
	next := make(chan *Run)
	var wait sync.WaitGroup
	var lock sync.Mutex
	logf := func(format string, args ...any) {
		lock.Lock()
		defer lock.Unlock()
		log(fmt.Sprintf(format, args...))
	}
	for range min(parallel, len(remaining)) {
		wait.Go(func() {
			for r := range next {
				logf("%s: started", r.Name)
				began := time.Now()
				r.Err = r.execute(ctx, run)
				if r.Err != nil {
					logf("%s: %v", r.Name, r.Err)
					continue
				}
				logf("%s: done in %s", r.Name, time.Since(began).Round(10*time.Millisecond))
			}
		})
	}
	for _, r := range remaining {
		select {
		case next <- r:
		case <-ctx.Done():
			r.Err = context.Cause(ctx)
		}
	}
	close(next)
	wait.Wait()
	var errs []error
	for _, r := range remaining {
		if r.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.Name, r.Err))
		}
	}
	return errors.Join(errs...)
}

// execute executes a run and reads its summary.
func (r *Run) execute(ctx context.Context, run func(ctx context.Context, r *Run) error) error {
	if err := run(ctx, r); err != nil {
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
