package launch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Exit codes of atoll run, of the launcher and of each rank. Another code, 1, is a failure while running.
const (
	ExitDone       = 0
	ExitUsage      = 2  // bad usage or input
	ExitStopped    = 75 // stopped, with its state saved: the same command continues the run
	ExitPeerFailed = 76 // of a worker: another rank was lost, or has failed
)

// exit is how the process of one rank ended.
type exit struct {
	rank     int
	code     int            // -1 when a signal killed it
	signal   syscall.Signal // 0 when it exited
	byParent bool           // a signal that the parent had sent killed it
	at       time.Time
	output   string // the line of its output that may say why, "" if unknown
}

func (e exit) failed() bool { return e.code != 0 }

// RankError is the error of a run that failed: it has the rank whose failure is the cause, and how that rank ended. It
// unwraps to what had stopped the run before, if anything had: a signal, or the cause of the context's end.
type RankError struct {
	Rank   int
	Code   int            // the exit code, -1 when a signal killed the rank
	Signal syscall.Signal // 0 when the rank exited
	Killed []int          // other ranks that had not stopped in time, and were killed

	output    string // the line of the rank's output that may say why, "" if unknown
	stop      error  // what had stopped the run, nil if nothing had
	byParent  bool   // the parent's own signal killed the rank
	unanimous bool   // every rank that failed exited with Code
}

func (e *RankError) Error() string {
	var b strings.Builder
	switch {
	case e.byParent && e.Signal == syscall.SIGKILL:
		fmt.Fprintf(&b, "rank %d had not stopped in time and was killed", e.Rank)
	case e.Signal != 0:
		fmt.Fprintf(&b, "rank %d was killed by signal %d (%v)", e.Rank, int(e.Signal), e.Signal)
	default:
		b.WriteString(exitText(e.Rank, e.Code, e.output))
	}
	if e.stop != nil {
		fmt.Fprintf(&b, " after the run was told to stop: %v", e.stop)
	}
	switch len(e.Killed) {
	case 0:
	case 1:
		fmt.Fprintf(&b, "; rank %d had not stopped in time and was killed", e.Killed[0])
	default:
		fmt.Fprintf(&b, "; ranks %s had not stopped in time and were killed",
			strings.Trim(strings.Join(strings.Fields(fmt.Sprint(e.Killed)), ", "), "[]"))
	}
	return b.String()
}

// exitText describes an exit for which the rank has reported no error. output is the line of its output that may say
// why, "" if unknown.
func exitText(rank, code int, output string) string {
	text := fmt.Sprintf("rank %d exited with code %d", rank, code)
	if output != "" {
		text += ": " + output
	}
	return text
}

// Text describes an exit for which the rank has reported no error.
func (e Exit) Text() string {
	text := exitText(e.Rank, e.Code, e.Output)
	if e.Output == "" {
		text += " and reported no error: its output may say why"
	}
	return text
}

func (e *RankError) Unwrap() error { return e.stop }

// verdict finds the rank whose failure is the cause, or returns nil if none failed. A rank that loses a peer exits
// with an error of its own, and may exit before the peer's exit is detected: so a death by signal takes precedence over
// an exit with an error, and among equals the earlier takes precedence. Deaths by the parent's own signals are
// consequences, and are the cause only if all other ranks exited with ExitStopped or lost a peer.
func verdict(exits []exit, stop error) *RankError {
	failed := slices.DeleteFunc(slices.Clone(exits), func(e exit) bool { return !e.failed() })
	if len(failed) == 0 {
		return nil
	}
	slices.SortFunc(failed, func(a, b exit) int {
		return cmp.Or(cmp.Compare(precedence(a), precedence(b)), a.at.Compare(b.at), cmp.Compare(a.rank, b.rank))
	})
	first := failed[0]
	e := &RankError{Rank: first.rank, Code: first.code, Signal: first.signal, stop: stop, byParent: first.byParent,
		output: first.output}
	e.unanimous = true
	for _, other := range failed[1:] {
		e.unanimous = e.unanimous && other.code == first.code
		if other.byParent && other.signal == syscall.SIGKILL {
			e.Killed = append(e.Killed, other.rank)
		}
	}
	slices.Sort(e.Killed)
	return e
}

// precedence orders failures from cause to consequence.
func precedence(e exit) int {
	switch {
	case e.signal != 0 && !e.byParent:
		return 0
	case e.signal == 0 && e.code != ExitStopped && e.code != ExitPeerFailed:
		return 1
	case e.byParent:
		return 2
	case e.code == ExitPeerFailed:
		return 3
	}
	return 4
}

// ExitCode returns the code with which a process that called Local or Detect should exit: 0 for no error; 2 (bad usage
// or input) or 75 (stopped, with a checkpoint) if every rank that failed exited with this code; 2 also if the
// configuration or the environment was refused; else 1.
//
// A Go program that panics exits with 2 as well: if all ranks panic, ExitCode returns 2.
func ExitCode(err error) int {
	var rank *RankError
	var usage *usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &rank):
		if rank.unanimous && (rank.Code == ExitUsage || rank.Code == ExitStopped) {
			return rank.Code
		}
	case errors.As(err, &usage):
		return ExitUsage
	}
	return 1
}

// usageError is the error of a configuration or an environment that was refused before any rank was started.
type usageError struct{ text string }

func (e *usageError) Error() string { return "launch: " + e.text }

// signalError is the reason of a run that a signal to the parent stopped.
type signalError struct{ signal syscall.Signal }

func (e *signalError) Error() string {
	return fmt.Sprintf("signal %d (%v)", int(e.signal), e.signal)
}
