package grpc

import "github.com/atoll-hpc/atoll/dist"

// Kill closes the rank's streams and listeners at once, as the death of its process does.
func Kill(c dist.Comm) {
	k := c.(*comm)
	k.closed.Store(true)
	k.shutdown()
}
