package local

import (
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/dist"
)

// Each calls f on so many ranks of this process, each on a goroutine with a communicator that is closed after it, and
// returns what it gives on rank 0. A rank that fails ends the others; its error, the first there was, is returned.
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
