//go:build mpi && cgo

package mpi

import (
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// fail ends the run for all ranks, unless it has failed already. It is part of a call, which Close waits for.
func (c *comm) fail(cause error) {
	if c.down(cause) {
		n := failureNotice(c.rank, cause)
		for to := range c.size {
			if to != c.rank {
				c.notify(to, n)
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

// notify sends a notice, which nobody waits for. A rank that cannot be reached is the launcher's to end.
func (c *comm) notify(to int, n notice) {
	o := c.table.take()
	o.Message = pending.Message{Send: true, Peer: to}
	length := n.encode(staged(o.slot))
	if sendBytes(o.slot, notices, to, nil, length) != nil {
		c.table.give(o)
		return
	}
	c.adopt(o)
}

// hear reads the notices that have come.
func (c *comm) hear() {
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
			c.peers[n.from] = peer{left: true, when: time.Now(), sent: n.sent}
			c.leavers++
		default:
			c.down(n.failure())
		}
	}
}
