//go:build !unix

package bench

import "os"

// peakMemory is not available on this system.
func peakMemory(*os.ProcessState) int64 { return 0 }
