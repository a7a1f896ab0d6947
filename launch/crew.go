package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

const (
	killDelay   = time.Second            // from SIGTERM to SIGKILL
	outputDelay = 500 * time.Millisecond // for the end of an output whose rank has exited
)

// crew is the processes of a run, from start to the last exit.
type crew struct {
	config   LocalConfig
	commands []*exec.Cmd
	tails    []*tail // the kept output of each rank, nil for rank 0
	started  int     // ranks 0 … started-1 have a process

	exited      chan ending
	gone        []bool // by rank
	sent        map[syscall.Signal]time.Time
	outputError error // rank 0's output could not be passed on

	done     chan struct{} // closed to let the starting thread go
	released chan struct{} // closed when it has gone
}

// ending is what the goroutine that waits for a rank reports.
type ending struct {
	exit
	output error // copying its output failed
}

func newCrew(config LocalConfig, sockets string) *crew {
	c := &crew{
		config:   config,
		commands: make([]*exec.Cmd, config.Ranks),
		tails:    make([]*tail, config.Ranks),
		exited:   make(chan ending, config.Ranks),
		gone:     make([]bool, config.Ranks),
		sent:     make(map[syscall.Signal]time.Time),
		done:     make(chan struct{}),
		released: make(chan struct{}),
	}
	for rank := range c.commands {
		if rank > 0 {
			c.tails[rank] = new(tail)
		}
		c.commands[rank] = config.command(rank, sockets, c.tails[rank])
	}
	return c
}

// start starts all ranks. The kernel kills a rank when the thread that started it ends, so one thread starts them
// all and is kept until release. On error ranks 0 … started-1 are running.
func (c *crew) start() error {
	result := make(chan error)
	go func() {
		defer close(c.released)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		result <- c.startAll()
		<-c.done
	}()
	return <-result
}

func (c *crew) startAll() error {
	for rank, cmd := range c.commands {
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("launch: start rank %d of %d: %w", rank, len(c.commands), err)
		}
		c.started++
		go func() { c.exited <- await(rank, cmd) }()
	}
	return nil
}

func (c *crew) release() {
	close(c.done)
	<-c.released
}

// await returns when the rank's process, and all that it started in its group, has ended.
func await(rank int, cmd *exec.Cmd) ending {
	awaitExit(cmd.Process.Pid)
	at := time.Now()
	killGroup(cmd.Process.Pid)
	err := cmd.Wait()
	e := ending{exit: exit{rank: rank, code: cmd.ProcessState.ExitCode(), at: at}}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.signal = status.Signal()
	}
	var exitError *exec.ExitError
	if err != nil && !errors.As(err, &exitError) && !errors.Is(err, exec.ErrWaitDelay) {
		e.output = err
	}
	return e
}

// signal sends s to every rank that has not ended.
func (c *crew) signal(s syscall.Signal) {
	if _, ok := c.sent[s]; !ok {
		c.sent[s] = time.Now()
	}
	for rank := range c.started {
		if !c.gone[rank] {
			// The one way to fail is that the rank has just ended, which await reports.
			_ = c.commands[rank].Process.Signal(s)
		}
	}
}

// supervise returns when all ranks have ended: how, by rank, and what told the run to stop, nil if nothing did.
func (c *crew) supervise(ctx context.Context, signals <-chan os.Signal) (exits []exit, stop error) {
	var (
		timer    = time.NewTimer(0)
		deadline time.Time         // of the next step of the ladder, zero when no rank has to end
		next     = syscall.SIGTERM // what is sent then
		ended    = ctx.Done()      // nil once heard
		heard    = 0               // signals to this process
		exitsBy  = make([]exit, c.config.Ranks)
	)
	<-timer.C
	defer timer.Stop()
	limit := func(d time.Duration) {
		if at := time.Now().Add(d); deadline.IsZero() || at.Before(deadline) {
			deadline = at
			timer.Reset(d)
		}
	}
	for alive := c.started; alive > 0; {
		select {
		case e := <-c.exited:
			alive--
			c.gone[e.rank] = true
			at, ours := c.sent[e.signal]
			e.ended = ours && !e.at.Before(at)
			exitsBy[e.rank] = e.exit
			if e.output != nil {
				c.outputError = fmt.Errorf("launch: pass on the output of rank %d: %w", e.rank, e.output)
			}
			switch {
			case e.code == exitStopped:
				limit(c.config.Drain)
			case e.failed():
				limit(c.config.Grace)
			}
		case s := <-signals:
			if heard++; heard > 1 {
				next = syscall.SIGKILL
				limit(0)
			} else if stop == nil {
				s := s.(syscall.Signal)
				stop = &signalError{s}
				c.signal(s)
				limit(c.config.Drain)
			}
		case <-ended:
			ended = nil
			// A context that ends because of a signal must not make two of one.
			if stop == nil {
				stop = context.Cause(ctx)
				c.signal(syscall.SIGTERM)
				limit(c.config.Drain)
			}
		case <-timer.C:
			c.signal(next)
			next = syscall.SIGKILL
			deadline = time.Time{}
			limit(killDelay)
		}
	}
	return exitsBy, stop
}
