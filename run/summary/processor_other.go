//go:build !unix

package summary

import "time"

// ProcessorTime is not available on this system.
func ProcessorTime() time.Duration { return 0 }
