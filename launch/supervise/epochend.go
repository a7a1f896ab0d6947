package supervise

import (
	"cmp"
	"fmt"
	"slices"
	"syscall"

	"github.com/atoll-hpc/atoll/launch"
)

// epochEnd is how an epoch ended.
type epochEnd uint8

const (
	done    epochEnd = iota
	stopped          // all workers saved their state and stopped
	refused          // the input is wrong
	failed           // a rank reports a failure of its own
	faulty           // a rank reports that a file could not be written or read
	lost             // a worker or a member died, or stopped responding
)

// verdict is how an epoch ended, and a description of the cause.
type verdict struct {
	end  epochEnd
	text string
}

// classify finds how an epoch ended from the exits of its workers. lostMember describes the loss of a member, "" for
// none. draining is true if the workers had to stop: a worker without state to save then exits with an error.
func classify(exits []launch.Exit, lostMember string, draining bool) verdict {
	exits = slices.SortedFunc(slices.Values(exits), func(a, b launch.Exit) int {
		return cmp.Or(cmp.Compare(causeOrder(a), causeOrder(b)), a.At.Compare(b.At), a.Rank-b.Rank)
	})
	if i := slices.IndexFunc(exits, func(e launch.Exit) bool { return e.Rank == 0 }); i >= 0 &&
		exits[i].Code == launch.ExitDone {
		return verdict{end: done}
	}
	if lostMember != "" {
		return verdict{lost, lostMember}
	}
	if len(exits) == 0 {
		return verdict{lost, "a member did not report how its workers exited"}
	}
	e := exits[0]
	switch {
	case e.Signal == syscall.SIGTERM && e.BySupervisor && draining: // the worker had not installed its signal handler
		return verdict{end: stopped}
	case e.Signal != 0 && !e.BySupervisor && e.Report != nil && e.Report.Lost && e.Report.Rank == e.Rank:
		// killed as it sent no heartbeat: the report was made for it
		return verdict{lost, fmt.Sprintf("rank %d %s", e.Rank, e.Report.Text)}
	case e.Signal != 0 && e.BySupervisor:
		return verdict{lost, fmt.Sprintf("rank %d had not stopped in time and was killed", e.Rank)}
	case e.Signal != 0:
		return verdict{lost, fmt.Sprintf("rank %d was killed by signal %d (%v)", e.Rank, int(e.Signal), e.Signal)}
	case e.Code == launch.ExitStopped, draining && e.Report == nil && e.Code != launch.ExitUsage:
		return verdict{end: stopped}
	case e.Code == launch.ExitPeerFailed && e.Report != nil && e.Report.Lost:
		return verdict{lost, fmt.Sprintf("rank %d: %s", e.Report.Rank, e.Report.Text)}
	case e.Report != nil && e.Report.Fault:
		return verdict{faulty, fmt.Sprintf("rank %d: %s", e.Report.Rank, e.Report.Text)}
	case e.Code == launch.ExitPeerFailed && e.Report != nil:
		return verdict{failed, fmt.Sprintf("rank %d: %s", e.Report.Rank, e.Report.Text)}
	case e.Code == launch.ExitUsage && e.Report != nil:
		return verdict{refused, e.Report.Text}
	case e.Report != nil:
		return verdict{failed, fmt.Sprintf("rank %d: %s", e.Rank, e.Report.Text)}
	}
	return verdict{lost, e.Text()}
}

// causeOrder orders exits from cause to consequence.
func causeOrder(e launch.Exit) int {
	switch {
	case e.Signal != 0 && !e.BySupervisor:
		return 0
	case e.Code == launch.ExitDone:
		return 5
	case e.Code == launch.ExitStopped:
		return 4
	case e.Signal != 0:
		return 3
	case e.Code == launch.ExitPeerFailed:
		return 2
	}
	return 1
}
