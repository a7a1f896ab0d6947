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

// LocalConfig says what Local starts. Only Ranks is needed.
type LocalConfig struct {
	Ranks   int      // how many processes
	Command string   // the program, "" for this executable
	Args    []string // its arguments, without its name
	Env     []string // its environment as key=value, nil for that of this process
	Dir     string   // in which it runs, "" for that of this process
	Threads int      // threads of a rank, 0 for an equal share of the cores, at least 1

	// Stdout and Stderr receive those of rank 0, nil discards them. A *os.File is handed to rank 0 itself. When
	// the run fails, Stderr also receives the last lines of the other ranks' output. However slow a writer is, it
	// receives all that a rank wrote before it exited.
	Stdout, Stderr io.Writer
	// LogRanks passes on the output of the other ranks too, line by line, each with "[rank R] " before it.
	LogRanks bool

	Grace time.Duration // for the others to stop by themselves when a rank fails, 0 for 3 s
	Drain time.Duration // to stop with a checkpoint when told to, 0 for 30 s
	Stuck time.Duration // without progress (Environment.Heartbeat), after which a worker is killed; 0 for never
}

func (c LocalConfig) withDefaults() (LocalConfig, error) {
	switch {
	case c.Ranks < 1 || c.Ranks > maxSize:
		return c, &usageError{fmt.Sprintf("%d ranks: want 1 to %d", c.Ranks, maxSize)}
	case c.Threads < 0:
		return c, &usageError{fmt.Sprintf("%d threads a rank: want 1 or more, or 0 for a share of the cores", c.Threads)}
	case c.Grace < 0:
		return c, &usageError{fmt.Sprintf("a grace of %v: want 0 or more", c.Grace)}
	case c.Drain < 0:
		return c, &usageError{fmt.Sprintf("a drain of %v: want 0 or more", c.Drain)}
	}
	if c.Command == "" {
		self, err := os.Executable()
		if err != nil {
			return c, fmt.Errorf("launch: find this executable: %w", err)
		}
		c.Command = self
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

// Local starts the ranks on this machine and returns when all of them have ended: nil if all exited with code 0,
// else an error that is, or wraps, a *RankError if a rank failed. The package comment says how a run ends; while
// Local runs it owns SIGINT, SIGTERM and SIGHUP, unless the process ignores them.
//
// No process of the run is left when Local returns, nor is the directory of its sockets.
func Local(ctx context.Context, config LocalConfig) (err error) {
	if err := supported(); err != nil {
		return err
	}
	config, err = config.withDefaults()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("launch: nothing was started: %w", context.Cause(ctx))
	}
	sockets, err := socketDirectory(os.TempDir(), "/tmp")
	if err != nil {
		return err
	}
	defer func() {
		if failure := os.RemoveAll(sockets); failure != nil {
			err = errors.Join(err, fmt.Errorf("launch: remove the directory of sockets: %w", failure))
		}
	}()

	signals := make(chan os.Signal, 8)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // of nohup, say, or a shell's background job
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)

	crew := newProcessSet(config, 0, config.Ranks, func(rank int) *exec.Cmd { return config.command(rank, sockets) })
	if err := crew.start(); err != nil {
		crew.signal(syscall.SIGKILL)
		for range crew.started {
			<-crew.exited
		}
		crew.release()
		crew.flush()
		return err
	}
	exits, stop := crew.supervise(ctx, signals)
	crew.release()
	crew.flush()

	failure := verdict(exits, stop)
	if failure == nil {
		return crew.outputError
	}
	if config.Stderr != nil && ExitCode(failure) != ExitStopped {
		if err := report(config.Stderr, failure.Rank, 0, exits, crew.kept); err != nil {
			return errors.Join(failure, fmt.Errorf("launch: show the output of the ranks: %w", err))
		}
	}
	return failure
}

// maxDirectory leaves room for a name in the directory: a socket's address holds 107 bytes on Linux, 103 elsewhere.
const maxDirectory = 80

// socketDirectory makes a new directory that only this user may enter, below the first of parents that allows it
// and is short enough.
func socketDirectory(parents ...string) (string, error) {
	var failures []error
	for _, parent := range parents {
		parent, err := filepath.Abs(parent)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		dir, err := os.MkdirTemp(parent, "atoll-") // of mode 0700
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if len(dir) <= maxDirectory {
			return dir, nil
		}
		failures = append(failures, fmt.Errorf("%s is too long for the address of a socket", dir), os.Remove(dir))
	}
	return "", fmt.Errorf("launch: no directory for sockets, set TMPDIR to a short path that is writable: %w",
		errors.Join(failures...))
}

// command prepares rank's process, all but where its output goes.
func (c LocalConfig) command(rank int, sockets string) *exec.Cmd {
	return c.newProcess(
		envRank+"="+strconv.Itoa(rank),
		envSize+"="+strconv.Itoa(c.Ranks),
		envCoordinator+"=unix:"+filepath.Join(sockets, "c.sock"),
		envSockets+"="+sockets,
		envThreads+"="+strconv.Itoa(c.Threads),
	)
}

// newProcess prepares a process that has some variables beside, or in place of, those of the environment.
func (c LocalConfig) newProcess(ours ...string) *exec.Cmd {
	cmd := exec.Command(c.Command, c.Args...)
	cmd.Env = slices.DeleteFunc(slices.Clone(c.Env), func(entry string) bool {
		return slices.ContainsFunc(ours, func(o string) bool {
			return strings.HasPrefix(entry, o[:strings.Index(o, "=")+1])
		})
	})
	cmd.Env = append(cmd.Env, ours...)
	cmd.Dir = c.Dir
	cmd.SysProcAttr = attributes()
	return cmd
}
