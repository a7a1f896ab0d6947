package grpc

import (
	"sync"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/dist/internal/addresses"
)

// peers holds what a rank knows of each rank: its address, and a peer once messages to or from it are posted or arrive.
// Few ranks are neighbours; of others it keeps 8 bytes and the address.
type peers struct {
	c         *comm
	addresses addresses.List
	at        []atomic.Pointer[peer] // by rank, nil for ranks that are not neighbours

	mu   sync.Mutex // of a change of at, and of left
	left []uint64   // a bit for each rank that has left
}

func newPeers(c *comm, a addresses.List) *peers {
	n := a.Len()
	return &peers{c: c, addresses: a, at: make([]atomic.Pointer[peer], n), left: make([]uint64, (n+63)/64)}
}

// of returns the peer of a rank.
func (s *peers) of(rank int) *peer {
	if p := s.at[rank].Load(); p != nil {
		return p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.at[rank].Load()
	if p == nil {
		p = newPeer(s.c, rank, s.addresses.Of(rank))
		if s.left[rank/64]>>(rank%64)&1 != 0 {
			p.leave(0)
		}
		s.at[rank].Store(p)
	}
	return p
}

// leave records that a rank has left after it has sent this rank so many frames.
func (s *peers) leave(rank int, sent uint64) {
	if sent > 0 { // so that nothing finds the peer without them
		s.of(rank).leave(sent)
	}
	s.mu.Lock()
	s.left[rank/64] |= 1 << (rank % 64)
	p := s.at[rank].Load()
	s.mu.Unlock()
	if p != nil && sent == 0 {
		p.leave(0)
	}
}

// each calls f for all peers, in the order of ranks, until it returns false.
func (s *peers) each(f func(p *peer) bool) {
	for r := range s.at {
		if p := s.at[r].Load(); p != nil && !f(p) {
			return
		}
	}
}
