package halo

import (
	"context"
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
)

// linker is a device in the memory of the host that exchanges messages with other devices as late as possible:
// forked work runs in Join.
type linker struct {
	*cpu.Device
	comm    dist.Comm
	pending []func() error
	joining bool
}

func (l *linker) DeviceID() string                                  { return fmt.Sprint(l.comm.Rank()) }
func (l *linker) LinkID() ([]byte, error)                           { return []byte("id"), nil }
func (l *linker) Link(int, int, []byte) (backend.DeviceComm, error) { return lateDeviceComm{l}, nil }

type lateDeviceComm struct{ *linker }

func (l lateDeviceComm) Fork(f func() error) error {
	if l.joining {
		return f()
	}
	l.pending = append(l.pending, f)
	return nil
}

func (l lateDeviceComm) Join() (err error) {
	l.joining = true
	for _, f := range l.pending {
		err = errors.Join(err, f())
	}
	l.pending, l.joining = nil, false
	return err
}

func (l lateDeviceComm) Exchange(send, recv []backend.Message) error {
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

func (lateDeviceComm) Max([]uint64) error { return nil }
func (lateDeviceComm) Abort()             {}

func (lateDeviceComm) Close() error { return nil }
