//go:build mpi && cgo

package mpi

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/life"
)

// whereabouts is what a rank tells the others about its heart.
type whereabouts struct {
	Machine   string           `json:",omitempty"`
	Addresses []netip.AddrPort `json:",omitempty"`
	Error     string           `json:",omitempty"`
}

// Watch makes the ranks of a run watch each other, beside MPI, which does not notice a rank that hangs: each gives the
// one before it signs of life in datagrams. A rank that gives none for silence fails the run, as Abort does. All ranks
// must call it, with the same silence, on a communicator of Init. Where datagrams do not get through warn is told, and
// nothing is watched.
func Watch(ctx context.Context, job dist.Comm, silence time.Duration, warn func(line string)) error {
	c, ok := job.(*comm)
	if !ok {
		return fmt.Errorf("dist/mpi: a %T cannot be watched", job)
	}
	if c.size == 1 {
		return nil
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	if err := c.Bcast(ctx, 0, key); err != nil {
		return err
	}
	machines, err := c.tell(ctx, whereabouts{Machine: machine()})
	if err != nil {
		return err
	}
	before, after := (c.rank+c.size-1)%c.size, (c.rank+1)%c.size
	var own whereabouts
	heart, addresses, err := life.OpenHeartbeat(machines[after].Machine == machines[c.rank].Machine)
	own.Addresses = addresses
	if err != nil {
		own.Error = err.Error()
	}
	all, err := c.tell(ctx, own)
	for r := 0; err == nil && r < c.size; r++ {
		if all[r].Error != "" {
			err = fmt.Errorf("dist/mpi: rank %d: %s", r, all[r].Error)
		}
	}
	if err != nil {
		if heart != nil {
			heart.Stop()
		}
		return err
	}
	c.heart = heart
	heart.Start(life.HeartbeatConfig{
		Key: key, Own: uint64(c.rank), To: all[before].Addresses, From: uint64(after), Silence: silence,
		Lost: func() {
			c.lose(&dist.PeerError{Rank: after, Err: fmt.Errorf("%w: no sign of life for %v", dist.ErrPeerLost, silence)})
		},
		NeverHeard: func() {
			warn(fmt.Sprintf("no sign of life comes from rank %d, at %v: if it hangs, nobody notices; let UDP pass between "+
				"the machines", after, all[after].Addresses))
		},
	})
	return nil
}

// tell gives all ranks what one of them says.
func (c *comm) tell(ctx context.Context, own whereabouts) ([]whereabouts, error) {
	text, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	parts, err := c.Allgatherv(ctx, text)
	if err != nil {
		return nil, err
	}
	all := make([]whereabouts, len(parts))
	for r, part := range parts {
		if err := json.Unmarshal(part, &all[r]); err != nil {
			return nil, &dist.PeerError{Rank: r, Err: err}
		}
	}
	return all, nil
}

// machine names what shares a loopback: processes with the same name reach each other by it. It is a random
// one, and so no other's, where the system does not say.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	network, other := os.Readlink("/proc/self/ns/net")
	if errors.Join(err, other) != nil {
		return rand.Text()
	}
	return string(boot) + network
}

// lose fails the run because of a rank that was found lost, unless that has left.
func (c *comm) lose(cause *dist.PeerError) {
	c.calls.RLock() // as a call, which Close waits for
	defer c.calls.RUnlock()
	c.mu.Lock()
	left := c.peers[cause.Rank].left
	c.mu.Unlock()
	switch {
	case left:
	case c.closed.Load():
		c.down(cause) // Close sees it
	default:
		c.fail(cause)
	}
}
