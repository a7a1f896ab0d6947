package launch

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const killDelay = time.Second // from SIGTERM to SIGKILL

// processSet is the processes of a run, from start to the last exit.
type processSet struct {
	config   LocalConfig
	first    int // the rank of commands[0]; ranks are counted from here in what follows
	size     int // of the run
	commands []*exec.Cmd
	kept     []*tail // the last output of each rank, nil where it is passed on
	logs     []*LineWriter
	lines    sync.Mutex  // of logs
	outputs  [][]*output // of each rank that has a process
	started  int         // ranks 0 … started-1 have a process

	exited      chan exit
	ended       []bool // by rank
	firstSent   map[syscall.Signal]time.Time
	outputError error // a rank's output could not be passed on

	done     chan struct{} // closed to let the starting thread go
	released chan struct{} // closed when it has gone
}

func newProcessSet(config LocalConfig, first, size int, command func(rank int) *exec.Cmd) *processSet {
	c := &processSet{
		config:    config,
		first:     first,
		size:      size,
		commands:  make([]*exec.Cmd, config.Ranks),
		kept:      make([]*tail, config.Ranks),
		exited:    make(chan exit, config.Ranks),
		ended:     make([]bool, config.Ranks),
		firstSent: make(map[syscall.Signal]time.Time),
		done:      make(chan struct{}),
		released:  make(chan struct{}),
	}
	for rank := range c.commands {
		cmd := command(first + rank)
		switch {
		case config.LogRanks:
			cmd.Stdout, cmd.Stderr = c.logged(first+rank, config.Stdout), c.logged(first+rank, config.Stderr)
		case first+rank == 0:
			cmd.Stdout, cmd.Stderr = config.Stdout, config.Stderr
		default:
			c.kept[rank] = new(tail)
			cmd.Stdout, cmd.Stderr = c.kept[rank], c.kept[rank]
		}
		c.commands[rank] = cmd
	}
	return c
}

// logged is the writer for the output of a rank when that of all ranks goes to w. Rank 0 keeps a file to itself, which
// may be a terminal.
func (c *processSet) logged(rank int, w io.Writer) io.Writer {
	if _, file := w.(*os.File); w == nil || file && rank == 0 {
		return w
	}
	prefix := ""
	if rank > 0 {
		prefix = fmt.Sprintf("[rank %d] ", rank)
	}
	l := NewLineWriter(w, prefix, &c.lines)
	c.logs = append(c.logs, l)
	return l
}

// flush returns when all that the ranks wrote has been passed on, lines that they have not ended too, once the ranks
// have.
func (c *processSet) flush() {
	for rank, outputs := range c.outputs {
		for _, o := range outputs {
			if err := <-o.ended; err != nil && c.outputError == nil {
				c.outputError = fmt.Errorf("launch: pass on the output of rank %d: %w", c.first+rank, err)
			}
		}
	}
	for _, l := range c.logs {
		if err := l.Flush(); err != nil && c.outputError == nil {
			c.outputError = fmt.Errorf("launch: pass on the output of the ranks: %w", err)
		}
	}
}

// start starts all ranks. The kernel kills a rank when the thread that started it ends, so one thread starts them
// all and is kept until release. On error ranks 0 … started-1 are running.
func (c *processSet) start() error {
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

// startAll binds each rank to its block of processors: a rank inherits what the starting thread is bound to. That the
// system refuses this, when an administrator has just changed what there is, costs speed and nothing else.
func (c *processSet) startAll() error {
	all := affinity()
	blocks := blocks(all, c.config.Ranks, c.config.Threads)
	if blocks != nil {
		defer func() { _ = bind(all) }()
	}
	for rank, cmd := range c.commands {
		if blocks != nil {
			_ = bind(blocks[rank])
		}
		outputs, err := startPiped(cmd)
		if err != nil {
			return fmt.Errorf("launch: start rank %d of %d: %w", c.first+rank, c.size, err)
		}
		c.started++
		c.outputs = append(c.outputs, outputs)
		go func() { c.exited <- await(rank, cmd, outputs) }()
	}
	return nil
}

func (c *processSet) release() {
	close(c.done)
	<-c.released
}

// await returns when the rank's process, and all that it started in its group, has ended. Its output may still be on
// its way: a failure is not to be noticed later because of a slow receiver.
func await(rank int, cmd *exec.Cmd, outputs []*output) exit {
	awaitExit(cmd.Process.Pid)
	at := time.Now()
	killGroup(cmd.Process.Pid)
	_ = cmd.Wait() // how it ended is in ProcessState
	for _, o := range outputs {
		o.exited()
	}
	e := exit{rank: rank, code: cmd.ProcessState.ExitCode(), at: at}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.signal = status.Signal()
	}
	return e
}

// signal sends s to every rank that has not ended.
func (c *processSet) signal(s syscall.Signal) {
	if _, ok := c.firstSent[s]; !ok {
		c.firstSent[s] = time.Now()
	}
	for rank := range c.started {
		if !c.ended[rank] {
			// The one way to fail is that the rank has just ended, which await reports.
			_ = c.commands[rank].Process.Signal(s)
		}
	}
}

// supervise returns when all ranks have ended: how, by rank, and what told the run to stop, nil if nothing did.
func (c *processSet) supervise(ctx context.Context, signals <-chan os.Signal) (exits []exit, stop error) {
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
			c.ended[e.rank] = true
			at, ours := c.firstSent[e.signal]
			e.byParent = ours && !e.at.Before(at)
			exitsBy[e.rank] = e
			switch {
			case e.code == ExitStopped:
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
