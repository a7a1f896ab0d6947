//go:build unix

package process

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// EndSignals are the signals upon which a command ends. mpirun forwards SIGUSR1 without killing the ranks, and Slurm
// can send it before a job's time limit.
var EndSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1}

// OnClosedOutput calls stop when the reader of standard output or standard error has closed its pipe, as in atoll run
// case.toml | head. Upon SIGPIPE it checks these two, since closed connections between ranks cause SIGPIPE too.
func OnClosedOutput(stop func()) {
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
