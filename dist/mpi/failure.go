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
	for _, a := range c.takeNotices() {
		c.notify(a.dest, a.notice)
	}
}

// answer is a notice to be sent.
type answer struct {
	dest int
	notice
}

// takeNotices handles the received notices, and returns what they ask to send.
func (c *comm) takeNotices() (answers []answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		data := c.engine.notice()
		if data == nil {
			return answers
		}
		n, err := decode(data, c.size)
		if next := c.engine.listen(); err == nil {
			err = next
		}
		if err != nil {
			c.failLocally(&dist.PeerError{Rank: c.rank, Err: err})
			return answers
		}
		switch n.kind {
		case ask:
			a := answer{n.source, notice{kind: stays, source: c.rank, about: c.rank}}
			if c.leaving.begun {
				a.kind, a.sent = left, c.sent[n.source].Load()
			}
			answers = append(answers, a)
		case stays:
			c.peers[n.source].asked = false
		case left:
			c.peers[n.source] = peer{left: true, at: time.Since(start), sent: n.sent}
		case gone:
			c.leaving.gone[n.source] = true
		case over:
			c.leaving.over = true
		default:
			c.failLocally(n.failure())
		}
	}
}

// askAfter is how long a call waits for a rank before it asks whether that has left, and how long until it asks again.
const askAfter = 100 * time.Millisecond

// askIfLeft asks a rank for which a call waits whether it has left.
func (c *comm) askIfLeft(rank int) {
	c.mu.Lock()
	p, now := &c.peers[rank], time.Since(start)
	asks := rank != c.rank && !p.left && !p.asked && now-p.at > askAfter
	if asks {
		p.asked, p.at = true, now
	}
	c.mu.Unlock()
	if asks {
		c.notify(rank, notice{kind: ask, source: c.rank, about: rank})
	}
}
