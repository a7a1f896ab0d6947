package halo

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
)

// linker is a device in the memory of the host that talks to those of other ranks by itself, as late as it may:
// when it is joined.
type linker struct {
	*cpu.Device
	comm    dist.Comm
	pending []func() error
	joining bool
}

func (l *linker) DeviceID() string                                  { return fmt.Sprint(l.comm.Rank()) }
func (l *linker) LinkID() ([]byte, error)                           { return []byte("id"), nil }
func (l *linker) Link(int, int, []byte) (backend.DeviceComm, error) { return lateLinks{l}, nil }

type lateLinks struct{ *linker }

func (l lateLinks) Fork(f func() error) error {
	if l.joining {
		return f()
	}
	l.pending = append(l.pending, f)
	return nil
}

func (l lateLinks) Join() (err error) {
	l.joining = true
	for _, f := range l.pending {
		err = errors.Join(err, f())
	}
	l.pending, l.joining = nil, false
	return err
}

func (l lateLinks) Exchange(send, recv []backend.Message) error {
	ctx := context.Background()
	const tag = 5
	var reqs []dist.Request
	for _, m := range recv {
		r, err := l.comm.Irecv(ctx, m.Peer, tag, m.Data)
		if err != nil {
			return err
		}
		reqs = append(reqs, r)
	}
	for _, m := range send {
		r, err := l.comm.Isend(ctx, m.Peer, tag, m.Data)
		if err != nil {
			return err
		}
		reqs = append(reqs, r)
	}
	return l.comm.Wait(ctx, reqs)
}

func (lateLinks) Max([]uint64) error { return nil }
func (lateLinks) Abort()             {}

func (lateLinks) Close() error { return nil }
