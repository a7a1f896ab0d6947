//go:build !unix

package grpc_test

import "time"

// processorTime is not measured on this system.
func processorTime() time.Duration { return 0 }
