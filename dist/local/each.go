package local

import (
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/dist"
)

// Each makes the communicators of a number of ranks, as New does, calls f with each in a goroutine of its own, and
// closes them. It returns the result of rank 0. If a rank fails, Each ends the others and returns the first error.
func Each[T any](ranks int, f func(dist.Comm) (T, error)) (T, error) {
	results := make([]T, ranks)
	var g errgroup.Group
	for rank, comm := range New(ranks) {
		g.Go(func() error {
			var err error
			if results[rank], err = f(comm); err != nil {
				comm.Abort(1, err)
			}
			return errors.Join(err, comm.Close())
		})
	}
	err := g.Wait()
	return results[0], err
}
