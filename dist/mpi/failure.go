//go:build mpi && cgo

package mpi

import (
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// fail fails the run on all ranks, unless it has failed already. The caller holds comm.calls, so that Close waits.
func (c *comm) fail(cause error) {
	if c.failLocally(cause) {
		n := failureNotice(c.rank, cause)
		for dest := range c.size {
			if dest != c.rank {
				c.notify(dest, n)
			}
		}
	}
}

// failLocally fails the run on this rank, and reports whether this was the first failure.
func (c *comm) failLocally(cause error) bool {
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
	length := n.encode(bufferOf(o.slot))
	if sendBytes(o.slot, notices, dest, nil, length) != nil {
		c.table.release(o)
		return
	}
	c.addOrphan(o)
}

// readNotices handles the received notices.
func (c *comm) readNotices() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		data := c.engine.notice()
		if data == nil {
			return
		}
		n, err := decode(data, c.size)
		if next := c.engine.listen(); err == nil {
			err = next
		}
		switch {
		case err != nil:
			c.failLocally(&dist.PeerError{Rank: c.rank, Err: err})
			return
		case n.kind == leave:
			c.peers[n.source] = peer{left: true, leftAt: time.Now(), sent: n.sent}
			c.leavers++
		default:
			c.failLocally(n.failure())
		}
	}
}
