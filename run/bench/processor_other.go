//go:build !unix

package bench

import (
	"os"
	"time"
)

// processorTime is not available on this system.
func processorTime() time.Duration { return 0 }

// peakMemory is not available on this system.
func peakMemory(*os.ProcessState) int64 { return 0 }
