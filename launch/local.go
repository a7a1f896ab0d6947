package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// LocalConfig configures Local. Only Ranks is required.
type LocalConfig struct {
	Ranks   int      // number of processes
	Command string   // path of the program, "" for this executable
	Args    []string // arguments of the program, without its name
	Env     []string // environment as key=value, nil for that of this process
	Dir     string   // working directory, "" for that of this process
	Threads int      // threads of a rank; 0 for an equal share of the cores, but at least 1

	// Stdout and Stderr receive the output of rank 0; nil discards it. Rank 0 writes to an *os.File directly. When
	// the run fails, Stderr also receives the last lines of the other ranks' output. However slow a writer is, it
	// receives all that a rank wrote before it exited.
	Stdout, Stderr io.Writer
	// LogRanks also writes the output of the other ranks, line by line, each line with the prefix "[rank R] ": to LogOut
	// and LogErr, or to Stdout and Stderr if these are nil. Ranks wait until a writer has accepted their output.
	LogRanks       bool
	LogOut, LogErr io.Writer

	Grace time.Duration // time for the other ranks to exit by themselves when one fails, 0 for 3 s
	Drain time.Duration // time for the ranks to write a checkpoint and exit when the run is stopped, 0 for 30 s
	Stuck time.Duration // time without progress (Environment.Heartbeat) after which a worker is killed; 0 for never

	isOwn bool // Command is the program of this process
}

func (c LocalConfig) withDefaults() (LocalConfig, error) {
	switch {
	case c.Ranks < 1 || c.Ranks > maxSize:
		return c, &usageError{fmt.Sprintf("%d ranks: want 1 to %d", c.Ranks, maxSize)}
	case c.Threads < 0:
		return c, &usageError{fmt.Sprintf("%d threads per rank: want 1 or more, or 0 for a share of the cores", c.Threads)}
	case c.Grace < 0:
		return c, &usageError{fmt.Sprintf("Grace is %v: want 0 or more", c.Grace)}
	case c.Drain < 0:
		return c, &usageError{fmt.Sprintf("Drain is %v: want 0 or more", c.Drain)}
	}
	if c.Command == "" {
		self, err := os.Executable()
		if err != nil {
			return c, fmt.Errorf("launch: find this executable: %w", err)
		}
		c.Command, c.isOwn = self, true
	}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	if c.Threads == 0 {
		c.Threads = max(1, runtime.GOMAXPROCS(0)/c.Ranks)
	}
	if c.Grace == 0 {
		c.Grace = 3 * time.Second
	}
	if c.Drain == 0 {
		c.Drain = 30 * time.Second
	}
	return c, nil
}

// Local starts the ranks on this machine and returns when all of them have ended. It returns nil if all exited with
// code 0, and an error that is or wraps a *RankError if a rank failed. The package comment describes how a run ends.
// While Local runs, it handles SIGINT, SIGTERM and SIGHUP, except those that the process ignores.
//
// When Local returns, all processes of the run have ended and the directory of their sockets is removed.
func Local(ctx context.Context, config LocalConfig) (err error) {
	if err := supported(); err != nil {
		return err
	}
	config, err = config.withDefaults()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("launch: no rank was started: %w", context.Cause(ctx))
	}
	sockets, err := newSockets(os.TempDir(), "/tmp")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sockets.remove()) }()

	signals := make(chan os.Signal, 8)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // nohup, and shells for background jobs, ignore some
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)

	processes := newProcessSet(config, 0, config.Ranks, func(rank int) *exec.Cmd {
		return config.command(rank, sockets.dir)
	})
	if err := processes.start(); err != nil {
		processes.signal(syscall.SIGKILL)
		for range processes.started {
			<-processes.exited
		}
		processes.release()
		processes.flush()
		return err
	}
	exits, stop := processes.supervise(ctx, signals)
	processes.release()
	processes.flush()

	failure := verdict(exits, stop)
	if failure == nil {
		return processes.outputError
	}
	if config.Stderr != nil && ExitCode(failure) != ExitStopped {
		if err := writeTails(config.Stderr, failure.Rank, 0, exits, processes.tails); err != nil {
			return errors.Join(failure, fmt.Errorf("launch: show the output of the ranks: %w", err))
		}
	}
	return failure
}

// command returns the unstarted process of a rank, without its output.
func (c LocalConfig) command(rank int, sockets string) *exec.Cmd {
	return c.newProcess(
		envRank+"="+strconv.Itoa(rank),
		envSize+"="+strconv.Itoa(c.Ranks),
		envCoordinator+"=unix:"+filepath.Join(sockets, "c.sock"),
		envSockets+"="+sockets,
		envThreads+"="+strconv.Itoa(c.Threads),
	)
}

// ownProgram returns the path by which the program of this process, which began at a path, can be started: all ranks of
// a run have the same program, also those that are started after somebody has replaced or removed the file.
func ownProgram(path string) string {
	const running = "/proc/self/exe" // exists on Linux; in a list of processes such ranks are named "exe"
	now, err := os.Stat(path)
	if own, ownErr := os.Stat(running); ownErr == nil && (err != nil || !os.SameFile(own, now)) {
		return running
	}
	return path
}

// newProcess returns an unstarted process with variables, each key=value, added to c.Env or replacing entries of it.
func (c LocalConfig) newProcess(variables ...string) *exec.Cmd {
	cmd := exec.Command(c.Command, c.Args...)
	if c.isOwn {
		cmd.Path = ownProgram(c.Command)
	}
	cmd.Env = slices.DeleteFunc(slices.Clone(c.Env), func(entry string) bool {
		return slices.ContainsFunc(variables, func(v string) bool {
			return strings.HasPrefix(entry, v[:strings.Index(v, "=")+1])
		})
	})
	cmd.Env = append(cmd.Env, variables...)
	cmd.Dir = c.Dir
	cmd.SysProcAttr = attributes()
	return cmd
}
