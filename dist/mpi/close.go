//go:build mpi && cgo

package mpi

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	empi "github.com/emer/empi/mpi"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/collect"
)

const (
	// closeLimit is how long Close waits for the other ranks to close.
	closeLimit = 10 * time.Minute
	// failedLimit is how long it waits after the run has failed.
	failedLimit = 2 * time.Second
	// parentGrace is how much longer it waits for the parent than for others.
	parentGrace = time.Second
)

// Close leaves the run. It returns when all ranks have closed, of which they tell each other by 2(size-1) notices.
func (c *comm) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	c.calls.Lock() // calls in progress return soon
	c.mu.Lock()
	c.leaving.begun = true
	c.mu.Unlock()
	c.calls.Unlock()
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

// leaving is how ranks learn that all have closed, by two messages a rank along a tree: notices that a subtree has left
// go up, and one that all have left comes down. A rank that still runs asks those for which it waits whether they have
// left.
type leaving struct {
	tree  *collect.Tree
	begun bool // this rank has closed, and sends no more messages
	told  bool // its parent knows that its subtree has left
	over  bool // all ranks have left, and so the parent says
	gone  map[int]bool

	passed bool // the children know that all ranks have left
}

// next returns the notices that are due, and a rank for whose notice this rank waits; -1 if all ranks have left. asked
// is a rank whose answer is missing, or -1.
func (l *leaving) next(own, asked int) (due []answer, missing int) {
	for _, child := range l.tree.Children() {
		if !l.gone[child] {
			return nil, child
		}
	}
	if asked >= 0 { // so that it reads the question before it ends
		return nil, asked
	}
	parent, exists := l.tree.Parent()
	if exists && !l.over {
		if !l.told {
			l.told = true
			due = append(due, answer{parent, notice{kind: gone, source: own, about: own}})
		}
		return due, parent
	}
	if !l.passed {
		l.passed = true
		for _, child := range l.tree.Children() {
			due = append(due, answer{child, notice{kind: over, source: own, about: own}})
		}
	}
	return due, -1
}

// unanswered returns a rank that has not answered a question, or -1. The caller holds mu.
func (c *comm) unanswered() int {
	return slices.IndexFunc(c.peers, func(p peer) bool { return p.asked })
}

// waitForPeers waits until all other ranks have left and the sends of this rank are complete. It returns a rank
// that has not left in time, or one whose subtree of the tree has not, or -1.
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
		due, missing := c.leaving.next(c.rank, c.unanswered())
		told := c.leaving.told
		c.mu.Unlock()
		for _, a := range due {
			c.notify(a.dest, a.notice)
			sent = false
		}
		waited := time.Since(began)
		if told { // the parent, which waits for others, gives up first and names one of them
			waited -= parentGrace
		}
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
