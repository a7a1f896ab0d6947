//go:build mpi && cgo

package mpi

import (
	"errors"
	"fmt"
	"os"
	"time"

	empi "github.com/emer/empi/mpi"

	"github.com/atoll-hpc/atoll/dist"
)

const (
	// closeLimit is how long Close waits for ranks that are busy with something else.
	closeLimit = 10 * time.Minute
	// failedLimit is how long ranks have to notice that the run has failed.
	failedLimit = 2 * time.Second
)

// Close leaves the run. It returns when all ranks have closed.
func (c *comm) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	sent := make([]uint64, c.size)
	c.calls.Lock() // those that are under way return soon
	for to := range sent {
		sent[to] = c.sent[to].Load()
	}
	c.calls.Unlock()
	for to := range c.size {
		if to != c.rank {
			c.notify(to, notice{kind: leave, from: c.rank, about: c.rank, sent: sent[to]})
		}
	}
	missing := c.linger()
	if c.heart != nil {
		c.heart.Stop()
	}
	if err := c.cause(); err != nil {
		if missing >= 0 {
			c.kill(fmt.Errorf("rank %d has not noticed within %v that the run failed: %w", missing, failedLimit, err))
		}
		return nil // MPI stays as it is: messages may be under way for ever
	}
	if missing >= 0 {
		err := &dist.PeerError{Rank: missing, Err: fmt.Errorf("has not left the run within %v", closeLimit)}
		c.kill(err)
		return err
	}
	if !c.bury() {
		return nil // something was sent that nobody received
	}
	err := c.engine.free()
	if c.job {
		empi.Finalize()
	}
	c.rounds.release()
	if c.table.release() {
		held.Delete(c)
	}
	return err
}

// linger waits until all other ranks have left and what this one has sent is gone, and returns the lowest rank that
// has not left in time, or -1.
func (c *comm) linger() (missing int) {
	began, limit := time.Now(), closeLimit
	pause := 10 * time.Microsecond
	for {
		c.hear()
		if limit == closeLimit && c.cause() != nil {
			began, limit = time.Now(), failedLimit // the others may hear of it only now, as this rank does
		}
		gone := c.bury()
		c.mu.Lock()
		missing = -1
		if c.leavers < c.size-1 {
			for r, p := range c.peers {
				if r != c.rank && !p.left {
					missing = r
					break
				}
			}
		}
		c.mu.Unlock()
		waited := time.Since(began)
		if missing < 0 && (gone || waited > leftGrace) || waited > limit {
			return missing
		}
		time.Sleep(pause)
		pause = min(2*pause, 2*time.Millisecond)
	}
}

// kill ends the job, if that is what this communicator is.
func (c *comm) kill(cause error) {
	if !c.job {
		return
	}
	code := 1
	var a *dist.AbortError
	if errors.As(cause, &a) && a.Code > 0 {
		code = a.Code
	}
	fmt.Fprintf(os.Stderr, "atoll: rank %d of %d ends the job: %v\n", c.rank, c.size, cause)
	endJob(code)
}
