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

// heartbeatEndpoint is the message in which a rank tells the others where it receives heartbeats: its machine, its UDP
// addresses, or an error.
type heartbeatEndpoint struct {
	Machine   string           `json:",omitempty"`
	Addresses []netip.AddrPort `json:",omitempty"`
	Error     string           `json:",omitempty"`
}

// Watch makes the ranks of a run detect ranks that hang, which MPI does not: each rank sends UDP heartbeats to the
// previous one. A rank without heartbeats for silence fails the run, as Abort does. All ranks must call Watch with
// the same silence, on a communicator of Init. If no heartbeats of a rank ever arrive, for example because of a
// firewall, Watch calls warn, and a hang of that rank is not detected.
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
	machines, err := c.exchangeEndpoints(ctx, heartbeatEndpoint{Machine: machine()})
	if err != nil {
		return err
	}
	prev, next := (c.rank+c.size-1)%c.size, (c.rank+1)%c.size
	var ownEndpoint heartbeatEndpoint
	heartbeat, addresses, err := life.OpenHeartbeat(machines[next].Machine == machines[c.rank].Machine)
	ownEndpoint.Addresses = addresses
	if err != nil {
		ownEndpoint.Error = err.Error()
	}
	endpoints, err := c.exchangeEndpoints(ctx, ownEndpoint)
	for r := 0; err == nil && r < c.size; r++ {
		if endpoints[r].Error != "" {
			err = fmt.Errorf("dist/mpi: rank %d: %s", r, endpoints[r].Error)
		}
	}
	if err != nil {
		if heartbeat != nil {
			heartbeat.Stop()
		}
		return err
	}
	c.heartbeat = heartbeat
	heartbeat.Start(life.HeartbeatConfig{
		Key: key, Own: uint64(c.rank), To: endpoints[prev].Addresses, From: uint64(next), Silence: silence,
		Lost: func() {
			c.failLost(&dist.PeerError{Rank: next, Err: fmt.Errorf("%w: no heartbeat for %v", dist.ErrPeerLost, silence)})
		},
		NeverHeard: func() {
			warn(fmt.Sprintf("no heartbeats arrive from rank %d at %v, so its hanging would not be detected: allow UDP "+
				"between the machines", next, endpoints[next].Addresses))
		},
	})
	return nil
}

// exchangeEndpoints returns the endpoints of all ranks.
func (c *comm) exchangeEndpoints(ctx context.Context, own heartbeatEndpoint) ([]heartbeatEndpoint, error) {
	text, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	parts, err := c.Allgatherv(ctx, text)
	if err != nil {
		return nil, err
	}
	endpoints := make([]heartbeatEndpoint, len(parts))
	for r, part := range parts {
		if err := json.Unmarshal(part, &endpoints[r]); err != nil {
			return nil, &dist.PeerError{Rank: r, Err: err}
		}
	}
	return endpoints, nil
}

// machine returns an id of the machine and network namespace: processes with the same id reach each other over
// loopback. If the system does not provide it, the id is random and therefore unique.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	network, other := os.Readlink("/proc/self/ns/net")
	if errors.Join(err, other) != nil {
		return rand.Text()
	}
	return string(boot) + network
}

// failLost fails the run because a rank is lost, unless that rank has left.
func (c *comm) failLost(cause *dist.PeerError) {
	c.calls.RLock() // so that Close waits
	defer c.calls.RUnlock()
	c.mu.Lock()
	left := c.peers[cause.Rank].left
	c.mu.Unlock()
	switch {
	case left:
	case c.closed.Load():
		c.failLocally(cause) // Close is waiting, and checks for a failure
	default:
		c.fail(cause)
	}
}
