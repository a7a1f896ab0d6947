//go:build !unix

package bench

import (
	"os"
	"time"
)

// processorTime is not known here.
func processorTime() time.Duration { return 0 }

// most is not known here.
func most(*os.ProcessState) int64 { return 0 }
