package halo

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// messages are those of an exchange that are under way. After a failure there are none: nothing is written to buffers,
// or read from them, any more.
type messages struct {
	comm dist.Comm
	tag  int
	reqs []dist.Request
}

func newMessages(comm dist.Comm, tag, most int) messages {
	return messages{comm: comm, tag: tag, reqs: make([]dist.Request, 0, most)}
}

func (m *messages) receive(ctx context.Context, from int, buf []byte) error {
	req, err := m.comm.Irecv(ctx, from, m.tag, buf)
	return m.posted("receive", req, err)
}

// receiveUpTo is receive for a message whose length *length holds in the end.
func (m *messages) receiveUpTo(ctx context.Context, from int, buf []byte, length *int) error {
	req, err := m.comm.IrecvUpTo(ctx, from, m.tag, buf, length)
	return m.posted("receive", req, err)
}

func (m *messages) send(ctx context.Context, to int, buf []byte) error {
	req, err := m.comm.Isend(ctx, to, m.tag, buf)
	return m.posted("send", req, err)
}

func (m *messages) posted(what string, req dist.Request, err error) error {
	if err != nil {
		m.withdraw()
		return fmt.Errorf("halo: %s: %w", what, err)
	}
	m.reqs = append(m.reqs, req)
	return nil
}

// wait returns when all have arrived, or the first has failed.
func (m *messages) wait(ctx context.Context) error {
	err := m.comm.Wait(ctx, m.reqs)
	m.reqs = m.reqs[:0]
	if err != nil {
		return fmt.Errorf("halo: exchange: %w", err)
	}
	return nil
}

// withdraw takes back what was posted before a failure.
func (m *messages) withdraw() {
	ended, end := context.WithCancel(context.Background())
	end()
	_ = m.comm.Wait(ended, m.reqs) // the first failure is told already
	m.reqs = m.reqs[:0]
}
