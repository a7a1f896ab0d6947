//go:build !linux

package scale

import "time"

// timeSource names what threadTime measures.
const timeSource = "wall-clock time, which other work on this machine lengthens"

var start = time.Now()

// threadTime returns the wall-clock time since the start: the time of a thread is not known here.
func threadTime() time.Duration { return time.Since(start) }
