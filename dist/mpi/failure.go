//go:build mpi && cgo

package mpi

import (
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// fail ends the run for all ranks, unless it has failed already. The caller holds comm.calls, so that Close waits.
func (c *comm) fail(cause error) {
	if c.down(cause) {
		n := failureNotice(c.rank, cause)
		for dest := range c.size {
			if dest != c.rank {
				c.notify(dest, n)
			}
		}
	}
}

// down ends the run on this rank and reports whether this was the first failure.
func (c *comm) down(cause error) bool {
	if !c.failed.CompareAndSwap(nil, &failedRun{cause}) {
		return false
	}
	c.engine.stop()
	return true
}

// notify sends a notice without waiting for it. Errors are ignored: the launcher ends ranks that cannot be reached.
func (c *comm) notify(dest int, n notice) {
	o := c.table.acquire()
	o.Message = pending.Message{Send: true, Peer: dest}
	length := n.encode(staged(o.slot))
	if sendBytes(o.slot, notices, dest, nil, length) != nil {
		c.table.release(o)
		return
	}
	c.addOrphan(o)
}

// readNotices reads the received notices.
func (c *comm) readNotices() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		text := c.engine.notice()
		if text == nil {
			return
		}
		n, err := decode(text, c.size)
		if next := c.engine.listen(); err == nil {
			err = next
		}
		switch {
		case err != nil:
			c.down(&dist.PeerError{Rank: c.rank, Err: err})
			return
		case n.kind == leave:
			c.peers[n.source] = peer{left: true, when: time.Now(), sent: n.sent}
			c.leavers++
		default:
			c.down(n.failure())
		}
	}
}
