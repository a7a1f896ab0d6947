package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// WorkersConfig configures StartWorkers. LocalConfig.Ranks is the number of ranks that run on this machine.
type WorkersConfig struct {
	LocalConfig
	First, Size       int    // the ranks are First … First+Ranks-1 of Size
	Epoch, FirstEpoch uint64 // see Environment
	Coordinator       string // the coordinator's host:port, "" if all ranks of the epoch run on this machine
}

// Exit is how the process of one rank ended.
type Exit struct {
	Rank         int            `json:"rank"`
	Code         int            `json:"code"` // -1 when a signal killed it
	Signal       syscall.Signal `json:"signal,omitempty"`
	BySupervisor bool           `json:"ended,omitempty"` // a signal of its supervisor killed it
	At           time.Time      `json:"at"`
	Report       *Report        `json:"report,omitempty"` // the report that it wrote, nil if none
	Output       string         `json:"output,omitempty"` // without a report: the line of its output that may say why
}

func (e Exit) exit() exit {
	output := e.Output
	if e.Report != nil && e.Report.Rank == e.Rank && e.Rank != 0 { // rank 0 has shown its error
		output = e.Report.Text
	}
	return exit{rank: e.Rank, code: e.Code, signal: e.Signal, byParent: e.BySupervisor, at: e.At, output: output}
}

// Verdict returns the *RankError of ranks that have ended, or nil if all exited with code 0. stop is what stopped the
// run, or nil.
func Verdict(exits []Exit, stop error) error {
	ended := make([]exit, len(exits))
	for i, e := range exits {
		ended[i] = e.exit()
	}
	if failure := verdict(ended, stop); failure != nil {
		return failure
	}
	return nil
}

// Workers are the processes on this machine of one epoch.
type Workers struct {
	Exits <-chan Exit // receives each exit; closed when all workers have ended

	processes *processSet
	config    WorkersConfig
	sockets   *sockets
	lock      sync.Mutex    // protects processes.ended, processes.firstSent, hung, timer and deadline
	hung      map[int]bool  // workers that were killed because they hung
	ended     chan struct{} // closed when all have ended
	timer     *time.Timer   // kills the workers at deadline, nil before Drain or Kill
	deadline  time.Time
	exits     []Exit
}

// StartWorkers starts ranks of an epoch. Call Close when Exits is closed.
func StartWorkers(config WorkersConfig) (*Workers, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	var err error
	if config.LocalConfig, err = config.LocalConfig.withDefaults(); err != nil {
		return nil, err
	}
	if config.First < 0 || config.Size > maxSize || config.First+config.Ranks > config.Size || config.Epoch == 0 {
		return nil, &usageError{fmt.Sprintf("ranks %d to %d of %d in epoch %d: want ranks below %d and an epoch above 0",
			config.First, config.First+config.Ranks-1, config.Size, config.Epoch, config.Size)}
	}
	w := &Workers{config: config, hung: map[int]bool{}, ended: make(chan struct{})}
	if w.sockets, err = newSockets(os.TempDir(), "/tmp"); err != nil {
		return nil, err
	}
	w.processes = newProcessSet(config.LocalConfig, config.First, config.Size, w.command)
	if err := w.processes.start(); err != nil {
		w.processes.signal(syscall.SIGKILL)
		for range w.processes.started {
			<-w.processes.exited
		}
		return nil, errors.Join(err, w.Close())
	}
	exits := make(chan Exit, config.Ranks)
	w.Exits = exits
	go w.collect(exits)
	if config.Stuck > 0 {
		go w.watch()
	}
	return w, nil
}

// command returns the unstarted process of a rank.
func (w *Workers) command(rank int) *exec.Cmd {
	coordinator := w.config.Coordinator
	if coordinator == "" {
		coordinator = "unix:" + filepath.Join(w.sockets.dir, "c.sock")
	}
	return w.config.newProcess(
		envRank+"="+strconv.Itoa(rank),
		envSize+"="+strconv.Itoa(w.config.Size),
		envCoordinator+"="+coordinator,
		envSockets+"="+w.sockets.dir,
		envThreads+"="+strconv.Itoa(w.config.Threads),
		envEpoch+"="+strconv.FormatUint(w.config.Epoch, 10),
		envBegan+"="+strconv.FormatUint(w.config.FirstEpoch, 10),
	)
}

// collect sends the exit of each worker, with its report, to exits.
func (w *Workers) collect(exits chan<- Exit) {
	for range w.config.Ranks {
		e := <-w.processes.exited
		w.lock.Lock()
		w.processes.ended[e.rank] = true
		e.byParent = w.processes.sentBefore(e)
		hung := w.hung[e.rank] && e.signal == syscall.SIGKILL
		w.lock.Unlock()
		out := Exit{Rank: w.config.First + e.rank, Code: e.code, Signal: e.signal, BySupervisor: e.byParent, At: e.at}
		if out.Report = readReport(w.sockets.dir, out.Rank); hung {
			out.Report, out.BySupervisor = w.hungReport(out.Rank), false
		}
		if out.Report == nil && out.Code > 0 && out.Code != ExitStopped {
			out.Output = w.processes.lastWords(e.rank)
		}
		w.exits = append(w.exits, out)
		exits <- out
	}
	close(w.ended)
	close(exits)
}

// Drain sends SIGTERM to the workers, once, upon which they save their state and exit. Workers that have not exited
// after LocalConfig.Drain are killed.
func (w *Workers) Drain() {
	w.send(syscall.SIGTERM)
	w.Kill(w.config.Drain)
}

// Kill kills the workers after a delay, unless an earlier call set an earlier time.
func (w *Workers) Kill(after time.Duration) {
	if after == 0 {
		w.send(syscall.SIGKILL)
		return
	}
	at := time.Now().Add(after)
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.timer != nil {
		if !at.Before(w.deadline) {
			return
		}
		w.timer.Stop()
	}
	w.deadline, w.timer = at, time.AfterFunc(after, func() { w.send(syscall.SIGKILL) })
}

func (w *Workers) send(s syscall.Signal) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if _, sent := w.processes.firstSent[s]; !sent || s == syscall.SIGKILL {
		w.processes.signal(s)
	}
}

// Close waits for the copying of the workers' output and removes their directory of sockets. Call it when all of them
// have ended.
func (w *Workers) Close() error {
	w.lock.Lock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.lock.Unlock()
	w.processes.release()
	w.processes.flush()
	return errors.Join(w.processes.outputError, w.sockets.remove())
}

// ShowOutput writes the last lines of the output of workers that failed to Stderr, as Local does. Call it after Close.
func (w *Workers) ShowOutput() error {
	ended := make([]exit, len(w.exits))
	for i, e := range w.exits {
		ended[i] = e.exit()
		ended[i].rank -= w.config.First
	}
	slices.SortFunc(ended, func(a, b exit) int { return a.rank - b.rank })
	failure := verdict(ended, nil)
	if failure == nil || w.config.Stderr == nil || ExitCode(failure) == ExitStopped {
		return nil
	}
	return writeTails(w.config.Stderr, failure.Rank, w.config.First, ended, w.processes.tails)
}
