package grpc

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/internal/addresses"
	"github.com/atoll-hpc/atoll/dist/internal/pending"
)

// A rank keeps at most 64 bytes of each rank that is not its neighbour.
func TestMemoryOfRanksThatAreNotNeighbours(t *testing.T) {
	kept := func(size int) uint64 {
		all := make([]string, size)
		for r := range all {
			all[r] = fmt.Sprintf("unix:/tmp/atoll-run-3762393018/rank-%d.sock", r)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		c := &comm{cfg: Config{Size: size}}
		c.peers = newPeers(c, addresses.New(all))
		runtime.GC()
		runtime.ReadMemStats(&after)
		for _, r := range []int{0, 1, size - 1} {
			if got := c.peers.addresses.Of(r); got != all[r] {
				t.Errorf("rank %d is at %s, want %s", r, got, all[r])
			}
		}
		runtime.KeepAlive(all)
		return after.HeapAlloc - before.HeapAlloc
	}
	const few, many = 1 << 10, 1 << 14
	if n := float64(kept(many)-kept(few)) / (many - few); n > 64 {
		t.Errorf("%.1f bytes of each rank, want at most 64", n)
	}
}

// What a rank that has left has sent before can be received, even if nothing was known of it.
func TestUnknownRankHasLeft(t *testing.T) {
	c := &comm{cfg: Config{Rank: 0, Size: 3, UnexpectedLimit: 1 << 20}, session: 5, refused: newRefusals(nil),
		down: make(chan struct{}), stop: make(chan struct{})}
	c.peers = newPeers(c, addresses.New([]string{"a", "b", "c"}))
	c.peers.leave(1, 1)
	c.peers.leave(2, 0)
	buf := make([]byte, 2)
	receive := func(rank int) dist.Request { return c.receive(pending.Message{Peer: rank, Tag: 3, Buf: buf}) }
	wait := func(r dist.Request) error { return c.Wait(t.Context(), []dist.Request{r}) }
	first := receive(1)
	a := arrival{sink: c.peers.of(1)}
	message := encode(header{kind: eager, session: 5, tag: 3, length: 2}, []byte("ab"))
	if err := a.decode(splitBuffers(message, nil)); err != nil {
		t.Fatal(err)
	}
	if err := wait(first); err != nil || string(buf) != "ab" {
		t.Errorf("received %q: %v", buf, err)
	}
	for _, rank := range []int{1, 2} {
		if err := wait(receive(rank)); !errors.Is(err, dist.ErrClosed) {
			t.Errorf("a receive from rank %d, which has left, returned %v", rank, err)
		}
	}
}
