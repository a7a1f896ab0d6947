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
	// closeLimit is how long Close waits for the other ranks to close.
	closeLimit = 10 * time.Minute
	// failedLimit is how long it waits after the run has failed.
	failedLimit = 2 * time.Second
)

// Close leaves the run. It returns when all ranks have closed.
func (c *comm) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	sent := make([]uint64, c.size)
	c.calls.Lock() // calls in progress return soon
	for dest := range sent {
		sent[dest] = c.sent[dest].Load()
	}
	c.calls.Unlock()
	for dest := range c.size {
		if dest != c.rank {
			c.notify(dest, notice{kind: leave, source: c.rank, about: c.rank, sent: sent[dest]})
		}
	}
	missing := c.waitForPeers()
	if c.heartbeat != nil {
		c.heartbeat.Stop()
	}
	if err := c.cause(); err != nil {
		if missing >= 0 {
			c.abortJob(fmt.Errorf("rank %d did not close within %v after the run failed: %w", missing, failedLimit, err))
		}
		return nil // MPI is not finalised: messages may be pending forever
	}
	if missing >= 0 {
		err := &dist.PeerError{Rank: missing, Err: fmt.Errorf("did not close within %v", closeLimit)}
		c.abortJob(err)
		return err
	}
	if !c.recycleOrphans() {
		return nil // a message was sent that no rank has received
	}
	err := c.engine.free()
	if c.fromInit {
		empi.Finalize()
	}
	c.collective.release()
	if c.table.freeSlots() {
		liveComms.Delete(c)
	}
	return err
}

// waitForPeers waits until all other ranks have left and the sends of this rank are complete. It returns a rank
// that has not left in time, or -1.
func (c *comm) waitForPeers() (missing int) {
	began, limit := time.Now(), closeLimit
	pause := 10 * time.Microsecond
	for {
		c.readNotices()
		if limit == closeLimit && c.cause() != nil {
			began, limit = time.Now(), failedLimit // the other ranks may receive the failure notice only now
		}
		sent := c.recycleOrphans()
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
		if missing < 0 && (sent || waited > leftGrace) || waited > limit {
			return missing
		}
		time.Sleep(pause)
		pause = min(2*pause, 2*time.Millisecond)
	}
}

// abortJob ends all processes of the job by MPI_Abort, if this is the communicator of Init.
func (c *comm) abortJob(cause error) {
	if !c.fromInit {
		return
	}
	code := 1
	var a *dist.AbortError
	if errors.As(cause, &a) && a.Code > 0 {
		code = a.Code
	}
	fmt.Fprintf(os.Stderr, "atoll: rank %d of %d ends the job: %v\n", c.rank, c.size, cause)
	mpiAbort(code)
}
