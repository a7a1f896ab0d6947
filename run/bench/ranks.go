package bench

import (
	"errors"
	"sync"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// OnRanks calls f on so many ranks of this process, and returns what it gives on rank 0. A rank that fails ends the
// others.
func OnRanks[T any](ranks int, f func(dist.Comm) (T, error)) (T, error) {
	results, errs := make([]T, ranks), make([]error, ranks)
	var wg sync.WaitGroup
	for r, comm := range local.New(ranks) {
		wg.Go(func() {
			results[r], errs[r] = f(comm)
			if errs[r] != nil {
				comm.Abort(1, errs[r])
			}
			errs[r] = errors.Join(errs[r], comm.Close())
		})
	}
	wg.Wait()
	return results[0], errors.Join(errs...)
}
