package grpc

import "github.com/atoll-hpc/atoll/dist"

// Kill ends the rank's streams and listeners without a farewell, as the death of its process does.
func Kill(c dist.Comm) {
	k := c.(*comm)
	k.closed.Store(true)
	k.shutdown()
}
