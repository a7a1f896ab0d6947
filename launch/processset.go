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

// processSet is the ranks of a run on this machine, from their start to the last exit. Its fields and methods, except
// logWriter, count ranks from first.
type processSet struct {
	config    LocalConfig
	first     int // the rank of the run that commands[0] runs
	size      int // number of ranks of the run
	commands  []*exec.Cmd
	tails     []*tail // the last output of each rank, nil where all output goes to config.Stdout and config.Stderr
	logs      []*LineWriter
	logsMutex sync.Mutex  // shared by logs
	outputs   [][]*output // [rank] for the ranks that have been started
	started   int         // ranks 0 … started-1 have been started

	exited      chan exit
	ended       []bool // [rank]
	firstSent   map[syscall.Signal]time.Time
	outputError error // the first error of copying a rank's output

	done     chan struct{} // closed by release to end the starting thread
	released chan struct{} // closed when the starting thread has ended
}

func newProcessSet(config LocalConfig, first, size int, command func(rank int) *exec.Cmd) *processSet {
	c := &processSet{
		config:    config,
		first:     first,
		size:      size,
		commands:  make([]*exec.Cmd, config.Ranks),
		tails:     make([]*tail, config.Ranks),
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
			cmd.Stdout = c.logWriter(first+rank, config.Stdout, config.LogOut)
			cmd.Stderr = c.logWriter(first+rank, config.Stderr, config.LogErr)
		case first+rank == 0:
			cmd.Stdout, cmd.Stderr = config.Stdout, config.Stderr
		default:
			c.tails[rank] = new(tail)
			cmd.Stdout, cmd.Stderr = c.tails[rank], c.tails[rank]
		}
		c.commands[rank] = cmd
	}
	return c
}

// logWriter returns the writer for the output of a rank of the run, when the output of all ranks goes to w, lines of
// other ranks than 0 to log unless it is nil. Rank 0 writes to a file directly, since the file may be a terminal.
func (c *processSet) logWriter(rank int, w, log io.Writer) io.Writer {
	if _, file := w.(*os.File); w == nil || file && rank == 0 {
		return w
	}
	if rank > 0 && log != nil {
		w = log
	}
	prefix := ""
	if rank > 0 {
		prefix = fmt.Sprintf("[rank %d] ", rank)
	}
	l := NewLineWriter(w, prefix, &c.logsMutex)
	c.logs = append(c.logs, l)
	return l
}

// lastWords returns the line of a rank's output that may say why it has ended; "" if its output is not kept, as that of
// rank 0, which is shown. The rank has ended.
func (c *processSet) lastWords(rank int) string {
	if c.tails[rank] == nil {
		return ""
	}
	for _, o := range c.outputs[rank] {
		<-o.copied // soon: the tail accepts everything at once, and reading is limited by outputDelay
	}
	return c.tails[rank].lastWords()
}

// flush returns when the output of all ranks has been copied, partial lines included. Call it when all have ended.
func (c *processSet) flush() {
	for rank, outputs := range c.outputs {
		for _, o := range outputs {
			if err := <-o.ended; err != nil && c.outputError == nil {
				c.outputError = fmt.Errorf("launch: copy the output of rank %d: %w", c.first+rank, err)
			}
		}
	}
	for _, l := range c.logs {
		if err := l.Flush(); err != nil && c.outputError == nil {
			c.outputError = fmt.Errorf("launch: copy the output of the ranks: %w", err)
		}
	}
}

// start starts all ranks. The kernel kills a rank when the thread that started it ends, so one thread starts them
// all and exists until release. On error ranks 0 … started-1 are running.
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

// startAll starts the ranks, each bound to its block of processors: a process inherits the affinity of the thread that
// starts it. Errors of bind are ignored, since they cost only speed.
func (c *processSet) startAll() error {
	allowed := affinity()
	blocks := processorBlocks(allowed, c.config.Ranks, c.config.Threads)
	if blocks != nil {
		defer func() { _ = bind(allowed) }()
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
		go func() { c.exited <- awaitRank(rank, cmd, outputs) }()
	}
	return nil
}

// release ends the starting thread.
func (c *processSet) release() {
	close(c.done)
	<-c.released
}

// awaitRank returns when the rank's process, and all processes in its group, have ended. It does not wait for the
// copying of their output, so that a slow receiver does not delay the detection of a failure.
func awaitRank(rank int, cmd *exec.Cmd, outputs []*output) exit {
	awaitExit(cmd.Process.Pid)
	at := time.Now()
	killGroup(cmd.Process.Pid)
	_ = cmd.Wait() // its error repeats ProcessState
	for _, o := range outputs {
		o.rankExited()
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
			// The only possible error is that the rank has just ended, which awaitRank reports.
			_ = c.commands[rank].Process.Signal(s)
		}
	}
}

// supervise waits until all ranks have ended, and ends them as the package comment describes. It returns exits[rank],
// and as stop the signal or the context's cause that stopped the run, or nil.
func (c *processSet) supervise(ctx context.Context, signals <-chan os.Signal) (exits []exit, stop error) {
	var (
		timer    = time.NewTimer(0)
		deadline time.Time         // when the ranks get signal next, zero for never
		next     = syscall.SIGTERM // SIGKILL afterwards
		canceled = ctx.Done()      // nil once received from
		received = 0               // signals to this process
	)
	exits = make([]exit, c.config.Ranks)
	<-timer.C
	defer timer.Stop()
	escalateWithin := func(d time.Duration) { // sends the next signal after d, unless that is due earlier
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
			e.byParent = c.sentBefore(e)
			exits[e.rank] = e
			switch {
			case e.code == ExitStopped:
				escalateWithin(c.config.Drain)
			case e.failed():
				escalateWithin(c.config.Grace)
			}
		case s := <-signals:
			if received++; received > 1 {
				next = syscall.SIGKILL
				escalateWithin(0)
			} else if stop == nil {
				s := s.(syscall.Signal)
				stop = &signalError{s}
				c.signal(s)
				escalateWithin(c.config.Drain)
			}
		case <-canceled:
			canceled = nil
			// If a signal has also cancelled the context, the ranks have been signalled already.
			if stop == nil {
				stop = context.Cause(ctx)
				c.signal(syscall.SIGTERM)
				escalateWithin(c.config.Drain)
			}
		case <-timer.C:
			c.signal(next)
			next = syscall.SIGKILL
			deadline = time.Time{}
			escalateWithin(killDelay)
		}
	}
	return exits, stop
}

// sentBefore reports whether the parent had sent the signal that ended a rank before the rank ended.
func (c *processSet) sentBefore(e exit) bool {
	t, sent := c.firstSent[e.signal]
	return sent && !e.at.Before(t)
}
