package halo

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
)

// linker is a device in the memory of the host that talks to those of other ranks by itself, as late as it may:
// messages move when they are joined.
type linker struct {
	*cpu.Device
	comm       dist.Comm
	send, recv []backend.Message
}

func (l *linker) Place() string                                { return fmt.Sprint(l.comm.Rank()) }
func (l *linker) LinkID() ([]byte, error)                      { return []byte("id"), nil }
func (l *linker) Link(int, int, []byte) (backend.Links, error) { return lateLinks{l}, nil }

type lateLinks struct{ *linker }

func (l lateLinks) Exchange(send, recv []backend.Message) error {
	l.send, l.recv = append(l.send, send...), append(l.recv, recv...)
	return nil
}

func (l lateLinks) Join() error {
	ctx := context.Background()
	const tag = 5
	var reqs []dist.Request
	for _, m := range l.recv {
		r, err := l.comm.Irecv(ctx, m.Peer, tag, m.Data)
		if err != nil {
			return err
		}
		reqs = append(reqs, r)
	}
	for _, m := range l.send {
		r, err := l.comm.Isend(ctx, m.Peer, tag, m.Data)
		if err != nil {
			return err
		}
		reqs = append(reqs, r)
	}
	l.send, l.recv = nil, nil
	return l.comm.Wait(ctx, reqs)
}

func (lateLinks) Max([]uint64) error          { return nil }
func (lateLinks) Beside(f func() error) error { return f() }
func (lateLinks) Abort()                      {}

func (lateLinks) Close() error { return nil }
