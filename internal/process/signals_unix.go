//go:build unix

package process

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// EndSignals tell a command to end. SIGUSR1 is what mpirun passes on without ending the ranks, and what Slurm can send
// before a job's time is over.
var EndSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1}

// WhenUnread calls stop when nobody reads the output any more, as of atoll run case.toml | head. The signal alone does
// not tell: the connections of ranks bring it too.
func WhenUnread(stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGPIPE)
	go func() {
		for range signals {
			output := []unix.PollFd{{Fd: 1}, {Fd: 2}}
			if n, err := unix.Poll(output, 0); err == nil && n > 0 &&
				(output[0].Revents|output[1].Revents)&unix.POLLERR != 0 {
				stop()
				return
			}
		}
	}()
}
