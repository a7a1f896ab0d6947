package scale

import (
	"time"

	"golang.org/x/sys/unix"
)

// timeSource names what threadTime measures.
const timeSource = "processor time of each rank's thread"

// threadTime returns the processor time of this thread. The time of a rank does not count what others take from it.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
